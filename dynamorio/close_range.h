// DynamoRIO goes through the descriptors of close_range one by one, with a counter that never passes the
// largest number there is: closefrom(3) would run for ever.
#pragma once

namespace malloom::dynamorio {

/// Before the system call close_range: bounds its end to the highest descriptor that is open.
void bound_close_range(void* context);

}  // namespace malloom::dynamorio
