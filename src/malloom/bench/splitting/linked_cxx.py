"""Programs in C++ whose links are measured, beside those that the part `debian` has: first those of 20,000
lines and more."""

from malloom.bench.debian.recipes import CPPCHECK as CPPCHECK_SOURCES
from malloom.bench.debian.recipes import GROFF as GROFF_SOURCES
from malloom.bench.debian_sources import Package
from malloom.bench.splitting.linked_program import LinkedProgram

CPPCHECK = LinkedProgram(
    "cppcheck",
    "C++",
    CPPCHECK_SOURCES,
    "",
    'make cppcheck CXX="$CXX" CXXFLAGS="$CXXFLAGS" LDFLAGS="$LDFLAGS"',
    "cppcheck",
    "-q cli/main.cpp",
    ("lib", "cli", "externals"),
    90.0,
)
GROFF = LinkedProgram(
    "troff",
    "C++",
    *GROFF_SOURCES,
    "troff",
    "-v",
    ("src/roff/troff", "src/libs", "src/include"),
    30.0,
)
SWIG = LinkedProgram(
    "swig",
    "C++",
    Package(
        "swig",
        "4.1.0-0.2",
        "swig_4.1.0.orig.tar.gz",
        "d6a9a8094e78f7cfb6f80a73cc271e1fe388c8638ed22668622c2c646df5bb3d",
    ),
    "./configure -q --without-pcre --disable-ccache",
    "make -C Source",
    "Source/eswig",
    "-version",
    ("Source",),
    40.0,
)
WABT = LinkedProgram(
    "wabt",
    "C++",
    Package(
        "wabt",
        "1.0.32-1",
        "wabt_1.0.32.orig.tar.xz",
        "2e9fbcbe0ef64042f9691d995116954bc84823fe747a593d80a873566a18cba8",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE= -DBUILD_TESTS=OFF -DBUILD_LIBWASM=OFF",
    "make -C build wasm-interp",
    "build/wasm-interp",
    "--version",
    ("src", "include"),
    60.0,
)
FLATBUFFERS = LinkedProgram(
    "flatbuffers",
    "C++",
    Package(
        "flatbuffers",
        "2.0.8+dfsg1-2",
        "flatbuffers_2.0.8+dfsg1.orig.tar.xz",
        "424b8c76568e718a1a05c3fbc6b2070c83b5e55d9b48568fa4f744e9bcd1163a",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE= "
    "-DFLATBUFFERS_BUILD_TESTS=OFF -DFLATBUFFERS_LIBCXX_WITH_CLANG=OFF",
    "make -C build flatc",
    "build/flatc",
    "--version",
    ("src", "include"),
    60.0,
)
CAPNPROTO = LinkedProgram(
    "capnproto",
    "C++",
    Package(
        "capnproto",
        "0.9.2-2",
        "capnproto_0.9.2.orig.tar.gz",
        "4031e9c9158fce1979baf3c5234315c1be74b273c0be9f6c4aaf4d0dfda52542",
    ),
    "./configure -q --disable-shared --without-openssl",
    "make capnp",
    "capnp",
    "--version",
    ("src/capnp", "src/kj"),
    90.0,
)
GLSLANG = LinkedProgram(
    "glslang",
    "C++",
    Package(
        "glslang",
        "12.0.0-2",
        "glslang_12.0.0.orig.tar.gz",
        "7cb45842ec1d4b6ea775d624c3d2d8ba9450aa416b0482b0cc7e4fdd399c3d75",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE= -DBUILD_EXTERNAL=OFF "
    "-DENABLE_OPT=OFF -DENABLE_PCH=OFF -DENABLE_CTEST=OFF",
    "make -C build glslangValidator",
    "build/StandAlone/glslangValidator",
    "--version",
    ("glslang", "SPIRV", "StandAlone", "OGLCompilersDLL"),
    90.0,
)
CADICAL = LinkedProgram(
    "cadical",
    "C++",
    Package(
        "cadical",
        "1.5.3-2",
        "cadical_1.5.3.orig.tar.gz",
        "0ff521ed36d57478a8dbc610e0d27536c9d3a2154d859152f33f8733a6dca31e",
    ),
    # Its makefile has no options for links alone.
    'CXXFLAGS="$CXXFLAGS $LDFLAGS" ./configure',
    "make -C build cadical",
    "build/cadical",
    "--version",
    ("src",),
    45.0,
)
EXIV2 = LinkedProgram(
    "exiv2",
    "C++",
    Package(
        "exiv2",
        "0.27.6-1",
        "exiv2_0.27.6.orig.tar.gz",
        "f16ee5ff08b6994c66106109417857f13e711fca100ac43c6a403d4f02b59602",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE= -DBUILD_SHARED_LIBS=OFF "
    "-DEXIV2_BUILD_SAMPLES=OFF -DEXIV2_ENABLE_PNG=OFF",
    "make -C build exiv2",
    "build/bin/exiv2",
    "--version",
    ("src", "include", "xmpsdk"),
    90.0,
)
CLUSTALW = LinkedProgram(
    "clustalw",
    "C++",
    Package(
        "clustalw",
        "2.1+lgpl-7",
        "clustalw_2.1+lgpl.orig.tar.gz",
        "e052059b87abfd8c9e695c280bfba86a65899138c82abccd5b00478a80f49486",
    ),
    # It has variables in registers.
    './configure -q CXXFLAGS="$CXXFLAGS -std=gnu++14"',
    "make -C src",
    "src/clustalw2",
    "-help || true",
    ("src",),
    20.0,
)
GNUCHESS = LinkedProgram(
    "gnuchess",
    "C++",
    Package(
        "gnuchess",
        "6.2.7-1+deb12u1",
        "gnuchess_6.2.7.orig.tar.gz",
        "e536675a61abe82e61b919f6b786755441d9fcd4c21e1c82fb9e5340dd229846",
    ),
    # It has variables in registers.
    './configure -q --disable-nls --without-readline CXXFLAGS="$CXXFLAGS -std=gnu++14"',
    "make -C src",
    "src/gnuchess",
    "--version",
    ("src",),
    25.0,
)
GPERF = LinkedProgram(
    "gperf",
    "C++",
    Package(
        "gperf",
        "3.1-1",
        "gperf_3.1.orig.tar.gz",
        "1f88819b78187350e7e6ca24b5e15cbf4083659773508d3f018b9b525e9d1cb8",
    ),
    # It has variables in registers.
    './configure -q CXXFLAGS="$CXXFLAGS -std=gnu++14"',
    "make -C lib && make -C src",
    "src/gperf",
    "--version",
    ("src", "lib"),
    5.0,
)
LZIP = LinkedProgram(
    "lzip",
    "C++",
    Package(
        "lzip",
        "1.23-5",
        "lzip_1.23.orig.tar.xz",
        "d269d8e204579cb7047d6187bce741acb484a27e24cf24f20cf017c48574147c",
    ),
    # Its options are no variables.
    './configure CXX="$CXX" CXXFLAGS="$CXXFLAGS" LDFLAGS="$LDFLAGS"',
    "make",
    "lzip",
    "-c COPYING",
    (),
    3.0,
)

PROGRAMS = (
    CPPCHECK,
    GROFF,
    SWIG,
    WABT,
    FLATBUFFERS,
    CAPNPROTO,
    GLSLANG,
    CADICAL,
    EXIV2,
    CLUSTALW,
    GNUCHESS,
    GPERF,
    LZIP,
)
