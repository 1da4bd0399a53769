// A small grammar of English-like sentences: each rule makes a constituent of two that follow each other. It
// has more than one reading for most sentences, since phrases with prepositions and conjunctions attach in
// several places.
#ifndef WORKLOADS_SENTENCES_GRAMMAR_H
#define WORKLOADS_SENTENCES_GRAMMAR_H

enum category {
    clause,       ///< the whole sentence
    noun_phrase,  ///< also a name, as a word
    verb_phrase,  ///< also a verb without object
    noun,         ///< with adjectives before it or without
    preposition_phrase,
    joined_clause,  ///< with its conjunction
    joined_noun_phrase,
    article,
    adjective,
    verb,
    preposition,
    conjunction,
    categories,
};

struct rule {
    unsigned char whole, left, right;
};

extern const struct rule rules[];
extern const unsigned rules_count;
extern const char* const category_names[categories];

#endif
