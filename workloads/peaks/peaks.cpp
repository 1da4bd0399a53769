// peaks SITES KEPT: the call sites peak one after the other. Each makes objects of one size until they have 2
// MB together, and releases all but KEPT of them, in an order that has nothing to do with the one they were
// made in, before the next site begins. Sizes go from 16 to 1024 bytes in steps of 16 as the sites come.
// Reports on stderr, as "measure NAME BYTES", the memory that the process has in use: full_bytes when the
// objects of the last site live, and kept_bytes when only those that stay do. The table that holds them lies
// outside the heap.
#include <stdint.h>

#include <utility>

#include "workloads/random.h"
#include "workloads/resident.h"
#include "workloads/sites.h"

namespace {

constexpr size_t step = 16, sizes = 64, peak_bytes = 2'000'000;
constexpr size_t most_objects = peak_bytes / step, most_kept = peak_bytes / (step * sizes);

size_t bytes_at(size_t site) {
    return step * (1 + site % sizes);
}

size_t rise(size_t site, char** objects) {
    const size_t bytes = bytes_at(site), count = peak_bytes / bytes;
    for (size_t i = 0; i < count; ++i) {
        objects[i] = static_cast<char*>(memset(workloads::sites[site](bytes), static_cast<int>(site), bytes));
    }
    return count;
}

void shuffle(char** objects, size_t count) {
    uint64_t state = random_begin(1);
    for (size_t left = count; left > 1; --left) {
        std::swap(objects[left - 1], objects[random_below(&state, left)]);
    }
}

void fall(char** objects, size_t count) {
    for (size_t i = 0; i < count; ++i) free(objects[i]);
}

/// How many of the kept objects hold what their site wrote, so that one that was handed out twice shows.
size_t count_whole(char** kept, size_t count, size_t of_site) {
    size_t whole = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t site = i / of_site, bytes = bytes_at(site);
        const auto written = static_cast<char>(site);
        whole += kept[i][0] == written && memcmp(kept[i], kept[i] + 1, bytes - 1) == 0;
    }
    return whole;
}

void run(size_t sites, size_t of_site) {
    char** objects = table_outside_heap(most_objects);
    char** kept = table_outside_heap(sites * most_kept);
    for (size_t site = 0; site < sites; ++site) {
        const size_t made = rise(site, objects);
        if (site + 1 == sites) report_resident("full_bytes");
        shuffle(objects, made);
        fall(objects + of_site, made - of_site);
        for (size_t i = 0; i < of_site; ++i) kept[site * of_site + i] = objects[i];
    }
    discard_table(objects, most_objects);
    report_resident("kept_bytes");
    const size_t kept_count = sites * of_site;
    printf("%zu of %zu objects whole\n", count_whole(kept, kept_count, of_site), kept_count);
    fall(kept, kept_count);
    discard_table(kept, sites * most_kept);
}

}  // namespace

int main(int count, char** arguments) {
    const long sites = count == 3 ? atol(arguments[1]) : 0;
    const long kept = count == 3 ? atol(arguments[2]) : 0;
    if (sites < 1 || sites > long{workloads::most_sites} || kept < 0 || kept > long{most_kept}) {
        fputs("usage: peaks SITES KEPT\n", stderr);
        return 2;
    }
    run(static_cast<size_t>(sites), static_cast<size_t>(kept));
    return 0;
}
