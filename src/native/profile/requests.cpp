#include "src/native/profile/requests.h"

#include "src/native/accesses/source.h"
#include "src/native/profile/events.h"
#include "src/native/profile/live_objects.h"

namespace malloom::native {

using formats::profile::EventKind;
using formats::profile::EventRecord;

namespace {

class TableBuilder {
  public:
    TableBuilder(const ProcessChunks& process, ContextTable& contexts)
        : contexts_(contexts), objects_(process.expected_requests()), threads_(process.threads.size()) {}

    void add(const EventRecord& event, uint32_t thread) {
        switch (static_cast<EventKind>(event.kind)) {
            case EventKind::allocate:
            case EventKind::allocate_zeroed:
            case EventKind::reallocate:
                allocate(event, thread);
                break;
            case EventKind::release:
            case EventKind::reallocate_release:
                release(event);
                break;
            case EventKind::touch:
                ++table.touches;
                break;
            case EventKind::near:
                threads_[thread].near = objects_.find(event.address);
                break;
            case EventKind::stop:
                table.stopped = true;
                break;
            default:
                break;  // an event of a later version
        }
    }

    RequestTable table;

  private:
    struct Thread {
        uint32_t number = LiveObjects::none;
        uint32_t near = LiveObjects::none;
    };

    void allocate(const EventRecord& event, uint32_t thread);
    void release(const EventRecord& event);

    ContextTable& contexts_;
    LiveObjects objects_;
    std::vector<Thread> threads_;
    std::vector<uint32_t> ordinals_;
    uint32_t next_thread_ = 0;
};

void TableBuilder::allocate(const EventRecord& event, uint32_t thread_index) {
    if (table.size.size() >= LiveObjects::none - 1) {
        table.overflowed = true;
        return;
    }
    const auto birth = objects_.allocate({event.address, event.size});
    if (birth.displaced != LiveObjects::none) table.death[birth.displaced] = event.ticket;
    Thread& thread = threads_[thread_index];
    if (thread.number == LiveObjects::none) thread.number = next_thread_++;
    const uint32_t context = contexts_.index_of(event.context);
    if (context >= ordinals_.size()) ordinals_.resize(context + 1);
    table.size.push_back(event.size);
    table.alignment.push_back(event.alignment == 0 || event.alignment > 31 ? 0 : 1u << event.alignment);
    table.context.push_back(context);
    table.ordinal.push_back(ordinals_[context]++);
    table.thread.push_back(thread.number);
    table.birth.push_back(event.ticket);
    table.death.push_back(never);
    table.address.push_back(event.address);
    table.friends.push_back(thread.near == LiveObjects::none ? -1 : int64_t{thread.near});
    thread.near = LiveObjects::none;
}

void TableBuilder::release(const EventRecord& event) {
    const uint32_t request = objects_.release(event.address);
    if (request == LiveObjects::none) {
        ++table.releases_unknown;
    } else {
        table.death[request] = event.ticket;
    }
}

void reserve(RequestTable& table, uint64_t requests) {
    for (auto* column : {&table.size, &table.birth, &table.death, &table.address}) column->reserve(requests);
    for (auto* column : {&table.alignment, &table.context, &table.ordinal, &table.thread})
        column->reserve(requests);
    table.friends.reserve(requests);
}

}  // namespace

RequestTable read_requests(const ProcessChunks& process, ContextTable& contexts) {
    TableBuilder builder(process, contexts);
    // Memory that is reserved and not touched costs none.
    reserve(builder.table, process.expected_requests());
    EventStream events(process);
    for (; events.next_ticket() != EventStream::no_ticket; events.advance()) {
        builder.add(events.event(), events.thread());
    }
    builder.table.corrupt_chunks = events.corrupt_chunks();
    return std::move(builder.table);
}

}  // namespace malloom::native
