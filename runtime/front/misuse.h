// The line with which a program ends that frees what it must not.
#pragma once

#include "runtime/front/sites.h"

namespace malloom::front {

/// From now on the pool heap names the sites that had requested an object, and the call that frees it, before
/// it ends the program. The sites live as long as the process. Once.
void name_sites_on_misuse(Sites& sites);

}  // namespace malloom::front
