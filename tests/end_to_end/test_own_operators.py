"""A program that replaces some forms of operator new and delete alone: the others are to call its own."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Malloom = Callable[..., subprocess.CompletedProcess[str]]

# Each replaced form puts a header before its objects and counts them; all forms are used.
SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

static long living;
static long wrong;

static void* made(std::size_t bytes, std::size_t header) {
    auto* block = static_cast<char*>(std::aligned_alloc(header, (bytes + 2 * header - 1) / header * header));
    if (block == nullptr) throw std::bad_alloc();
    *reinterpret_cast<long*>(block + header - 8) = 4711;
    living++;
    return block + header;
}
static void gone(void* object, std::size_t header) {
    if (object == nullptr) return;
    auto* const mark = static_cast<long*>(object) - 1;
    wrong += *mark != 4711;
    *mark = 0;
    living--;
    std::free(static_cast<char*>(object) - header);
}
#ifdef PLAIN
void* operator new(std::size_t bytes) { return made(bytes, 16); }
void operator delete(void* object) noexcept { gone(object, 16); }
#endif
#ifdef ARRAY
void* operator new[](std::size_t bytes) { return made(bytes, 16); }
void operator delete[](void* object) noexcept { gone(object, 16); }
#endif
#ifdef ALIGNED
using Alignment = std::align_val_t;
void* operator new(std::size_t bytes, Alignment wanted) { return made(bytes, std::size_t(wanted)); }
void operator delete(void* object, Alignment had) noexcept { gone(object, std::size_t(had)); }
#endif

struct Small { int a[10]; };
struct alignas(64) Wide { char a[128]; };
struct Base { virtual ~Base() = default; long value = 1; };
struct Derived : Base { std::string text = std::string(100, 'x'); };
std::size_t volatile far_too_much = PTRDIFF_MAX / 2;

template <class Type>
static void both() {
    Type* volatile one = new Type;
    Type* volatile several = new Type[5];
    Type* volatile quiet = new (std::nothrow) Type;
    Type* volatile quiet_ones = new (std::nothrow) Type[3];
    delete one;
    delete[] several;
    delete quiet;
    delete[] quiet_ones;
    std::vector<Type> many(100);
    many.resize(1000);
}

int main() {
    for (int i = 0; i < 2000; i++) {
        both<Small>();
        both<Wide>();
        Base* volatile base = new Derived;
        delete base;
        delete static_cast<Base*>(nullptr);
        auto shared = std::make_shared<Small>();
    }
    char* none = new (std::nothrow) char[far_too_much];
    void* nothing = operator new(far_too_much, std::nothrow);
    bool is_thrown = false;
    try {
        Small* volatile all = new Small[far_too_much / 64];
        delete[] all;
    } catch (const std::bad_alloc&) {
        is_thrown = true;
    }
    std::printf("%ld living, %ld wrong, ", living, wrong);
    std::printf("%d %d %d\n", none == nullptr, nothing == nullptr, is_thrown);
}
"""

FORMS = {"none": [], "plain": ["-DPLAIN"], "array": ["-DARRAY"], "aligned": ["-DALIGNED"]}
FORMS["all"] = [flag for flags in FORMS.values() for flag in flags]
WAYS = {
    "fallback": ["run", "--statistics", "--heap", "fallback", "--"],
    "system": ["run", "--statistics", "--fallback", "system", "--"],
    "pools": ["run", "--heap", "pools", "--"],
    "record": ["record", "-o", "a.profile", "--force", "--accesses", "none", "--"],
}


@pytest.mark.parametrize("forms", FORMS)
def test_forms_that_are_not_replaced_call_those_that_are(
    malloom: Malloom, tmp_path: Path, forms: str
) -> None:
    source, program = tmp_path / "own.cpp", tmp_path / "own"
    source.write_text(SOURCE)
    flags = ["-std=c++17", "-O1", "-g", "-fsized-deallocation", "-fno-builtin", "-w", *FORMS[forms]]
    subprocess.run(["g++", *flags, source, "-o", program], check=True)
    alone = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert alone == "0 living, 0 wrong, 1 1 1\n"
    for way in WAYS.values():
        done = malloom(*way, program)
        assert (done.returncode, done.stdout) == (0, alone), (way, done.stderr)


PLUG_IN = r"""
#include <new>
#include <thread>
static const bool is_ready = [] {
    std::thread([] { delete new (std::nothrow) int; }).join();
    return true;
}();
"""
LOADS = r"""
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <string>
void* operator new(std::size_t bytes) { return std::malloc(bytes); }
void operator delete(void* object) noexcept { std::free(object); }
void operator delete(void* object, std::size_t) noexcept { std::free(object); }
int main(int, char** words) {
    delete new std::string(100, 'x');
    std::puts(dlopen(words[1], RTLD_NOW) != nullptr ? "loaded" : dlerror());
}
"""


def test_a_plug_in_may_wait_for_a_thread_that_asks_while_it_is_loaded(
    malloom: Malloom, tmp_path: Path
) -> None:
    gcc = ["g++", "-O1", "-x", "c++", "-", "-pthread", "-ldl", "-o"]
    plug_in, program = tmp_path / "plug_in.so", tmp_path / "loads"
    subprocess.run([*gcc, plug_in, "-shared", "-fPIC"], input=PLUG_IN, text=True, check=True)
    subprocess.run([*gcc, program, "-rdynamic"], input=LOADS, text=True, check=True)
    done = malloom("run", "--", program, plug_in)
    assert (done.returncode, done.stdout) == (0, "loaded\n"), done.stderr
