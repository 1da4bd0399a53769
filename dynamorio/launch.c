// malloom_launch: becomes PROGRAM, under DynamoRIO, with a client or, where that is "", without. It execs, so
// there is no process between the caller and the program: exit status, signals, standard streams and
// arguments are the program's own. It is linked statically, so that LD_PRELOAD, which is meant for the
// program, does not reach it.
//
//   malloom_launch LIBDYNAMORIO CORE-OPTIONS CLIENT CLIENT-OPTIONS -- PROGRAM [ARGUMENT...]
//
// The configuration travels in DynamoRIO's own environment variables, as it does from a parent to the
// children that DynamoRIO follows. No configuration file is written, so none can be left behind.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { bad_use = 2, not_executable = 126, not_found = 127, option_bytes = 2048 };

static void fail(int status, const char* subject, const char* problem) {
    fprintf(stderr, "malloom_launch: %s: %s\n", subject, problem);
    exit(status);
}

static int is_program(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/// The file that exec would run for NAME, as execvp finds it; `path` has room for PATH_MAX.
static const char* find_program(const char* name, char* path) {
    if (strchr(name, '/') != NULL) return is_program(name) ? name : NULL;
    const char* folders = getenv("PATH");
    if (folders == NULL) folders = "/usr/local/bin:/usr/bin:/bin";
    while (*folders != '\0') {
        const int length = (int)strcspn(folders, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", length, length > 0 ? folders : ".", name);
        if (length == 0) snprintf(path, PATH_MAX, "./%s", name);
        if (is_program(path)) return path;
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

static ssize_t read_start(const char* path, char* start, size_t room) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    const ssize_t length = read(file, start, room);
    close(file);
    return length;
}

/// What the kernel does for a file that begins with #!: INTERPRETER [ARGUMENT] FILE ARGUMENTS. `line` becomes
/// part of the result.
static char** through_interpreter(char* line, const char* script, char** arguments) {
    size_t count = 0;
    while (arguments[count] != NULL) ++count;
    char** extended = calloc(count + 3, sizeof *extended);
    if (extended == NULL) fail(1, script, "out of memory");
    size_t used = 0;
    char* rest = NULL;
    extended[used++] = strtok_r(line, " \t", &rest);
    char* option = rest + strspn(rest, " \t");
    if (*option != '\0') extended[used++] = option;
    extended[used++] = (char*)script;
    memcpy(extended + used, arguments + 1, count * sizeof *arguments);
    return extended;
}

static void check_elf(const char* path, const char* start, ssize_t length) {
    if (length < (ssize_t)sizeof(Elf64_Ehdr) || memcmp(start, ELFMAG, SELFMAG) != 0)
        fail(not_executable, path, "neither an ELF program nor a script; give a program");
    if (start[EI_CLASS] != ELFCLASS64)
        fail(not_executable, path, "a 32-bit program; only 64-bit programs can be recorded");
}

static void set(const char* name, const char* value) {
    if (setenv(name, value, 1) != 0) fail(1, name, strerror(errno));
}

static void configure(const char* library, const char* core_options, const char* client,
                      const char* options) {
    char text[option_bytes];
    // DynamoRIO takes two blanks in a row for an option.
    int length = snprintf(text, sizeof text, "-code_api -stack_size 64K -signal_stack_size 64K%s%s",
                          *core_options != '\0' ? " " : "", core_options);
    if (*client != '\0' && length < (int)sizeof text) {
        char* rest = text + length;
        length += snprintf(rest, sizeof text - (size_t)length, " -client_lib '%s;0;%s'", client, options);
    }
    if (length >= (int)sizeof text) fail(1, client, "the path and options are too long for DynamoRIO");
    if (strpbrk(client, ";'") != NULL)
        fail(1, client, "DynamoRIO cannot load a client whose path has ; or '");
    set("DYNAMORIO_OPTIONS", text);
    set("DYNAMORIO_RUNUNDER", "1");
    set("DYNAMORIO_AUTOINJECT", library);
}

int main(int count, char** arguments) {
    if (count < 7 || strcmp(arguments[5], "--") != 0) {
        fputs(
            "usage: malloom_launch LIBDYNAMORIO CORE-OPTIONS CLIENT CLIENT-OPTIONS -- PROGRAM "
            "[ARGUMENT...]\n",
            stderr);
        return bad_use;
    }
    const char* library = arguments[1];
    char** program_arguments = arguments + 6;
    char found[PATH_MAX];
    const char* program = find_program(program_arguments[0], found);
    if (program == NULL) fail(not_found, program_arguments[0], "no such program");
    char start[PATH_MAX] = "";
    ssize_t length = read_start(program, start, sizeof start - 1);
    if (length > 2 && start[0] == '#' && start[1] == '!') {
        start[strcspn(start, "\n")] = '\0';
        // The kernel takes no blanks at the end for words.
        for (char* end = start + strlen(start); end[-1] == ' ' || end[-1] == '\t'; --end) end[-1] = '\0';
        program_arguments = through_interpreter(strdup(start + 2), program, program_arguments);
        program = program_arguments[0];
        length = program == NULL ? -1 : read_start(program, start, sizeof start - 1);
    }
    if (program == NULL || length < 0)
        fail(not_executable, program_arguments[0], "cannot be read; DynamoRIO must read a program to run it");
    check_elf(program, start, length);
    configure(library, arguments[2], arguments[3], arguments[4]);
    char* whole = realpath(program, NULL);
    set("DYNAMORIO_EXE_PATH", whole != NULL ? whole : program);
    execv(library, program_arguments);
    fail(1, library, strerror(errno));
}
