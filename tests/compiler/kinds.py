"""Small programs in LLVM's own language: an address goes through one kind of instruction or constant.

`INSTRUCTIONS` has one for each opcode, `CONSTANTS` for each class of constants, or says why there is none. A
program begins with `%object`, an object of the heap, and its lines make `%found` of it, which is the same
address. `%zero` and `%one` are numbers that nobody knows.
"""

from dataclasses import dataclass

BEFORE = """
target triple = "x86_64-unknown-linux-gnu"
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare i32 @__gxx_personality_v0(...)
@zero = global i64 0
@one = global i64 1
@text = private constant [5 x i8] c"%ld\\0A\\00"
"""
BEGINNING = """
  %zero = load volatile i64, ptr @zero
  %one = load volatile i64, ptr @one
  %object = call ptr @malloc(i64 24)
  %leaf = call ptr @malloc(i64 32)
  store i64 1, ptr %object
  %weight = getelementptr i8, ptr %object, i64 16
  store i64 20, ptr %weight
  store i64 300, ptr %leaf
  %size = getelementptr i8, ptr %leaf, i64 24
  store i64 4000, ptr %size
"""
END = """
  %link = getelementptr i8, ptr %found, i64 8
  store ptr %leaf, ptr %link
  %one.weight = getelementptr i8, ptr %found, i64 16
  store i64 50, ptr %one.weight
  %same.link = getelementptr i8, ptr %object, i64 8
  %same.leaf = load ptr, ptr %same.link
  %same.size = getelementptr i8, ptr %same.leaf, i64 24
  %a = load i64, ptr %same.size
  %b = load i64, ptr %weight
  %c = load i64, ptr %found
  %ab = add i64 %a, %b
  %abc = add i64 %ab, %c
  call i32 (ptr, ...) @printf(ptr @text, i64 %abc)
  call void @free(ptr %same.leaf)
  call void @free(ptr %found)
  ret i32 0
}
"""
OUT = b"4051\n"


@dataclass(frozen=True)
class Program:
    """Lines of main, and of the module before it."""

    lines: str
    module: str = ""

    def text(self) -> str:
        head = "define i32 @main() personality ptr @__gxx_personality_v0 {"
        return f"{BEFORE}{self.module}\n{head}{BEGINNING}{self.lines}{END}"


@dataclass(frozen=True)
class NoProgram:
    """Why no address can go through it where malloom's programs run."""

    why: str


WINDOWS = NoProgram("exceptions of Windows")
NO_ADDRESS = NoProgram("gives no value that an address could be in")
FRACTION = NoProgram(
    "what is calculated as a number with a fraction is no address (docs/decisions/splitting.md)"
)


def of_number(lines: str) -> Program:
    """From the number %n to the number %m, by way of memory @number where that is wanted."""
    return Program(
        f"  %n = ptrtoint ptr %object to i64\n{lines}\n  %found = inttoptr i64 %m to ptr",
        "@number = internal global [2 x i64] zeroinitializer",
    )


