"""More programs as those of `kinds`: an address lies in a lane of numbers with a fraction, which an intrinsic
puts elsewhere, bit by bit as it is."""

from compiler.kinds import Program

TWO = "<2 x double>"


def through(call: str, declared: str, lane: int) -> Program:
    """The address is the first lane of %lanes, and comes back in that lane of what the call gives."""
    return Program(
        f"""  %n = ptrtoint ptr %object to i64
  store i64 %n, ptr @number
  %lanes = load volatile {TWO}, ptr @number
  %moved = call {call}
  store volatile {TWO} %moved, ptr @other
  %place = getelementptr i64, ptr @other, i64 {lane}
  %m = load i64, ptr %place
  %found = inttoptr i64 %m to ptr""",
        f"""@number = internal global [2 x i64] zeroinitializer, align 16
@other = internal global [2 x i64] zeroinitializer, align 16
declare {declared}""",
    )


LANES = {
    "turned round": through(
        f"{TWO} @llvm.vector.reverse.v2f64({TWO} %lanes)", f"{TWO} @llvm.vector.reverse.v2f64({TWO})", 1
    ),
    "the greater ones": through(
        f"{TWO} @llvm.x86.sse2.max.pd({TWO} %lanes, {TWO} zeroinitializer)",
        f"{TWO} @llvm.x86.sse2.max.pd({TWO}, {TWO})",
        0,
    ),
}
