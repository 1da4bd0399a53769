// What is known of words: a tree by their letters.
#ifndef WORKLOADS_SENTENCES_DICTIONARY_H
#define WORKLOADS_SENTENCES_DICTIONARY_H

#include <stdint.h>

#include "workloads/sentences/grammar.h"

/// What a word can be.
struct sense {
    struct sense* next;
    enum category category;
};

/// 16 bytes where pointers have 4.
struct word {
    char* text;
    struct sense* senses;
    struct word *before, *after;
};

/// Words with the senses of that many nouns, and of the other categories in proportion. Some nouns are verbs
/// too.
struct dictionary {
    struct word* top;
    uint32_t words;
    uint32_t nouns;
};

struct dictionary new_dictionary(uint32_t nouns, uint64_t* seed);
void release_dictionary(struct dictionary* dictionary);

/// NULL where there is none.
const struct word* word_of(const struct dictionary* dictionary, const char* text);
/// A word that can be of that category; released by the caller. There are some of each category that no
/// other has as its whole.
char* random_word(const struct dictionary* dictionary, enum category category, uint64_t* seed);
/// All words by their letters, a line each.
void print_words(const struct word* top);

#endif