INSTRUCTIONS: dict[str, Program | NoProgram] = {
    "Ret": Program(
        "  %found = call ptr @same(ptr %object)",
        "define internal ptr @same(ptr %of) noinline { ret ptr %of }",
    ),
    "Br": Program(
        """  br label %on
on:
  %found = phi ptr [ %object, %0 ]"""
    ),
    "Switch": Program(
        """  %hidden = ptrtoint ptr %object to i64
  switch i64 %zero, label %far [ i64 0, label %near ]
far:
  br label %near
near:
  %m = phi i64 [ %hidden, %0 ], [ 0, %far ]
  %found = inttoptr i64 %m to ptr"""
    ),
    "IndirectBr": Program(
        """  store ptr blockaddress(@main, %on), ptr @where
  %to = load volatile ptr, ptr @where
  indirectbr ptr %to, [ label %on, label %off ]
off:
  br label %on
on:
  %found = phi ptr [ %object, %0 ], [ null, %off ]""",
        "@where = internal global ptr null",
    ),
    "Invoke": Program(
        """  %found = invoke ptr @same(ptr %object) to label %on unwind label %caught
caught:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
on:""",
        "define internal ptr @same(ptr %of) noinline { ret ptr %of }",
    ),
    "Resume": NoProgram(
        "what is thrown is requested by the C++ library (tests/compiler/cases/exceptions.cpp)"
    ),
    "Unreachable": NO_ADDRESS,
    "CleanupRet": WINDOWS,
    "CatchRet": WINDOWS,
    "CatchSwitch": WINDOWS,
    "CallBr": Program(
        """  %found = callbr ptr asm "", "=r,0,!i"(ptr %object) to label %on [label %off]
off:
  ret i32 1
on:"""
    ),
    "FNeg": FRACTION,
    "Add": of_number("  %m = add i64 %n, %zero"),
    "FAdd": FRACTION,
    "Sub": of_number("  %m = sub i64 %n, %zero"),
    "FSub": FRACTION,
    "Mul": of_number("  %m = mul i64 %n, %one"),
    "FMul": FRACTION,
    "UDiv": of_number("  %m = udiv i64 %n, %one"),
    "SDiv": of_number("  %m = sdiv i64 %n, %one"),
    "FDiv": FRACTION,
    "URem": of_number("  %no = sub i64 %zero, 1\n  %m = urem i64 %n, %no"),
    "SRem": of_number("  %no = or i64 %zero, 4611686018427387904\n  %m = srem i64 %n, %no"),
    "FRem": FRACTION,
    "Shl": of_number("  %m = shl i64 %n, %zero"),
    "LShr": of_number("  %m = lshr i64 %n, %zero"),
    "AShr": of_number("  %m = ashr i64 %n, %zero"),
    "And": of_number("  %no = sub i64 %zero, 1\n  %m = and i64 %n, %no"),
    "Or": of_number("  %m = or i64 %n, %zero"),
    "Xor": of_number("  %m = xor i64 %n, %zero"),
    "Alloca": Program(
        """  %place = alloca ptr
  store volatile ptr %object, ptr %place
  %found = load volatile ptr, ptr %place"""
    ),
    "Load": Program(
        """  store ptr %object, ptr @kept
  %found = load volatile ptr, ptr @kept""",
        "@kept = internal global ptr null",
    ),
    "Store": Program(
        """  store volatile ptr %object, ptr @kept
  %found = load ptr, ptr @kept""",
        "@kept = internal global ptr null",
    ),
    "GetElementPtr": Program("  %found = getelementptr i8, ptr %object, i64 %zero"),
    "Fence": NO_ADDRESS,
    "AtomicCmpXchg": Program(
        """  %both = cmpxchg ptr @kept, ptr null, ptr %object seq_cst seq_cst
  %second = cmpxchg ptr @kept, ptr null, ptr null seq_cst seq_cst
  %found = extractvalue { ptr, i1 } %second, 0""",
        "@kept = internal global ptr null",
    ),
    "AtomicRMW": Program(
        """  %n = ptrtoint ptr %object to i64
  %before = atomicrmw xor ptr @kept, i64 %n seq_cst
  %found = load volatile ptr, ptr @kept""",
        "@kept = internal global i64 0",
    ),
    "Trunc": of_number(
        """  %upper = lshr i64 %n, 32
  %low = trunc i64 %n to i32
  %high = trunc i64 %upper to i32
  store volatile i32 %low, ptr @number
  store volatile i32 %high, ptr getelementptr (i8, ptr @number, i64 8)
  %l = load volatile i32, ptr @number
  %h = load volatile i32, ptr getelementptr (i8, ptr @number, i64 8)
  %wide.l = zext i32 %l to i64
  %wide.h = zext i32 %h to i64
  %shifted = shl i64 %wide.h, 32
  %m = or i64 %shifted, %wide.l"""
    ),
    "ZExt": of_number("  %wide = zext i64 %n to i128\n  %w = shl i128 %wide, 0\n  %m = trunc i128 %w to i64"),
    "SExt": of_number("  %wide = sext i64 %n to i128\n  %w = shl i128 %wide, 0\n  %m = trunc i128 %w to i64"),
    "FPToUI": of_number(
        "  %f = uitofp i64 %n to double\n  store volatile double %f, ptr @number\n"
        "  %g = load volatile double, ptr @number\n  %m = fptoui double %g to i64"
    ),
    "FPToSI": of_number(
        "  %f = sitofp i64 %n to double\n  store volatile double %f, ptr @number\n"
        "  %g = load volatile double, ptr @number\n  %m = fptosi double %g to i64"
    ),
    "UIToFP": of_number(
        "  %f = uitofp i64 %n to x86_fp80\n  store volatile x86_fp80 %f, ptr @number\n"
        "  %g = load volatile x86_fp80, ptr @number\n  %m = fptoui x86_fp80 %g to i64"
    ),
    "SIToFP": of_number(
        "  %f = sitofp i64 %n to x86_fp80\n  store volatile x86_fp80 %f, ptr @number\n"
        "  %g = load volatile x86_fp80, ptr @number\n  %m = fptosi x86_fp80 %g to i64"
    ),
    "FPTrunc": FRACTION,
    "FPExt": FRACTION,
    "PtrToInt": of_number("  store volatile i64 %n, ptr @number\n  %m = load volatile i64, ptr @number"),
    "PtrToAddr": Program("  %m = ptrtoaddr ptr %object to i64\n  %found = inttoptr i64 %m to ptr"),
    "IntToPtr": Program(
        """  store volatile ptr %object, ptr @number
  %m = load volatile i64, ptr @number
  %found = inttoptr i64 %m to ptr""",
        "@number = internal global i64 0",
    ),
    "BitCast": of_number(
        "  %bytes = bitcast i64 %n to <8 x i8>\n  store volatile <8 x i8> %bytes, ptr @number\n"
        "  %again = load volatile <8 x i8>, ptr @number\n  %m = bitcast <8 x i8> %again to i64"
    ),
    "AddrSpaceCast": Program(
        """  %near = addrspacecast ptr %object to ptr addrspace(256)
  store volatile ptr addrspace(256) %near, ptr @kept
  %again = load volatile ptr addrspace(256), ptr @kept
  %found = addrspacecast ptr addrspace(256) %again to ptr""",
        "@kept = internal global ptr addrspace(256) null",
    ),
    "CleanupPad": WINDOWS,
    "CatchPad": WINDOWS,
    "ICmp": NO_ADDRESS,
    "FCmp": NO_ADDRESS,
    "PHI": Program(
        """  %is = icmp eq i64 %zero, 0
  br i1 %is, label %near, label %far
far:
  br label %near
near:
  %found = phi ptr [ %object, %0 ], [ @zero, %far ]"""
    ),
    "Call": Program(
        """  store ptr @same, ptr @code
  %to = load volatile ptr, ptr @code
  %found = call ptr %to(ptr %object)""",
        """@code = internal global ptr null
define internal ptr @same(ptr %of) noinline { ret ptr %of }""",
    ),
    "Select": Program("  %is = icmp eq i64 %zero, 0\n  %found = select i1 %is, ptr %object, ptr @zero"),
    "UserOp1": NoProgram("for passes of LLVM's own"),
    "UserOp2": NoProgram("for passes of LLVM's own"),
    "VAArg": Program(
        "  %found = call ptr (i32, ...) @last(i32 1, ptr %object)",
        """declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
define internal ptr @last(i32 %count, ...) noinline {
  %list = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  %got = va_arg ptr %list, ptr
  call void @llvm.va_end.p0(ptr %list)
  ret ptr %got
}""",
    ),
    "ExtractElement": Program(
        """  %two = insertelement <2 x ptr> zeroinitializer, ptr %object, i64 %one
  %found = extractelement <2 x ptr> %two, i64 %one"""
    ),
    "InsertElement": Program(
        """  %two = insertelement <2 x ptr> zeroinitializer, ptr %object, i64 1
  store volatile <2 x ptr> %two, ptr @two
  %found = load volatile ptr, ptr getelementptr (i8, ptr @two, i64 8)""",
        "@two = internal global <2 x ptr> zeroinitializer",
    ),
    "ShuffleVector": Program(
        """  %two = insertelement <2 x ptr> zeroinitializer, ptr %object, i64 0
  %turned = shufflevector <2 x ptr> %two, <2 x ptr> zeroinitializer, <2 x i32> <i32 2, i32 0>
  store volatile <2 x ptr> %turned, ptr @two
  %found = load volatile ptr, ptr getelementptr (i8, ptr @two, i64 8)""",
        "@two = internal global <2 x ptr> zeroinitializer",
    ),
    "ExtractValue": Program(
        """  store ptr %object, ptr getelementptr (i8, ptr @two, i64 8)
  %both = load volatile { i64, ptr }, ptr @two
  %found = extractvalue { i64, ptr } %both, 1""",
        "@two = internal global { i64, ptr } zeroinitializer",
    ),
    "InsertValue": Program(
        """  %both = insertvalue { i64, ptr } zeroinitializer, ptr %object, 1
  store volatile { i64, ptr } %both, ptr @two
  %found = load volatile ptr, ptr getelementptr (i8, ptr @two, i64 8)""",
        "@two = internal global { i64, ptr } zeroinitializer",
    ),
    "LandingPad": NoProgram(
        "what is thrown is requested by the C++ library (tests/compiler/cases/exceptions.cpp)"
    ),
    "Freeze": Program("  %found = freeze ptr %object"),
}
"""By the names in llvm/IR/Instruction.def."""

