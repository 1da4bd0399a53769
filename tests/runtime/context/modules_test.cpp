#include "runtime/context/modules.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "formats/context_hash.h"
#include "runtime/context/loaded_object.h"

namespace {

using malloom::context::find_loaded_object;
using malloom::context::find_loaded_object_by_iteration;
using malloom::context::find_module;
using malloom::context::LoadedObject;
using malloom::context::Module;
using malloom::context::module_of_caller;
using malloom::context::stable_hash;

template <class Function>
uintptr_t address_of(Function* function) {
    return reinterpret_cast<uintptr_t>(function);
}

struct Library {
    explicit Library(const char* path) : handle(dlopen(path, RTLD_NOW)) {}
    ~Library() { close(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    void close() {
        if (handle != nullptr) {
            dlclose(handle);
        }
        handle = nullptr;
    }
    uintptr_t call_back() const { return reinterpret_cast<uintptr_t>(dlsym(handle, "call_back")); }
    void* handle;
};

int in_this_program() {
    return 1;
}

TEST(Modules, KnowTheProgramItself) {
    const Module* module = find_module(address_of(in_this_program));
    ASSERT_NE(module, nullptr);
    EXPECT_NE(std::string(module->path).find("context_test"), std::string::npos);
    EXPECT_EQ(find_module(address_of(in_this_program)), module);
    EXPECT_EQ(malloom::context::module_at(module->index), module);
}

TEST(Modules, KnowTheCLibraryByItsBuildId) {
    const Module* module = find_module(address_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")));
    ASSERT_NE(module, nullptr);
    EXPECT_NE(std::string(module->path).find("libc.so"), std::string::npos);
    EXPECT_EQ(module->build_id_bytes, 20U);
    EXPECT_EQ(module->hash, malloom::formats::module_hash(module->build_id, module->build_id_bytes));
    Dl_info info{};
    link_map* map = nullptr;
    dladdr1(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &info, reinterpret_cast<void**>(&map),
            RTLD_DL_LINKMAP);
    EXPECT_EQ(module->bias, map->l_addr);
    EXPECT_EQ(module->base, reinterpret_cast<uintptr_t>(info.dli_fbase));
}

TEST(Modules, DoNotKnowOtherMemory) {
    const std::vector<char> memory(10);
    EXPECT_EQ(find_module(reinterpret_cast<uintptr_t>(memory.data())), nullptr);
    EXPECT_EQ(find_module(0), nullptr);
    EXPECT_EQ(find_module(~uintptr_t{0}), nullptr);
}

// The lock-free way and dl_iterate_phdr tell the same about every object.
TEST(Modules, AreTheSameFoundEitherWay) {
    std::set<uintptr_t> addresses;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            for (size_t i = 0; i < info->dlpi_phnum; ++i) {
                if (info->dlpi_phdr[i].p_type == PT_LOAD) {
                    static_cast<std::set<uintptr_t>*>(data)->insert(info->dlpi_addr +
                                                                    info->dlpi_phdr[i].p_vaddr + 1);
                }
            }
            return 0;
        },
        &addresses);
    EXPECT_GT(addresses.size(), 10U);
    for (const uintptr_t address : addresses) {
        LoadedObject one;
        LoadedObject other;
        ASSERT_TRUE(find_loaded_object(address, one));
        ASSERT_TRUE(find_loaded_object_by_iteration(address, other));
        EXPECT_EQ(one.base, other.base);
        EXPECT_EQ(one.end, other.end);
        EXPECT_EQ(one.bias, other.bias);
        EXPECT_EQ(one.build_id, other.build_id);
        EXPECT_EQ(one.unwind.header, other.unwind.header);
        EXPECT_EQ(one.unwind.segment.bytes, other.unwind.segment.bytes);
    }
}

// Of this test, which is linked so.
TEST(Modules, WithHolesAreWhole) {
    const auto address = reinterpret_cast<uintptr_t>(&find_module);
    dl_find_object found;
    ASSERT_EQ(_dl_find_object(reinterpret_cast<void*>(address), &found), 0);
    ASSERT_NE(reinterpret_cast<uintptr_t>(found.dlfo_map_start), found.dlfo_link_map->l_addr) << "no holes";
    LoadedObject object;
    ASSERT_TRUE(find_loaded_object(address, object));
    EXPECT_EQ(object.base, object.bias);
    EXPECT_GT(object.build_id_bytes, 0U);
    EXPECT_NE(object.unwind.header, 0U);
    EXPECT_EQ(find_module(address), find_module(object.base));
}

TEST(Modules, TellLibrariesApartThatTakeTurns) {
    Library first(CHAIN_LIBRARY);
    const uintptr_t first_address = first.call_back();
    const Module* one = find_module(first_address);
    ASSERT_NE(one, nullptr);
    first.close();
    EXPECT_EQ(find_module(first_address), one) << "what is gone is remembered";
    Library twin(CHAIN_LIBRARY_TWIN_PATH);
    const Module* two = find_module(twin.call_back());
    ASSERT_NE(two, nullptr);
    EXPECT_NE(one->index, two->index);
    EXPECT_NE(one->hash, two->hash);
    EXPECT_NE(std::string(one->path), two->path);
}

TEST(Modules, OfCallersAreRemembered) {
    Library library(CHAIN_LIBRARY);
    const uintptr_t address = library.call_back();
    const Module* module = find_module(address);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(module_of_caller(address), module);
    EXPECT_EQ(module_of_caller(address), module);
    EXPECT_NE(module_of_caller(reinterpret_cast<uintptr_t>(&dlopen) + 1), module);
    EXPECT_EQ(module_of_caller(1), nullptr);
    EXPECT_EQ(module_of_caller(~uintptr_t{0}), nullptr) << "no user address";
}

TEST(Modules, GetOneIndexFromManyThreads) {
    Library library(CHAIN_LIBRARY);
    const uintptr_t address = library.call_back();
    std::vector<const Module*> found(16);
    std::vector<std::thread> threads;
    threads.reserve(found.size());
    for (const Module*& module : found) {
        threads.emplace_back([&module, address] { module = find_module(address); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const Module* module : found) {
        EXPECT_EQ(module, found[0]);
    }
}

TEST(StableHash, IsWhatTheFormatSays) {
    const uintptr_t frames[] = {address_of(in_this_program),
                                address_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")), 8};
    uint64_t expected = malloom::formats::context_seed;
    for (int i = 0; i < 2; ++i) {
        const Module* module = find_module(frames[i]);
        expected = malloom::formats::fold_frame(
            expected, malloom::formats::frame_hash(module->hash, frames[i] - module->bias));
    }
    expected = malloom::formats::fold_frame(expected, malloom::formats::frame_hash(0, 0));
    EXPECT_EQ(stable_hash(frames, 3), expected);
    EXPECT_EQ(stable_hash(frames, 0), malloom::formats::context_seed);
}

}  // namespace
