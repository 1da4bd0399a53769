#include "hardware/cosim/operations.h"

#include <fstream>

namespace malloom::hardware {

namespace {

// Whether each free is of an object that lives.
bool are_whole(const Operations& operations) {
    std::vector<bool> lives;
    for (const int64_t operation : operations) {
        if (operation >= 0) {
            lives.push_back(true);
            continue;
        }
        const auto number = static_cast<uint64_t>(~operation);
        if (number >= lives.size() || !lives[number]) return false;
        lives[number] = false;
    }
    return true;
}

}  // namespace

std::optional<Operations> read_operations(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return std::nullopt;
    const std::streamoff bytes = file.tellg();
    if (bytes < 0 || static_cast<size_t>(bytes) % sizeof(int64_t) != 0) return std::nullopt;
    Operations operations(static_cast<size_t>(bytes) / sizeof(int64_t));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(operations.data()), bytes);
    if (!file || !are_whole(operations)) return std::nullopt;
    return operations;
}

}  // namespace malloom::hardware
