// malloom_step PROFILE MAXIMUM_BYTES SHARE RECORDER TICKETS: samples the accesses of the processes that
// record into a window's profile, until SIGTERM. It prints how many accesses in how many bursts, how many CPU
// nanoseconds the stops took in the processes, and 1 where the system does not let it look into them.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "record/stepping/sampling.h"

namespace {

volatile bool is_over;

// Whoever started this holds the signal back for itself, and may be killed, and then nobody ends the window.
// A terminal interrupts all, and it is for whoever started this to end it.
void end_when_told() {
    struct sigaction action{};
    action.sa_handler = [](int) { is_over = true; };
    sigaction(SIGTERM, &action, nullptr);
    signal(SIGINT, SIG_IGN);
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &told, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

}  // namespace

int main(int count, char** words) {
    using namespace malloom::stepping;

    if (count != 6) {
        fputs("usage: malloom_step PROFILE MAXIMUM_BYTES SHARE RECORDER TICKETS\n", stderr);
        return 2;
    }
    end_when_told();
    Options options;
    options.profile = words[1];
    options.maximum_bytes = strtoull(words[2], nullptr, 10);
    options.share = strtod(words[3], nullptr);
    options.recorder = words[4];
    options.tickets = strtoull(words[5], nullptr, 10);
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
