# ruff: noqa: E501  (names are long, and each stands beside what becomes of it)
"""Names of functions as reports show them."""

import re
import subprocess
from pathlib import Path

import pytest

from malloom.report.names import demangle, is_of_library, short_name

STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN6shapes3useEi", "shapes::use(int)"),
        ("_RNvMs6_NtNtCsduwmD7cSIQq_5gimli4read6abbrevNtB5_10Attributes4push", "<gimli::read::abbrev::Attributes>::push"),
        ("_ZN5alloc3vec12Vec$LT$T$GT$4push17h0123456789abcdefE", "alloc::vec::Vec<T>::push"),
        ("_ZN4core3ptr25drop$u7b$$u7b$x$u7d$$u7d$17h0123456789abcdefE.llvm.77", "core::ptr::drop{{x}}"),
        ("_Reset", "_Reset"),
        ("_Z29name17h0123456789abcdefE_tailv", "name17h0123456789abcdefE_tail()"),
        ("xmalloc", "xmalloc"),
        ("malloc@@GLIBC_2.2.5", "malloc"),
        ("_ZNnonsense", "_ZNnonsense"),
        ("", ""),
    ],
)  # fmt: skip
def test_symbols_are_demangled(symbol: str, name: str) -> None:
    assert demangle(symbol) == name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (f"std::vector<{STRING}, std::allocator<{STRING} > >::push_back({STRING}&&)", "std::vector<…>::push_back"),
        (f"void std::vector<{STRING} >::_M_insert<{STRING} const&>(int*)", "std::vector<…>::_M_insert<…>"),
        ("std::_Function_handler<void (int), x>::_M_invoke(x&&) [clone .cold]", "std::_Function_handler<…>::_M_invoke [clone .cold]"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"),
        ("foo(int) const::{lambda()#1}::operator()() const", "foo::{lambda#1}::operator()"),
        ("operator new(unsigned long)", "operator new"),
        ("operator delete[](void*)", "operator delete[]"),
        ("Foo::operator unsigned long() const", "Foo::operator unsigned long"),
        ("std::ostream& std::operator<< <std::char_traits<char> >(char const*)", "std::operator<< <…>"),
        ("operator+<char, std::char_traits<char> >", "operator+<…>"),
        ("A& A::operator->*(int)", "A::operator->*"),
        ("std::unique_ptr<A> shapes::(anonymous namespace)::make<int>(int)", "shapes::(anonymous namespace)::make<…>"),
        ("std::enable_if<(1 > 2), int>::type f<int>(int)", "f<…>"),
        ("std::__cxx11::to_string[abi:cxx11](int)", "std::__cxx11::to_string"),
        ("f(int (*)(char), std::map<int, int>)", "f"),
        ("non-virtual thunk to A::f()", "A::f"),
        ("<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop"),
        ("core::ptr::drop_in_place::<alloc::boxed::Box<[u8]>>", "core::ptr::drop_in_place::<…>"),
        ("std::rt::lang_start::{{closure}}", "std::rt::lang_start::{{closure}}"),
        ("decltype(auto) foo<int>(int)", "foo<…>"),
        ("decltype (f(1)) shapes::area(int)", "shapes::area"),
        ("A<(1>2)>::f()", "A<…>::f"),
        ("A<((1<2)&&(2>1)), B<int> >::f()", "A<…>::f"),
        ("xmalloc", "xmalloc"),
        ("broken<(name", "broken<…>"),
        (")>", ")>"),
    ],
)  # fmt: skip
def test_names_are_shortened(name: str, short: str) -> None:
    assert short_name(name) == short


def test_every_name_of_the_cpp_library_is_shortened_to_something() -> None:
    """Whatever a demangler gives: no name becomes empty, keeps arguments or fails."""
    command = ["g++", "-print-file-name=libstdc++.so.6"]
    library = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    functions = re.findall(r" [TW] (_Z[^@\n]*)", symbols)
    assert len(functions) > 1000
    for symbol in functions:
        short = short_name(demangle(symbol))
        assert short, symbol
        assert not re.search(r"\w\((?!\))", short.replace("(anonymous namespace)", "")), short
        assert not re.search(r"<[^…=< -]", short.replace("operator<", "")), short


@pytest.mark.parametrize(
    ("name", "file", "expected"),
    [
        ("std::vector<…>::push_back", "", True),
        ("<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop", "", True),
        ("_M_create<…>", "/usr/include/c++/12/bits/std_function.h", True),
        ("<u8 as x::Y>::from_elem", "/rustc/59807616/library/alloc/src/vec/mod.rs", True),
        ("shapes::fill", "/project/shapes.cpp", False),
        ("stdlib_of_mine::push", "", False),
    ],
)
def test_functions_of_standard_libraries_are_known(name: str, file: str, expected: bool) -> None:
    assert is_of_library(name, file) == expected


@pytest.mark.parametrize("name", ["b", "i", "main", "St6vector"])
def test_a_name_of_c_is_no_type_of_cpp(name: str) -> None:
    assert demangle(name) == name
