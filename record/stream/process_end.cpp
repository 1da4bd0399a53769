#include "record/stream/process_end.h"

namespace malloom::stream {

using formats::profile::ProcessState;

namespace {

const char* reason_of(ProcessState state) {
    switch (state) {
        case ProcessState::exited:
            return "exit";
        case ProcessState::stopped:
            return "stopped by the program";
        case ProcessState::limit:
            return reached_limit;
        case ProcessState::failed:
            return not_written;
        case ProcessState::window_over:
            return "the time to record was over";
        case ProcessState::recording:
            break;
    }
    return "ended without exit handlers (exec, _exit or a signal)";
}

}  // namespace

EndPayload end_payload(ProcessState state, uint64_t dropped) {
    EndPayload payload;
    payload.text("reason", reason_of(state));
    payload.decimal("state", static_cast<uint64_t>(state));
    payload.decimal("dropped", dropped);
    return payload;
}

}  // namespace malloom::stream
