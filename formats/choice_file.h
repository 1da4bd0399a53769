// A reader of choices, for compilers: which policy the structures of a program get, as measured runs chose
// it (`malloom optimize --build`). Text that a person may change (docs/formats.md). Needs no exceptions.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace malloom::formats {

/// One call of the source, the innermost of a request first. A number of 0 is not known.
struct ChoiceCall {
    unsigned line, column;
    unsigned function_line;  ///< where the function is declared
    std::string_view function, file_name;
};

/// Where objects are requested: the same that tables of call sites say of a site.
struct ChoiceRequest {
    std::string_view callee;
    unsigned ordinal, alike, copies;
    unsigned inlined_calls;
    std::vector<ChoiceCall> calls = {};
};

struct ChoiceStructure {
    std::string_view policy;
    std::string_view name;  ///< for people
    std::vector<ChoiceRequest> requests = {};
};

class ChoiceFile {
  public:
    static constexpr size_t most_bytes = size_t{1} << 26;
    static constexpr const char* too_long = "is too long for a choice";
    static constexpr std::string_view first_line = "choice of policies 1";
    static constexpr std::string_view policies[] = {"none", "pool", "maximal", "hot-cold", "default"};
    static constexpr std::string_view fallbacks[] = {"mimalloc", "libc"};
    static constexpr std::string_view huge_pages[] = {"early", "late"};

    /// Reads a text that stays the caller's. On failure says false, and `problem()` why.
    bool open(std::string_view text) {
        *this = ChoiceFile();
        if (take_line(text) != first_line) return refuse("is no choice that this malloom reads");
        while (!text.empty() && problem_.empty()) {
            read(take_line(text));
        }
        if (problem_.empty() && others_.empty()) refuse("does not say what is done with other structures");
        return problem_.empty();
    }

    const std::string& problem() const { return problem_; }
    const std::vector<ChoiceStructure>& structures() const { return structures_; }
    /// What is done with structures that it does not tell of.
    std::string_view others() const { return others_; }
    /// The table of fields that policies go by, from the choice's folder on; empty: none.
    std::string_view profile() const { return profile_; }
    /// What serves all that comes from no pool; empty where it does not say so, which is the C library.
    std::string_view fallback() const { return fallback_; }
    /// When pools ask for huge pages; empty where it does not say so, which is late.
    std::string_view huge() const { return huge_; }

  private:
    bool refuse(std::string_view problem) {
        problem_ = problem;
        return false;
    }

    std::string_view take_line(std::string_view& text) {
        ++line_;
        return take(text, '\n');
    }

    static std::string_view take(std::string_view& text, char end) {
        const size_t length = std::min(text.find(end), text.size());
        const std::string_view taken = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        return taken;
    }

    void read(std::string_view line) {
        if (line.empty() || line.starts_with('#')) return;
        const std::string_view word = take(line, ' ');
        const bool is_good = word == "others"      ? read_policy(line, others_) && line.empty()
                             : word == "profile"   ? read_rest(line, profile_)
                             : word == "fallback"  ? read_one_of(fallbacks, line, fallback_)
                             : word == "huge"      ? read_one_of(huge_pages, line, huge_)
                             : word == "structure" ? read_structure(line)
                             : word == "request"   ? read_request(line)
                             : word == "call"      ? read_call(line)
                                                   : false;
        if (!is_good) refuse("has a line " + std::to_string(line_) + " that says nothing");
    }

    static bool read_policy(std::string_view& line, std::string_view& policy) {
        policy = take(line, ' ');
        return std::ranges::find(policies, policy) != std::end(policies);
    }

    static bool read_rest(std::string_view line, std::string_view& rest) {
        rest = line;
        return !rest.empty();
    }

    template <size_t count>
    static bool read_one_of(const std::string_view (&words)[count], std::string_view line,
                            std::string_view& word) {
        word = line;
        return std::ranges::find(words, word) != std::end(words);
    }

    static bool read_number(std::string_view& line, unsigned& number) {
        const std::string_view digits = take(line, ' ');
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return error == std::errc() && end == digits.data() + digits.size();
    }

    bool read_structure(std::string_view line) {
        ChoiceStructure& structure = structures_.emplace_back();
        const bool is_good = read_policy(line, structure.policy);
        structure.name = line;
        return is_good;
    }

    bool read_request(std::string_view line) {
        if (structures_.empty()) return false;
        ChoiceRequest& request = structures_.back().requests.emplace_back();
        request.callee = take(line, ' ');
        return read_number(line, request.ordinal) && read_number(line, request.alike) &&
               read_number(line, request.copies) && read_number(line, request.inlined_calls) && line.empty();
    }

    bool read_call(std::string_view line) {
        if (structures_.empty() || structures_.back().requests.empty()) return false;
        ChoiceCall& call = structures_.back().requests.back().calls.emplace_back();
        const bool has_numbers = read_number(line, call.line) && read_number(line, call.column) &&
                                 read_number(line, call.function_line);
        call.function = take(line, ' ');
        return has_numbers && call.line != 0 && read_rest(line, call.file_name);
    }

    std::string problem_;
    size_t line_ = 0;
    std::string_view others_, profile_, fallback_, huge_;
    std::vector<ChoiceStructure> structures_;
};

}  // namespace malloom::formats
