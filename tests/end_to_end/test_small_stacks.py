"""A thread with the smallest stack is the first one to meet a library: what a profile says of that needs more
than such a stack has."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from end_to_end.conftest import Finished

LIBRARY = "#include <stdlib.h>\nvoid* get(void) { return malloc(100); }\n"
PROGRAM = """
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
void* get(void);
static void* begin(void* nothing) { (void)nothing; return get(); }
int main(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) != 0) return 1;
    pthread_t thread;
    void* object = NULL;
    if (pthread_create(&thread, &attributes, begin, NULL) != 0) return 2;
    pthread_join(thread, &object);
    free(object);
    return object == NULL;
}
"""


def test_the_recorder_needs_little_of_it(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    gcc = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", "libmet_late.so"]
    subprocess.run(gcc, input=LIBRARY, text=True, check=True, cwd=tmp_path)
    program = compile_c(PROGRAM, "-pthread", tmp_path / "libmet_late.so", f"-Wl,-rpath,{tmp_path}")
    subprocess.run([program], check=True)
    done = malloom("record", "--accesses", "none", "-o", "x.profile", "--", program)
    assert done.returncode == 0, done.stderr
