#include "src/native/text/export.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "record/stream/records.h"
#include "src/native/encoding/chunks.h"
#include "src/native/text/access_printer.h"
#include "src/native/text/words.h"

namespace malloom::native {

using namespace formats::profile;
using namespace text;

namespace {

constexpr size_t flush_bytes = size_t{1} << 20;
constexpr size_t raw_bytes_per_line = 32;

class Exporter {
  public:
    explicit Exporter(int descriptor) : descriptor_(descriptor) {}

    void add_head(const stream::ChunkReader& profile);
    void add_chunk(const stream::ChunkView& chunk);
    void flush();
    const std::string& problem() const { return problem_; }

  private:
    void add_field(std::string_view name, uint64_t value, int base = 10);
    void add_chunk_line(const stream::ChunkView& chunk, std::string_view kind);
    bool add_records(const stream::ChunkView& chunk);
    bool same_bytes(const stream::ChunkView& chunk, std::span<const unsigned char> payload);
    bool add_pairs(const stream::ChunkView& chunk);
    bool add_contexts(const stream::ChunkView& chunk);
    bool add_events(const stream::ChunkView& chunk);
    bool add_accesses(const stream::ChunkView& chunk);
    void add_event(const EventRecord& event);
    void add_escaped(std::string_view bytes, bool key);
    void add_raw(const stream::ChunkView& chunk);
    void add_comments(std::string_view lines);

