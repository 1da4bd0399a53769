// scattered SITES OBJECTS KEEP: one after the other, each of SITES call sites makes OBJECTS objects and
// releases all of them but every KEEP-th. What stays of a site lies scattered over the memory that it used.
// Objects of a site have one size, from 16 to 1024 bytes in steps of 16, as the sites come. Reports on
// stderr, as "measure kept_bytes BYTES", the memory that the process has in use at the end; the tables that
// hold the objects lie outside the heap.
#include <stdint.h>

#include "workloads/resident.h"
#include "workloads/sites.h"

namespace {

constexpr size_t step = 16, sizes = 64;

/// Every object is written from its first byte to its last.
void make(workloads::Site site, size_t bytes, char** objects, size_t count) {
    for (size_t i = 0; i < count; ++i) objects[i] = static_cast<char*>(memset(site(bytes), 1, bytes));
}

/// The objects that stay are counted in by their sizes.
char** release_but(size_t keep, char** objects, size_t count, char** kept) {
    for (size_t i = 0; i < count; ++i) {
        if (i % keep == 0) {
            *kept++ = objects[i];
        } else {
            free(objects[i]);
        }
    }
    return kept;
}

/// What the objects hold, so that one that was handed out twice shows.
uint64_t sum_and_release(char** kept, size_t count, size_t of_site) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t bytes = step * (1 + i / of_site % sizes);
        for (size_t at = 0; at < bytes; ++at) sum += static_cast<unsigned char>(kept[i][at]);
        memset(kept[i], 0, bytes);
    }
    for (size_t i = 0; i < count; ++i) free(kept[i]);
    return sum;
}

void run(size_t sites, size_t objects_count, size_t keep) {
    const size_t of_site = (objects_count + keep - 1) / keep, kept_count = sites * of_site;
    char** objects = table_outside_heap(objects_count);
    char** kept = table_outside_heap(kept_count);
    char** end = kept;
    for (size_t i = 0; i < sites; ++i) {
        make(workloads::sites[i], step * (1 + i % sizes), objects, objects_count);
        end = release_but(keep, objects, objects_count, end);
    }
    discard_table(objects, objects_count);
    report_resident("kept_bytes");
    printf("%zu objects kept, sum %lu\n", kept_count, sum_and_release(kept, kept_count, of_site));
    discard_table(kept, kept_count);
}

}  // namespace

int main(int count, char** arguments) {
    const long sites = count == 4 ? atol(arguments[1]) : 0;
    const long objects = count == 4 ? atol(arguments[2]) : 0;
    const long keep = count == 4 ? atol(arguments[3]) : 0;
    if (sites < 1 || sites > long{workloads::most_sites} || objects < 1 || keep < 1) {
        fputs("usage: scattered SITES OBJECTS KEEP\n", stderr);
        return 2;
    }
    run(static_cast<size_t>(sites), static_cast<size_t>(objects), static_cast<size_t>(keep));
    return 0;
}
