// A snippet's code where it can be patched, and data between pages that cannot be read.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <string>

#include "runtime/codegen/x86_64/load_site.h"
#include "tests/runtime/codegen/x86_64/code_snippets.h"

namespace malloom::tests {

constexpr size_t page_bytes = 4096;

/// A page of data; the pages around it fault.
class Data {
  public:
    Data() {
        start_ = static_cast<unsigned char*>(
            mmap(nullptr, 3 * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(page(), page_bytes, PROT_READ | PROT_WRITE);
    }
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
    ~Data() { munmap(start_, 3 * page_bytes); }

    unsigned char* page() const { return start_ + page_bytes; }
    std::string content() const { return {reinterpret_cast<const char*>(page()), page_bytes}; }

    void fill() {
        for (size_t i = 0; i < page_bytes; ++i) {
            page()[i] = byte_at(i);
        }
    }
    static uint64_t word_at(size_t offset) {
        uint64_t word = 0;
        for (size_t i = 0; i < 8; ++i) {
            word |= static_cast<uint64_t>(byte_at(offset + i)) << (8 * i);
        }
        return word;
    }

  private:
    static unsigned char byte_at(size_t offset) {
        return static_cast<unsigned char>(offset * 37 + offset / 251);
    }

    unsigned char* start_;
};

/// A copy of one snippet in executable memory of its own.
class CodePage {
  public:
    explicit CodePage(const Snippet& snippet) : snippet_(snippet) {
        // With nothing in reach, so that it does not depend on the system what can be patched.
        copy_ = static_cast<unsigned char*>(mmap(reinterpret_cast<void*>(0x7e9000000000), page_bytes,
                                                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        memset(copy_, 0x90, page_bytes);
        memcpy(copy_, snippet.start, size());
        mprotect(copy_, page_bytes, PROT_READ | PROT_EXEC);
    }
    CodePage(const CodePage&) = delete;
    CodePage& operator=(const CodePage&) = delete;
    ~CodePage() {
        if (is_changed()) {
            munmap(page_of(trampoline()), page_bytes);
        }
        munmap(copy_, page_bytes);
    }

    /// The same place of the snippet's own code, in the copy.
    const void* at(const unsigned char* original) const { return copy_ + (original - snippet_.start); }

    codegen::x86_64::LoadSite site(const Snippet& snippet,
                                   const formats::plan::PlanPrefetch& prefetch) const {
        codegen::x86_64::LoadSite site;
        site.prefetch = &prefetch;
        site.address = reinterpret_cast<uintptr_t>(at(snippet.load));
        site.function = reinterpret_cast<uintptr_t>(copy_);
        site.end = site.function + page_bytes;
        site.protection = PROT_READ | PROT_EXEC;
        return site;
    }

    bool is_changed() const { return memcmp(copy_, snippet_.start, size()) != 0; }

    /// Makes the trampoline's prefetch a `lea` whose result is rcx.
    void turn_prefetch_into_address() {
        unsigned char* prefetch = trampoline();
        void* page = page_of(prefetch);
        ASSERT_EQ(mprotect(page, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
        bool has_rex = false;
        while (prefetch[0] != 0x0f || prefetch[1] != 0x18) {
            has_rex = (prefetch[0] & 0xf0) == 0x40;
            ++prefetch;
        }
        if (has_rex) {
            prefetch[0] = prefetch[-1] | 8;
            prefetch[-1] = 0x90;
        } else {
            prefetch[0] = 0x48;
        }
        prefetch[1] = 0x8d;
    }

  private:
    size_t size() const { return static_cast<size_t>(snippet_.end - snippet_.start); }

    static void* page_of(unsigned char* address) {
        return address - reinterpret_cast<uintptr_t>(address) % page_bytes;
    }

    /// Where the jump in the load's place leads.
    unsigned char* trampoline() const {
        auto* code = copy_ + (snippet_.load - snippet_.start);
        while (*code == 0x26) {
            ++code;
        }
        int32_t distance = 0;
        memcpy(&distance, code + 1, sizeof distance);
        return code + 5 + distance;
    }

    Snippet snippet_;
    unsigned char* copy_;
};

}  // namespace malloom::tests
