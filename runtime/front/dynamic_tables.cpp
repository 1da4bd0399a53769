// The tables of runtime/front/dynamic_entries.h. In a file of their own for the tests, which have no entries.
#include "runtime/front/dynamic_entries.h"

extern "C" {
[[gnu::visibility("default")]] constinit malloom::front::DynamicSites malloom_dynamic_sites = {};
[[gnu::visibility("default")]] constinit malloom::front::DynamicPrefetches malloom_dynamic_prefetches = {};
[[gnu::visibility("default")]] constinit malloom::front::DynamicWait malloom_dynamic_wait = {};
}
