// malloom_step PROFILE MAXIMUM_BYTES SHARE RECORDER TICKETS IDENTITY: samples the accesses of the processes
// that record into a window's profile, until SIGTERM. It prints how many accesses in how many bursts, how
// many CPU nanoseconds the stops took in the processes, and 1 where the system does not let it look into
// them.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "record/stepping/sampling.h"

namespace {

volatile bool is_over;

// A thread that is just being stepped would die with this process, or stand still with it: nothing ends or
// stops it but SIGTERM, between two bursts. Whoever started this holds that back for itself, and may be
// killed; then nobody ends the window.
void end_when_told() {
    struct sigaction action{};
    action.sa_handler = [](int) { is_over = true; };
    sigaction(SIGTERM, &action, nullptr);
    for (const int number :
         {SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM}) {
        signal(number, SIG_IGN);
    }
    const pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    is_over = is_over || getppid() != parent;
    // Last: one that was sent before this process had begun comes now, and what it says stays.
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &told, nullptr);
}

}  // namespace

int main(int count, char** words) {
    using namespace malloom::stepping;

    if (count != 7) {
        fputs("usage: malloom_step PROFILE MAXIMUM_BYTES SHARE RECORDER TICKETS IDENTITY\n", stderr);
        return 2;
    }
    end_when_told();
    Options options;
    options.profile = words[1];
    options.maximum_bytes = strtoull(words[2], nullptr, 10);
    options.share = strtod(words[3], nullptr);
    options.recorder = words[4];
    options.words = {strtoull(words[5], nullptr, 10), strtoull(words[6], nullptr, 10)};
    Sampling sampling;
    if (!sampling.open(options)) {
        fprintf(stderr, "malloom: accesses cannot be written to %s: %s\n", words[1], strerror(errno));
        return 1;
    }
    const Totals totals = sampling.run(is_over);
    printf("%llu %llu %llu %d\n", static_cast<unsigned long long>(totals.accesses),
           static_cast<unsigned long long>(totals.bursts), static_cast<unsigned long long>(totals.stopped),
           totals.is_refused ? 1 : 0);
    return 0;
}
