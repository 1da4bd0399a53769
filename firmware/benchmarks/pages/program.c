/* A workload as a program of the simulated core: picolibc's standard output, and arguments from the data
 * file, one a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "firmware/board.h"

enum { most_arguments = 16, bad_arguments = 98 };

int program_main(int count, char** arguments);

static int put(char letter, FILE* file) {
    (void)file;
    const char text[] = {letter, '\0'};
    board_write(text);
    return (unsigned char)letter;
}

static FILE board_stream = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE* const stdout = &board_stream;
FILE* const stderr = &board_stream;

_Noreturn void _exit(int status) {
    board_exit(status);
}

/* Of whole lines, which are parted where they are; 0 where there are too many. */
static int lines_in(struct board_range data, char** arguments) {
    static char program[] = "program";
    int count = 0;
    arguments[count++] = program;
    char* at = (char*)data.begin;
    for (char* const end = at + data.bytes; at != end; ++at) {
        if (count == most_arguments) return 0;
        arguments[count++] = at;
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL) return 0;
        *at = '\0';
    }
    arguments[count] = NULL;
    return count;
}

int main(void) {
    static char* arguments[most_arguments + 1];
    const int count = lines_in(board_data(), arguments);
    if (count == 0) {
        board_write("the data file is no list of at most 15 arguments, each with a line's end\n");
        return bad_arguments;
    }
    exit(program_main(count, arguments));
}
