// Records that last among the parts of batches that are freed at once. Prints a sum, and last the KiB that
// are resident when the batches are gone.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

long resident_kib() {
    FILE* file = fopen("/proc/self/statm", "r");
    long pages = 0;
    const bool is_read = file != nullptr && fscanf(file, "%*d %ld", &pages) == 1;
    if (file != nullptr) {
        fclose(file);
    }
    return is_read ? pages * 4 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: lifetimes BATCHES PARTS EACH\n");
        return 2;
    }
    const long batches = atol(argv[1]);
    const long parts = atol(argv[2]);
    const long each = atol(argv[3]);
    std::vector<char*> batch;
    std::vector<char*> records;
    batch.reserve(static_cast<size_t>(parts));
    records.reserve(static_cast<size_t>(batches * (parts / each + 1)));
    unsigned long sum = 0;
    for (long i = 0; i < batches; ++i) {
        for (long j = 0; j < parts; ++j) {
            const size_t bytes = 40 + static_cast<size_t>(j * 7 % 160);
            batch.push_back(static_cast<char*>(malloc(bytes)));
            memset(batch.back(), static_cast<int>(j), bytes);
            if (j % each == 0) {
                records.push_back(static_cast<char*>(malloc(bytes)));
                memset(records.back(), static_cast<int>(i), bytes);
            }
        }
        for (char* object : batch) {
            sum += static_cast<unsigned char>(object[39]);
            free(object);
        }
        batch.clear();
    }
    for (const char* object : records) {
        sum += static_cast<unsigned char>(object[0]);
    }
    printf("%lu\n", sum);
    printf("%ld\n", resident_kib());
    return 0;
}
