// The line that `malloom run --dynamic --statistics` prints when a process ends.
#pragma once

namespace malloom::optimizer {

/// From the trace event. Any thread.
void count_trace();

/// On stderr, as DynamoRIO keeps it where the program closes it.
void print_statistics();

}  // namespace malloom::optimizer
