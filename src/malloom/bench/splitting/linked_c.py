"""Programs in C whose links are measured, beside those of GNU and those that the part `debian` has."""

from malloom.bench.debian_sources import Package
from malloom.bench.splitting.linked_program import LinkedProgram

BROTLI = LinkedProgram(
    "brotli",
    "C",
    Package(
        "brotli",
        "1.0.9-2",
        "brotli_1.0.9.orig.tar.gz",
        "f9e8d81d0405ba66d181529af42a3354f838c939095ff99930da6aa9cdf6fe46",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE= -DBROTLI_DISABLE_TESTS=ON",
    "make -C build brotli",
    "build/brotli",
    "-c LICENSE",
    ("c",),
    15.0,
)
BYACC = LinkedProgram(
    "byacc",
    "C",
    Package(
        "byacc",
        "1:2.0.20221106-1",
        "byacc_2.0.20221106.orig.tar.gz",
        "a899be227bbcac9cf7700f7dbb5a8494688f1f9f0617b510762daeace47b9d12",
    ),
    "./configure -q",
    "make",
    "yacc",
    "-V",
    (),
    4.0,
)
BZIP2 = LinkedProgram(
    "bzip2",
    "C",
    Package(
        "bzip2",
        "1.0.8-5",
        "bzip2_1.0.8.orig.tar.gz",
        "ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269",
    ),
    "",
    'make CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" AR="$AR" RANLIB="$RANLIB" bzip2',
    "bzip2",
    "-c LICENSE",
    (),
    3.0,
)
CMARK = LinkedProgram(
    "cmark",
    "C",
    Package(
        "cmark",
        "0.30.2-6",
        "cmark_0.30.2.orig.tar.gz",
        "6c7d2bcaea1433d977d8fed0b55b71c9d045a7cdf616e3cd2dce9007da753db3",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE= -DCMARK_TESTS=OFF -DCMARK_SHARED=OFF",
    "make -C build cmark_exe",
    "build/src/cmark",
    "README.md",
    ("src",),
    6.0,
)
DASH = LinkedProgram(
    "dash",
    "C",
    Package(
        "dash",
        "0.5.12-2",
        "dash_0.5.12.orig.tar.gz",
        "6a474ac46e8b0b32916c4c60df694c82058d3297d8b385b74508030ca4a8f28a",
    ),
    "./configure -q",
    "make",
    "src/dash",
    "-c 'echo $((6 * 7))'",
    ("src",),
    6.0,
)
DUKTAPE = LinkedProgram(
    "duktape",
    "C",
    Package(
        "duktape",
        "2.7.0-2",
        "duktape_2.7.0.orig.tar.xz",
        "90f8d2fa8b5567c6899830ddef2c03f3c27960b11aca222fa17aa7ac613c2890",
    ),
    "",
    'make -f Makefile.cmdline CC="$CC" CCOPTS="$CFLAGS -I./examples/cmdline -I./src" '
    "CMDLINE_SOURCES=examples/cmdline/duk_cmdline.c duk",
    "duk",
    "mandel.js",
    ("src", "examples/cmdline"),
    15.0,
)
FLEX = LinkedProgram(
    "flex",
    "C",
    Package(
        "flex",
        "2.6.4-8.2",
        "flex_2.6.4.orig.tar.gz",
        "e87aae032bf07c26f85ac0ed3250998c37621d95f8bd748b31f15b33c45ee995",
    ),
    # reallocarray is declared for GNU's sources only.
    './configure -q --disable-nls --disable-shared --disable-bootstrap CFLAGS="$CFLAGS -D_GNU_SOURCE"',
    "make -C lib && make -C src flex",
    "src/flex",
    "--version",
    ("src", "lib"),
    6.0,
)
LAME = LinkedProgram(
    "lame",
    "C",
    Package(
        "lame",
        "3.100-6",
        "lame_3.100.orig.tar.gz",
        "ddfe36cab873794038ae2c1210557ad34857a4b6bdc515785d1da9e175b1da1e",
    ),
    "./configure -q --disable-shared --disable-nasm --disable-gtktest --disable-decoder",
    "make -C libmp3lame && make -C frontend lame",
    "frontend/lame",
    "--license",
    ("libmp3lame", "frontend", "include"),
    15.0,
)
LZ4 = LinkedProgram(
    "lz4",
    "C",
    Package(
        "lz4",
        "1.9.4-1",
        "lz4_1.9.4.orig.tar.gz",
        "0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b",
    ),
    "",
    "make -C programs lz4",
    "programs/lz4",
    "-c LICENSE",
    ("lib", "programs"),
    10.0,
)
MKSH = LinkedProgram(
    "mksh",
    "C",
    Package(
        "mksh",
        "59c-28+deb12u1",
        "mksh_59c.orig.tar.gz",
        "77ae1665a337f1c48c61d6b961db3e52119b38e58884d1c89684af31f87bc506",
    ),
    "",
    "sh Build.sh -r",
    "mksh",
    "-c 'echo $((6 * 7))'",
    (),
    10.0,
)
MUJS = LinkedProgram(
    "mujs",
    "C",
    Package(
        "mujs",
        "1.3.2-1",
        "mujs_1.3.2.orig.tar.xz",
        "4886593fc688b0cdccd31e5ecbe5afe7ad1bee23aa69e667b871afd5dfc640c3",
    ),
    "",
    'make CC="$CC" AR="$AR" XCFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" HAVE_READLINE=no build/release/mujs',
    "build/release/mujs",
    "/dev/null",
    (),
    6.0,
)
OPTIPNG = LinkedProgram(
    "optipng",
    "C",
    Package(
        "optipng",
        "0.7.7-2",
        "optipng_0.7.7.orig.tar.gz",
        "7be585e24e0aa3ad90bef051d10515bdc30a6074bdd2e8e20e84e91aaf254f7f",
    ),
    "./configure",
    'make -C src/optipng LDFLAGS="$LDFLAGS -s"',
    "src/optipng/optipng",
    "-v",
    ("src",),
    8.0,
)
RSYNC = LinkedProgram(
    "rsync",
    "C",
    Package(
        "rsync",
        "3.2.7-1+deb12u6",
        "rsync_3.2.7.orig.tar.gz",
        "4e7d9d3f6ed10878c58c5fb724a67dacf4b6aac7340b13e488fb2dc41346f2bb",
    ),
    "./configure -q --disable-openssl --disable-xxhash --disable-zstd --disable-lz4 "
    "--disable-md2man --with-included-popt --with-included-zlib --disable-acl-support "
    "--disable-xattr-support",
    "make rsync",
    "rsync",
    "--help",
    (".", "lib", "zlib", "popt"),
    15.0,
)
TIDY = LinkedProgram(
    "tidy",
    "C",
    Package(
        "tidy-html5",
        "2:5.6.0-11",
        "tidy-html5_5.6.0.orig.tar.gz",
        "08a63bba3d9e7618d1570b4ecd6a7daa83c8e18a41c82455b6308bc11fe34958",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE= -DBUILD_SHARED_LIB=OFF",
    "make -C build tidy",
    "build/tidy",
    "-help",
    ("src", "include", "console"),
    20.0,
)
XZ = LinkedProgram(
    "xz",
    "C",
    Package(
        "xz-utils",
        "5.4.1-1+deb12u1",
        "xz-utils_5.4.1.orig.tar.xz",
        "5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5",
    ),
    "./configure -q --disable-nls --disable-shared --disable-doc",
    "make -C src/liblzma && make -C src/xz",
    "src/xz/xz",
    "-c COPYING",
    ("src",),
    20.0,
)

PROGRAMS = (BROTLI, BYACC, BZIP2, CMARK, DASH, DUKTAPE, FLEX, LAME, LZ4, MKSH, MUJS, OPTIPNG, RSYNC, TIDY, XZ)