    int descriptor_;
    std::string problem_;
    std::string out_;
    ChunkEncoder encoder_;
    bool readable_ = false;  ///< the chunk's records have all been printed
    std::vector<unsigned char> payload_;
    std::vector<EventRecord> events_;
    AccessPrinter accesses_;
};

void Exporter::flush() {
    size_t written = 0;
    while (written < out_.size() && problem_.empty()) {
        const ssize_t count = write(descriptor_, out_.data() + written, out_.size() - written);
        if (count > 0) {
            written += static_cast<size_t>(count);
        } else if (errno != EINTR) {
            problem_ = std::strerror(errno);
        }
    }
    out_.clear();
}

void Exporter::add_field(std::string_view name, uint64_t value, int base) {
    out_ += ' ';
    out_ += name;
    out_ += '=';
    put_number(out_, value, base);
}

void Exporter::add_head(const stream::ChunkReader& profile) {
    const FileHeader& header = profile.file_header();
    out_ += first_line;
    out_ += "\nprofile";
    add_field("version", header.version);
    add_field("created", header.created);
    out_ += '\n';
    for (const std::string& note : profile.notes()) out_ += "# " + note + '\n';
}

void Exporter::add_chunk_line(const stream::ChunkView& chunk, std::string_view kind) {
    const ChunkHeader& header = chunk.header;
    out_ += "chunk ";
    out_ += kind;
    add_field("process", header.process, 16);
    add_field("thread", header.thread);
    add_field("sequence", header.sequence);
    add_field("ticket", header.first_ticket);
    add_field("records", header.records);
    out_ += " codec=";
    out_ += name_of(codecs, header.codec);
    out_ += '\n';
}

void Exporter::add_chunk(const stream::ChunkView& chunk) {
    const size_t begin = out_.size();
    readable_ = false;
    if (!add_records(chunk)) {
        const std::string lines = out_.substr(begin);
        out_.resize(begin);
        if (readable_) add_comments(lines);
        add_raw(chunk);
    }
    if (out_.size() >= flush_bytes) flush();
}

/// What a raw chunk says, for people: from-text skips it.
void Exporter::add_comments(std::string_view lines) {
    while (!lines.empty()) {
        const size_t end = lines.find('\n') + 1;
        out_ += '#';
        out_ += lines.substr(0, end);
        lines.remove_prefix(end);
    }
}

bool Exporter::add_records(const stream::ChunkView& chunk) {
    const std::string_view kind = name_of(chunk_kinds, chunk.header.kind);
    if (kind.empty() || name_of(codecs, chunk.header.codec).empty()) return false;
    if (!stream::ChunkReader::decode(chunk, payload_)) return false;
    add_chunk_line(chunk, kind);
    switch (static_cast<ChunkKind>(chunk.header.kind)) {
        case ChunkKind::contexts:
            return add_contexts(chunk);
        case ChunkKind::events:
            return add_events(chunk);
        case ChunkKind::accesses:
            return add_accesses(chunk);
        default:
            return add_pairs(chunk);
    }
}

/// Whether the encoder makes the stored chunk from `payload`, so that the text brings it back.
bool Exporter::same_bytes(const stream::ChunkView& chunk, std::span<const unsigned char> payload) {
    readable_ = true;
    const ChunkHeader& header = chunk.header;
    const stream::ChunkIdentity identity{static_cast<ChunkKind>(header.kind),
                                         header.process,
                                         header.thread,
                                         header.sequence,
                                         header.first_ticket,
                                         header.records};
    const auto encoded = encoder_.encode(identity, payload, static_cast<Codec>(header.codec) == Codec::zstd);
    return encoded.size() == sizeof header + header.stored_bytes &&
           std::memcmp(encoded.data(), &header, sizeof header) == 0 &&
           std::memcmp(encoded.data() + sizeof header, chunk.stored, header.stored_bytes) == 0;
}

/// Everything but printable ASCII becomes \xNN, so that a line is a line and an editor changes nothing.
void Exporter::add_escaped(std::string_view bytes, bool key) {
    for (const char byte : bytes) {
        if (byte >= ' ' && byte <= '~' && byte != '\\' && !(key && byte == '=')) {
            out_ += byte;
        } else {
            const auto value = static_cast<unsigned char>(byte);
            out_ += "\\x";
            out_ += "0123456789abcdef"[value >> 4];
            out_ += "0123456789abcdef"[value & 15];
        }
    }
}

bool Exporter::add_pairs(const stream::ChunkView& chunk) {
    std::string_view rest(reinterpret_cast<const char*>(payload_.data()), payload_.size());
    while (!rest.empty()) {
        const size_t key = rest.find('\0');
        const size_t value = key == rest.npos ? rest.npos : rest.find('\0', key + 1);
        if (value == rest.npos) return false;
        out_ += ' ';
        add_escaped(rest.substr(0, key), true);
        out_ += '=';
        add_escaped(rest.substr(key + 1, value - key - 1), false);
        out_ += '\n';
        rest.remove_prefix(value + 1);
    }
    return same_bytes(chunk, payload_);
}

bool Exporter::add_contexts(const stream::ChunkView& chunk) {
    size_t at = 0;
    while (at < payload_.size()) {
        ContextRecord context{};
        if (payload_.size() - at < sizeof context) return false;
        std::memcpy(&context, &payload_[at], sizeof context);
        at += sizeof context;
        out_ += ' ';
        put_number(out_, context.context);
        for (uint32_t i = 0; i < context.frames; ++i, at += sizeof(FrameRecord)) {
            FrameRecord frame{};
            if (payload_.size() - at < sizeof frame) return false;
            std::memcpy(&frame, &payload_[at], sizeof frame);
            if (frame.reserved != 0) return false;
            out_ += ' ';
            put_number(out_, frame.module);
            out_ += '+';
            put_number(out_, frame.offset, 16);
        }
        out_ += '\n';
    }
    return same_bytes(chunk, payload_);
}

bool Exporter::add_events(const stream::ChunkView& chunk) {
    if (!stream::read_events(chunk.header, payload_, events_)) return false;
    for (const EventRecord& event : events_) {
        if (name_of(event_kinds, static_cast<unsigned>(event.kind)).empty()) return false;
        add_event(event);
    }
    return same_bytes(chunk, encode_events_payload(events_, chunk.header.first_ticket));
}

void Exporter::add_event(const EventRecord& event) {
    out_ += ' ';
    put_number(out_, event.ticket);
    out_ += ' ';
    out_ += name_of(event_kinds, static_cast<unsigned>(event.kind));
    out_ += ' ';
    put_number(out_, event.address, 16);
    if (event.size != 0) add_field("size", event.size);
    if (event.context != 0) add_field("context", event.context);
    if (event.alignment != 0) add_field("alignment", event.alignment);
    out_ += '\n';
}

bool Exporter::add_accesses(const stream::ChunkView& chunk) {
    const auto printed = accesses_.print(chunk.header, payload_, out_);
    readable_ = printed == AccessPrinter::Printed::readable;
    return printed == AccessPrinter::Printed::reversible && same_bytes(chunk, payload_);
}

void Exporter::add_raw(const stream::ChunkView& chunk) {
    const auto* header = reinterpret_cast<const unsigned char*>(&chunk.header);
    out_ += "chunk raw\n";
    const auto add_lines = [this](const unsigned char* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            if (i % raw_bytes_per_line == 0) out_ += i == 0 ? " " : "\n ";
            out_ += "0123456789abcdef"[bytes[i] >> 4];
            out_ += "0123456789abcdef"[bytes[i] & 15];
        }
        if (count != 0) out_ += '\n';
    };
    add_lines(header, sizeof chunk.header);
    add_lines(chunk.stored, chunk.header.stored_bytes);
}

}  // namespace

std::string export_text(const stream::ChunkReader& profile, int descriptor) {
    Exporter exporter(descriptor);
    exporter.add_head(profile);
    for (const stream::ChunkView& chunk : profile.chunks()) {
        exporter.add_chunk(chunk);
        if (!exporter.problem().empty()) break;
    }
    exporter.flush();
    return exporter.problem();
}

}  // namespace malloom::native
