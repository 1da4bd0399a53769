#include "src/native/text/import.h"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "src/native/encoding/chunks.h"
#include "src/native/text/access_lines.h"
#include "src/native/text/line_reader.h"
#include "src/native/text/words.h"

namespace malloom::native {

using namespace formats::profile;
using namespace text;

namespace {

constexpr unsigned no_kind = 0;
constexpr unsigned raw_kind = ~0u;

/// The chunk that is being read.
struct Draft {
    unsigned kind = no_kind;
    stream::ChunkIdentity identity{};
    bool compress = false;
    std::vector<unsigned char> payload;  ///< of pairs, contexts and raw chunks
    std::vector<EventRecord> events;
};

/// Methods that parse return what is wrong, nullptr when nothing is.
class Importer {
  public:
    explicit Importer(int output) : output_(output) {}

    const char* add_line(std::string_view line, uint64_t number);
    const char* finish();
    /// Why writing failed; empty where it did not.
    const std::string& problem() const { return problem_; }

  private:
    const char* begin_file(std::string_view line);
    const char* begin_chunk(std::string_view line);
    const char* set_field(std::string_view name, std::string_view value);
    const char* end_chunk();
    const char* add_record(std::string_view line);
    const char* add_pair(std::string_view line);
    const char* add_context(std::string_view line);
    const char* add_event(std::string_view line);
    const char* add_raw(std::string_view line);
    bool add_unescaped(std::string_view text);
    template <class Record>
    void append(const Record& record);
    void write_all(std::span<const unsigned char> bytes);

    int output_;
    std::string problem_;
    bool begun_ = false;
    Draft draft_;
    AccessLines accesses_;
    ChunkEncoder encoder_;
};

void Importer::write_all(std::span<const unsigned char> bytes) {
    while (!bytes.empty() && problem_.empty()) {
        const ssize_t count = write(output_, bytes.data(), bytes.size());
        if (count > 0) {
            bytes = bytes.subspan(static_cast<size_t>(count));
        } else if (errno != EINTR) {
            problem_ = std::strerror(errno);
        }
    }
}

template <class Record>
void Importer::append(const Record& record) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&record);
    draft_.payload.insert(draft_.payload.end(), bytes, bytes + sizeof record);
}

const char* Importer::add_line(std::string_view line, uint64_t number) {
    if (number == 1) return line == first_line ? nullptr : "not the text form of a profile";
    if (line.starts_with('#')) return nullptr;
    if (line.starts_with(' ')) return add_record(line.substr(1));
    const std::string_view word = take_word(line);
    if (word == "profile") return begin_file(line);
    if (word == "chunk") return begin_chunk(line);
    return "expected 'profile', 'chunk' or an indented record";
}

const char* Importer::begin_file(std::string_view line) {
    std::optional<uint64_t> version, created;
    while (!line.empty()) {
        const std::string_view word = take_word(line);
        if (word.starts_with("version=")) version = get_number(word.substr(8));
        if (word.starts_with("created=")) created = get_number(word.substr(8));
    }
    if (begun_ || !version || !created) return "expected one line 'profile version=N created=N'";
    if (*version != version_current) return "a version that this malloom does not write";
    const FileHeader header = stream::make_file_header(*created);
    write_all({reinterpret_cast<const unsigned char*>(&header), sizeof header});
    begun_ = true;
    return nullptr;
}

const char* Importer::begin_chunk(std::string_view line) {
    if (!begun_) return "a chunk before the line 'profile'";
    if (const char* wrong = end_chunk()) return wrong;
    const std::string_view kind = take_word(line);
    const auto number = number_of(chunk_kinds, kind);
    if (!number && kind != "raw") return "an unknown kind of chunk";
    draft_.kind = number.value_or(raw_kind);
    draft_.identity.kind = static_cast<ChunkKind>(draft_.kind);
    while (!line.empty()) {
        const std::string_view word = take_word(line);
        const size_t equals = word.find('=');
        if (equals == word.npos) return "expected name=value";
        if (const char* wrong = set_field(word.substr(0, equals), word.substr(equals + 1))) return wrong;
    }
    return nullptr;
}

const char* Importer::set_field(std::string_view name, std::string_view value) {
    stream::ChunkIdentity& identity = draft_.identity;
    if (name == "codec") {
        draft_.compress = value == name_of(codecs, static_cast<unsigned>(Codec::zstd));
        return number_of(codecs, value) ? nullptr : "an unknown codec";
    }
    const auto number = get_number(value, name == "process" ? 16 : 10);
    if (!number) return "expected a number";
    if (name == "process") {
        identity.process = *number;
    } else if (name == "thread") {
        identity.thread = static_cast<uint32_t>(*number);
    } else if (name == "sequence") {
        identity.sequence = static_cast<uint32_t>(*number);
    } else if (name == "ticket") {
        identity.first_ticket = *number;
    } else if (name == "records") {
        identity.records = *number;
    } else {
        return "an unknown field of a chunk";
    }
    return nullptr;
}

