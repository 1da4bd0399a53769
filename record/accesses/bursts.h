// When the program is recorded: from its first request on, the first `limit` accesses, then bursts with
// pauses between them.
//
// Before and in a pause the program's code is not instrumented at all: the code cache is flushed at both
// ends, and blocks are built anew without or with the recording code. A pause is measured in the program's
// CPU time, so that a program which waits does not use up its bursts.
#pragma once

#include <dr_api.h>
#include <stdint.h>

namespace malloom::accesses::bursts {

/// What is asked of the client.
struct Options {
#define CLIENT_OPTION(name, default_value, meaning) uint64_t name = default_value;
#include "record/accesses/options.def"
#undef CLIENT_OPTION

    bool samples() const { return burst != 0 && gap != 0; }
};

/// To be called once, before code is instrumented.
void init(client_id_t client, const Options& options);

/// The program makes its first request. From the block event; later calls do nothing.
void begin();

/// Whether blocks built now are to be instrumented.
bool recording();

/// Number of the burst that runs or ran last, from 1.
uint32_t current();

/// Counts accesses that were recorded, and begins a pause where they complete the burst. From a clean call
/// only.
void count(uint64_t accesses);

/// Ends recording for good.
void stop();

/// A forked child has no timer: gives it one.
void restart_after_fork();

}  // namespace malloom::accesses::bursts
