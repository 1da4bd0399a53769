#include "src/native/command/record.h"

#include <rapidjson/reader.h>

#include <algorithm>

namespace malloom::command {

namespace {

constexpr size_t deepest = 100;  // Python refuses what is nested far deeper

constexpr uint64_t most_bytes = 999'999'999'999'999'999;  // as many digits as the run time reads

enum class Kind { text, number, truth, null, object, other };

/// Reads JSON from its begin to its end, and keeps the names that lead to where it is. The last value of a
/// name counts, but a second allocator or variable is left to Python.
class RecordReader : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, RecordReader> {
  public:
    Record record() const {
        Record record = record_;
        if (record.has_allocator && !is_odd_ && has_name_ && has_library_ && has_variables_) {
            record.allocator = allocator_;
        }
        return record;
    }

    bool Default() { return take(Kind::other); }
    bool Int(int number) { return number >= 0 ? Uint64(static_cast<uint64_t>(number)) : Default(); }
    bool Uint(unsigned number) { return Uint64(number); }
    bool Uint64(uint64_t number) {
        number_ = number;
        return take(Kind::number);
    }
    bool Bool(bool truth) {
        is_true_ = truth;
        return take(Kind::truth);
    }
    bool Null() { return take(Kind::null); }
    bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        return take(Kind::text, {text, size});
    }
    bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        names_.back().assign(text, size);
        return true;
    }
    bool StartObject() { return (names_.empty() || take(Kind::object)) && enter(); }
    bool StartArray() { return take(Kind::other) && enter(); }
    bool EndObject(rapidjson::SizeType /*members*/) { return leave(); }
    bool EndArray(rapidjson::SizeType /*elements*/) { return leave(); }

  private:
    bool enter() {
        names_.emplace_back();
        return names_.size() < deepest;
    }
    bool leave() {
        names_.pop_back();
        return true;
    }

    bool is_at(std::initializer_list<std::string_view> path) const {
        return std::ranges::equal(names_, path);
    }

    /// A value, or the begin of one. False outside of an object: that is no record.
    bool take(Kind kind, std::string_view text = {}) {
        if (is_at({"heap"})) {
            take_heap(kind, text);
        } else if (is_at({"setting"})) {
            take_allocator(kind);
        } else if (names_.size() > 1 && names_[0] == "setting") {
            take_part(kind, text);
        }
        return !names_.empty();
    }

    void take_heap(Kind kind, std::string_view text) {
        record_.heap.reset();
        if (kind == Kind::null) record_.heap = Heap::plan;
        if (kind == Kind::text && text == name_of(Heap::pools)) record_.heap = Heap::pools;
    }

    void take_allocator(Kind kind) {
        is_odd_ = is_odd_ || record_.has_allocator || (kind != Kind::object && kind != Kind::null);
        record_.has_allocator = record_.has_allocator || kind != Kind::null;
    }

    void take_part(Kind kind, std::string_view text) {
        if (is_at({"setting", "allocator"})) {
            has_name_ = kind == Kind::text;
        } else if (is_at({"setting", "library"})) {
            has_library_ = kind == Kind::text;
            allocator_.library = text;
        } else if (is_at({"setting", "variables"})) {
            is_odd_ = is_odd_ || has_variables_;
            has_variables_ = kind == Kind::object;
        } else if (is_at({"setting", "up_to"})) {
            is_odd_ = is_odd_ || kind != Kind::number || number_ > most_bytes;
            allocator_.up_to = number_;
        } else if (is_at({"setting", "huge_beyond"})) {
            is_odd_ = is_odd_ || kind != Kind::truth;
            allocator_.huge_beyond = is_true_;
        } else if (names_.size() == 3 && names_[1] == "variables") {
            take_variable(kind, text);
        }
    }

    void take_variable(Kind kind, std::string_view text) {
        auto& variables = allocator_.variables;
        const auto has_name = [this](const auto& each) { return each.first == names_[2]; };
        is_odd_ = is_odd_ || kind != Kind::text || std::ranges::any_of(variables, has_name);
        variables.emplace_back(names_[2], text);
    }

    std::vector<std::string> names_;
    uint64_t number_ = 0;   ///< the last one
    bool is_true_ = false;  ///< the last one
    Record record_;
    NamedAllocator allocator_;
    bool is_odd_ = false;
    bool has_name_ = false;
    bool has_library_ = false;
    bool has_variables_ = false;
};

}  // namespace

std::optional<Record> read_record(std::string_view text) {
    constexpr unsigned strictly = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::Reader parser;
    RecordReader reader;
    if (parser.Parse<strictly>(stream, reader).IsError()) return std::nullopt;
    return reader.record();
}

}  // namespace malloom::command
