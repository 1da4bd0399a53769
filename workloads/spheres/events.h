// What is going to happen, the earliest first: a pairing heap (Fredman, Sedgewick, Sleator and Tarjan 1986)
// of objects that each have one event.
#ifndef WORKLOADS_SPHERES_EVENTS_H
#define WORKLOADS_SPHERES_EVENTS_H

#include <stdint.h>

/// 24 bytes where pointers have 4.
struct event {
    double time;
    struct event* below;   ///< the youngest of those that it is before
    struct event* beside;  ///< the next that is below the same
    uint16_t who, with;    ///< two spheres, or a sphere and a wall
    uint16_t who_bounced;  ///< how often each sphere had bounced when this was foreseen, modulo 2^16
    uint16_t with_bounced;
};

/// Takes the event over; gives the queue with it. A queue is its earliest event, NULL where there is none.
struct event* with_event(struct event* queue, struct event* event);
/// The queue without its earliest event, which is the caller's now. There is one.
struct event* without_first(struct event* queue);
void release_events(struct event* queue);

#endif
