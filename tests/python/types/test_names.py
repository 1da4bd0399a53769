"""Names of types as they are shown."""

import pytest

from malloom.types.names import arguments_of, readable

STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        ("struct node", "struct node"),
        (STRING, "std::string"),
        (f"std::vector<{STRING}, std::allocator<{STRING} > >", "std::vector<std::string>"),
        ("std::unique_ptr<Shape, std::default_delete<Shape> >", "std::unique_ptr<Shape>"),
        ("std::unique_ptr<Shape, free_shape>", "std::unique_ptr<Shape, free_shape>"),
        ("std::pair<const int, char *>", "std::pair<const int, char*>"),
        ("std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>, std::allocator<int> >",
         "std::_Rb_tree<int, int, std::_Identity<int>>"),
        ("alloc::vec::Vec<u8, alloc::alloc::Global>", "Vec<u8>"),
        ("(u64, alloc::string::String)", "(u64, String)"),
        ("a<b", "a<b"),
    ],
)  # fmt: skip
def test_what_goes_without_saying_is_left_out(whole: str, shown: str) -> None:
    assert readable(whole) == shown


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("with_capacity_in<u8, alloc::alloc::Global>", ["u8", "alloc::alloc::Global"]),
        ("new<(u64, Vec<u8, A>), B<C, D>>", ["(u64, Vec<u8, A>)", "B<C, D>"]),
        ("main", []),
        ("<impl>", []),
    ],
)
def test_arguments_are_told_apart(function: str, arguments: list[str]) -> None:
    assert arguments_of(function) == arguments
