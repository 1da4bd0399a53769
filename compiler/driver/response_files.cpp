#include "compiler/driver/response_files.h"

#include <optional>

#include "compiler/driver/files.h"

namespace malloom::driver {

namespace {

// Files that name each other would never end.
constexpr unsigned most_levels = 32;

// Splits a text into words. Quotes are seen within words too, and leave nothing where they hold nothing.
class Words {
  public:
    explicit Words(const std::string& text) : text_(text) {}

    Arguments all() {
        for (; at_ < text_.size(); ++at_) {
            const char character = text_[at_];
            if (character == '"' || character == '\'') {
                take_quoted(character);
            } else if (is_space(character)) {
                end_word();
            } else {
                take();
            }
        }
        end_word();
        return words_;
    }

  private:
    static bool is_space(char character) {
        return character == ' ' || character == '\t' || character == '\n' || character == '\r';
    }

    void take() {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        word_ += text_[at_];
    }

    void take_quoted(char quote) {
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) take();
    }

    void end_word() {
        if (!word_.empty()) words_.push_back(word_);
        word_.clear();
    }

    const std::string& text_;
    size_t at_ = 0;
    std::string word_;
    Arguments words_;
};

void expand(const Arguments& arguments, unsigned level, Arguments& result) {
    for (const std::string& argument : arguments) {
        std::optional<std::string> text;
        // A pipe can be read once only, and that is for clang to do.
        if (argument.starts_with('@') && level < most_levels) text = text_of(argument.c_str() + 1);
        if (text) {
            expand(Words(*text).all(), level + 1, result);
        } else {
            result.push_back(argument);
        }
    }
}

}  // namespace

Arguments expanded(const Arguments& arguments) {
    Arguments result;
    expand(arguments, 0, result);
    return result;
}

}  // namespace malloom::driver