const char* Importer::end_chunk() {
    const Draft& draft = draft_;
    std::vector<unsigned char> payload;
    switch (static_cast<ChunkKind>(draft.kind)) {
        case ChunkKind::events:
            if (draft.events.size() != draft.identity.records)
                return "the chunk has another number of records";
            payload = encode_events_payload(draft.events, draft.identity.first_ticket);
            break;
        case ChunkKind::accesses:
            if (const char* wrong = accesses_.finish(draft.identity.records, payload)) return wrong;
            break;
        default:
            payload = draft.payload;
            break;
    }
    if (draft.kind == raw_kind) {
        write_all(payload);
    } else if (draft.kind != no_kind) {
        write_all(encoder_.encode(draft.identity, payload, draft.compress));
    }
    draft_ = {};
    return nullptr;
}

const char* Importer::finish() {
    return begun_ ? end_chunk() : "the text ends before the line 'profile'";
}

const char* Importer::add_record(std::string_view line) {
    if (draft_.kind == no_kind) return "a record outside of a chunk";
    if (draft_.kind == raw_kind) return add_raw(line);
    switch (static_cast<ChunkKind>(draft_.kind)) {
        case ChunkKind::contexts:
            return add_context(line);
        case ChunkKind::events:
            return add_event(line);
        case ChunkKind::accesses:
            return accesses_.add(line, draft_.identity.records);
        default:
            return add_pair(line);
    }
}

bool Importer::add_unescaped(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            draft_.payload.push_back(static_cast<unsigned char>(text[i]));
            continue;
        }
        if (!text.substr(i).starts_with("\\x") || text.size() - i < 4) return false;
        const uint64_t byte = get_number(text.substr(i + 2, 2), 16).value_or(0);
        if (byte == 0) return false;
        draft_.payload.push_back(static_cast<unsigned char>(byte));
        i += 3;
    }
    draft_.payload.push_back(0);
    return true;
}

const char* Importer::add_pair(std::string_view line) {
    const size_t equals = line.find('=');
    if (equals == line.npos) return "expected name=value";
    const bool good = add_unescaped(line.substr(0, equals)) && add_unescaped(line.substr(equals + 1));
    return good ? nullptr : "expected \\xNN after a backslash";
}

const char* Importer::add_context(std::string_view line) {
    const auto number = get_number(take_word(line));
    if (!number) return "expected the number of a context";
    const size_t head = draft_.payload.size();
    ContextRecord context{static_cast<uint32_t>(*number), 0};
    append(context);
    while (!line.empty()) {
        const std::string_view word = take_word(line);
        const size_t plus = word.find('+');
        const auto module = get_number(word.substr(0, plus));
        const auto offset = plus == word.npos ? std::nullopt : get_number(word.substr(plus + 1), 16);
        if (!module || !offset) return "expected a frame as MODULE+OFFSET";
        append(FrameRecord{*offset, static_cast<uint32_t>(*module), 0});
        ++context.frames;
    }
    std::memcpy(&draft_.payload[head], &context, sizeof context);
    return nullptr;
}

const char* Importer::add_event(std::string_view line) {
    EventRecord event{};
    const auto ticket = get_number(take_word(line));
    const auto kind = number_of(event_kinds, take_word(line));
    const auto address = get_number(take_word(line), 16);
    if (!ticket || !kind || !address) return "expected an event as TICKET KIND ADDRESS";
    const uint64_t before =
        draft_.events.empty() ? draft_.identity.first_ticket - 1 : draft_.events.back().ticket;
    if (*ticket <= before && !(draft_.events.empty() && *ticket == draft_.identity.first_ticket)) {
        return "the tickets of a chunk must grow from its own";
    }
    event.ticket = *ticket;
    event.kind = static_cast<decltype(event.kind)>(*kind);
    event.address = *address;
    while (!line.empty()) {
        const std::string_view word = take_word(line);
        const size_t equals = std::min(word.find('='), word.size() - 1);
        const auto value = get_number(word.substr(equals + 1));
        const std::string_view name = word.substr(0, equals);
        if (!value || (name != "size" && name != "context" && name != "alignment")) {
            return "expected size=N, context=N or alignment=N";
        }
        if (name == "size") event.size = *value;
        if (name == "context") event.context = static_cast<uint32_t>(*value);
        if (name == "alignment") event.alignment = static_cast<uint8_t>(*value);
    }
    draft_.events.push_back(event);
    return nullptr;
}

const char* Importer::add_raw(std::string_view line) {
    for (size_t i = 0; i < line.size(); i += 2) {
        const auto byte = get_number(line.substr(i, 2), 16);
        if (!byte || i + 2 > line.size()) return "expected bytes in hexadecimal";
        draft_.payload.push_back(static_cast<unsigned char>(*byte));
    }
    return nullptr;
}

}  // namespace

std::string import_text(int input, int output) {
    LineReader lines(input);
    Importer importer(output);
    std::string_view line;
    const char* wrong = nullptr;
    while (wrong == nullptr && importer.problem().empty() && lines.next(line)) {
        wrong = importer.add_line(line, lines.number());
    }
    if (!lines.problem().empty()) return lines.problem();
    if (wrong == nullptr && importer.problem().empty()) wrong = importer.finish();
    if (wrong != nullptr) return "line " + std::to_string(lines.number()) + ": " + wrong;
    return importer.problem();
}

}  // namespace malloom::native
