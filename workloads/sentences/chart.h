// A chart parser: all constituents of a sentence, each once, from its first word to its last.
#ifndef WORKLOADS_SENTENCES_CHART_H
#define WORKLOADS_SENTENCES_CHART_H

#include <stdint.h>

#include "workloads/sentences/dictionary.h"

/// One of the ways in which a constituent is made of two.
struct reading {
    struct reading* next;
    struct constituent *left, *right;
};

/// 16 bytes where pointers have 4.
struct constituent {
    struct constituent* next;  ///< of those that end with the same word
    struct reading* readings;  ///< none, where it is a word
    uint32_t parses;           ///< modulo 2^32; 0 as long as they are not counted
    uint8_t category;
    uint16_t begin;
};

/// A rule whose left part is there.
struct expectation {
    struct expectation* next;  ///< of those that wait for the same category at the same place
    struct constituent* left;
    uint8_t whole;
};

/// What ends at one place, and what is expected to begin there.
struct place {
    struct constituent *first, *last;
    struct expectation* expected[categories];
};

struct chart {
    uint32_t words;
    struct place* places;  ///< one before each word, and one after the last
};

struct chart new_chart(uint32_t most);
/// The sentence goes on with this word.
void add_to_chart(struct chart* chart, const struct word* word);
/// How many readings as one clause the words so far have, modulo 2^32.
uint32_t parses_of(const struct chart* chart);
void release_chart(struct chart* chart);

#endif
