#include "workloads/sentences/grammar.h"

const struct rule rules[] = {
    {clause, noun_phrase, verb_phrase},
    {clause, clause, joined_clause},
    {joined_clause, conjunction, clause},
    {noun_phrase, article, noun},
    {noun_phrase, noun_phrase, preposition_phrase},
    {noun_phrase, noun_phrase, joined_noun_phrase},
    {joined_noun_phrase, conjunction, noun_phrase},
    {noun, adjective, noun},
    {verb_phrase, verb, noun_phrase},
    {verb_phrase, verb_phrase, preposition_phrase},
    {preposition_phrase, preposition, noun_phrase},
};
const unsigned rules_count = sizeof rules / sizeof *rules;

const char* const category_names[categories] = {
    "clause",        "noun_phrase",        "verb_phrase", "noun",      "preposition_phrase",
    "joined_clause", "joined_noun_phrase", "article",     "adjective", "verb",
    "preposition",   "conjunction",
};
