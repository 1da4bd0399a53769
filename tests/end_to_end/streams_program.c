// Closes a standard stream that is an end of a pipe: who reads from the other end must find it closed.
#include "ends_program.h"

static int wait_for_end(int pipe_end) {
    char byte;
    alarm(60);
    return read(pipe_end, &byte, 1) != 0;
}

int main(int count, char** words) {
    const int stream = count > 1 ? atoi(words[1]) : 1;
    int ends[2], status;
    require(pipe(ends) == 0);
    const pid_t reader = fork();
    if (reader == 0) {
        close(ends[1]);
        _exit(wait_for_end(ends[0]));
    }
    const int kept = dup(stream);
    require(kept >= 0 && dup2(ends[1], stream) == stream);
    close(ends[1]);
    close(stream);
    require(waitpid(reader, &status, 0) == reader && dup2(kept, stream) == stream);
    return printf("stream %d: %d\n", stream, status) < 0;
}
