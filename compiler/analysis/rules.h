// The rules of the analysis, each with the sentence that says why it refuses. Tests show of each what goes
// wrong without it: their plugin (tests/compiler/plugin) leaves out those that an option names, and ours
// none.
#pragma once

#include <cstdint>

namespace malloom::compiler {

enum class Rule : uint8_t {
#define RULE(name, sentence) name,
#include "compiler/analysis/rules.def"
#undef RULE
};

/// As remarks say it: what goes on from "an object".
constexpr const char* sentence_of(Rule rule) {
    constexpr const char* sentences[] = {
#define RULE(name, sentence) sentence,
#include "compiler/analysis/rules.def"
#undef RULE
    };
    return sentences[static_cast<uint8_t>(rule)];
}

/// Whether the rule does not count.
bool is_left_out(Rule rule);

}  // namespace malloom::compiler