SAME = "define internal ptr @same(ptr %of) noinline { ret ptr %of }\n"
KEPT = "@kept = internal global ptr null\n"
BY_TABLE = """  %to = load volatile ptr, ptr @table
  %found = call ptr %to(ptr %object)"""
BY_KEPT = """  %place = load volatile ptr, ptr @table
  store ptr %object, ptr @kept
  %found = load ptr, ptr %place"""
FAR = "sub (i64 ptrtoint (ptr {} to i64), i64 ptrtoint (ptr @table to i64))"
DATA = NoProgram("has data in it, and no addresses")

CONSTANTS: dict[str, Program | NoProgram] = {
    "Function": Program(BY_TABLE, SAME + "@table = internal global ptr @same"),
    "GlobalAlias": Program(
        "  store ptr %object, ptr @other\n  %found = load volatile ptr, ptr @kept",
        KEPT + "@other = internal alias ptr, ptr @kept",
    ),
    "GlobalIFunc": Program(
        "  %found = call ptr @chosen(ptr %object)",
        SAME
        + "define internal ptr @choose() { ret ptr @same }\n@chosen = internal ifunc ptr (ptr), ptr @choose",
    ),
    "GlobalVariable": Program(BY_KEPT, KEPT + "@table = internal global ptr @kept"),
    "BlockAddress": INSTRUCTIONS["IndirectBr"],
    "ConstantExpr": Program(
        """  %far = load volatile i64, ptr @table
  %here = ptrtoint ptr @table to i64
  %there = add i64 %here, %far
  %to = inttoptr i64 %there to ptr
  %found = call ptr %to(ptr %object)""",
        SAME + f"@table = internal global i64 {FAR.format('@same')}",
    ),
    "DSOLocalEquivalent": Program(
        """  %far = load volatile i32, ptr @table
  %wide = sext i32 %far to i64
  %to = getelementptr i8, ptr @table, i64 %wide
  %found = call ptr %to(ptr %object)""",
        SAME + f"@table = internal global i32 trunc (i64 {FAR.format('dso_local_equivalent @same')} to i32)",
    ),
    "NoCFIValue": Program(BY_TABLE, SAME + "@table = internal global ptr no_cfi @same"),
    "ConstantPtrAuth": NoProgram("for processors of Arm's alone"),
    "ConstantArray": Program(
        """  store ptr %object, ptr @kept
  %found = call ptr @of(i64 %one)""",
        KEPT
        + """@other = internal global ptr null
@table = internal constant [2 x ptr] [ptr @other, ptr @kept]
define internal ptr @of(i64 %which) noinline {
  %at = getelementptr ptr, ptr @table, i64 %which
  %place = load ptr, ptr %at
  %got = load ptr, ptr %place
  ret ptr %got
}""",
    ),
    "ConstantStruct": Program(
        """  store ptr %object, ptr @kept
  %at = getelementptr i8, ptr @table, i64 8
  %place = load volatile ptr, ptr %at
  %found = load ptr, ptr %place""",
        KEPT + "@table = internal global { i64, ptr } { i64 1, ptr @kept }",
    ),
    "ConstantVector": Program(
        """  store ptr %object, ptr @kept
  %two = load volatile <2 x ptr>, ptr @table
  %place = extractelement <2 x ptr> %two, i64 1
  %found = load ptr, ptr %place""",
        KEPT + "@table = internal global <2 x ptr> <ptr @zero, ptr @kept>",
    ),
    "UndefValue": DATA,
    "PoisonValue": DATA,
    "ConstantAggregateZero": DATA,
    "ConstantDataArray": DATA,
    "ConstantDataVector": DATA,
    "ConstantInt": DATA,
    "ConstantFP": DATA,
    "ConstantTargetNone": DATA,
    "ConstantPointerNull": DATA,
    "ConstantTokenNone": DATA,
}
"""By the names in llvm/IR/Value.def."""
