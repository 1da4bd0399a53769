#include "runtime/heaps/fallback/other_mimalloc.h"

#include <link.h>
#include <string.h>

namespace malloom::heaps {

bool is_other_mimalloc_loaded() {
    const auto is_one = [](dl_phdr_info* object, size_t, void*) {
        const char* slash = strrchr(object->dlpi_name, '/');
        return strncmp(slash != nullptr ? slash + 1 : object->dlpi_name, "libmimalloc", 11) == 0 ? 1 : 0;
    };
    return dl_iterate_phdr(is_one, nullptr) != 0;
}

}  // namespace malloom::heaps
