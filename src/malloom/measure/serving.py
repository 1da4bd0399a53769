"""Which allocator serves malloc in this process: its name and version as its library says them, and its file.

Run as a script under a preloaded allocator, it prints them as JSON. It imports nothing of malloom: it starts
quickly, and where malloom is not installed.
"""

import ctypes
import json

BUILT_FROM = ("malloom_mimalloc_build", "malloom_jemalloc_build", "malloom_snmalloc_build")
"""What libraries that malloom's source tree builds say of their source and compiler."""


class _SymbolPlace(ctypes.Structure):
    """Dl_info of dladdr(3)."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def serving() -> dict[str, str]:
    """`name`, `version` and `file` of the allocator, and `built_from` where its library says it."""
    file = _file_of_malloc()
    library = ctypes.CDLL(file)
    name, version = _name_and_version(library)
    found = {"name": name, "version": version, "file": file}
    for symbol in BUILT_FROM:
        if hasattr(library, symbol):
            text = ctypes.addressof(ctypes.c_char.in_dll(library, symbol))
            found["built_from"] = ctypes.string_at(text).decode()
    return found


def _file_of_malloc() -> str:
    process = ctypes.CDLL(None)
    place = _SymbolPlace()
    process.dladdr(ctypes.cast(process.malloc, ctypes.c_void_p), ctypes.byref(place))
    return str(place.file.decode())


def _name_and_version(library: ctypes.CDLL) -> tuple[str, str]:
    # A library's symbols include those of the C library below it, which therefore comes last.
    if hasattr(library, "mi_version"):
        return "mimalloc", _mimalloc_version(library.mi_version())
    if hasattr(library, "mallctl"):
        return "jemalloc", _jemalloc_version(library)
    if hasattr(library, "malloom_snmalloc_version"):
        text = ctypes.addressof(ctypes.c_char.in_dll(library, "malloom_snmalloc_version"))
        return "snmalloc", ctypes.string_at(text).decode()
    if hasattr(library, "tc_version"):
        return "tcmalloc", _text(library, "tc_version", None, None, None).removeprefix("gperftools ")
    if hasattr(library, "gnu_get_libc_version"):
        return "glibc", _text(library, "gnu_get_libc_version")
    return "unknown", ""


def _mimalloc_version(number: int) -> str:
    """2.0.9 of 209, 3.3.2 of 30302: newer ones have two digits each for minor and patch."""
    minor_unit = 10 if number < 1000 else 100
    rest, patch = divmod(number, minor_unit)
    major, minor = divmod(rest, minor_unit)
    return f"{major}.{minor}.{patch}"


def _jemalloc_version(library: ctypes.CDLL) -> str:
    """5.3.0 of 5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c."""
    text = ctypes.c_char_p()
    size = ctypes.c_size_t(ctypes.sizeof(text))
    library.mallctl(b"version", ctypes.byref(text), ctypes.byref(size), None, ctypes.c_size_t(0))
    return (text.value or b"").decode().partition("-")[0]


def _text(library: ctypes.CDLL, symbol: str, *arguments: None) -> str:
    function = getattr(library, symbol)
    function.restype = ctypes.c_char_p
    return str(function(*arguments).decode())


if __name__ == "__main__":
    print(json.dumps(serving()))
