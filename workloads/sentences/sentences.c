// sentences COUNT NOUNS [SEED [text]]: makes sentences at random, from a dictionary with so many nouns and a
// grammar, and finds all ways to read each. In the character of parser, which Li, Mohanty and Kavi's table 3
// gives objects of 16 bytes: the dictionary stays, and what is found in a sentence, constituents and how they
// are made of each other, is small objects that are released before the next one.
//
// Prints how many words and readings there are, readings modulo 2^32, and a check sum of each sentence's
// readings; with `text` also the words of the dictionary, and each sentence after the number of its readings.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/random.h"
#include "workloads/sentences/chart.h"
#include "workloads/sentences/dictionary.h"

enum { deepest = 7, most_nouns = 100000, most_sentences = 1000000 };

/// Words with a space after each.
struct text {
    char* letters;
    size_t length, room;
};

static void append(struct text* text, const char* word) {
    const size_t length = strlen(word), needed = text->length + length + 2;
    if (needed > text->room) {
        text->room = 2 * needed;
        text->letters = or_exit(realloc(text->letters, text->room));
    }
    memcpy(text->letters + text->length, word, length);
    text->length += length + 1;
    text->letters[text->length - 1] = ' ';
    text->letters[text->length] = 0;
}

/// A rule that makes this category, or NULL for a word: most often so where a word can be of it, and always
/// where the sentence has grown deep.
static const struct rule* random_rule(enum category category, int depth, uint64_t* seed) {
    const struct rule* shortest = NULL;
    const struct rule* some[8];
    unsigned count = 0;
    for (unsigned i = 0; i < rules_count; ++i) {
        if (rules[i].whole != category) continue;
        if (shortest == NULL) shortest = &rules[i];
        some[count++] = &rules[i];
    }
    const bool can_be_word = category == noun_phrase || category == verb_phrase || category == noun;
    if (count == 0 || (can_be_word && (depth >= deepest || random_below(seed, 3) == 0))) return NULL;
    return depth >= deepest ? shortest : some[random_below(seed, count)];
}

static void make_sentence(const struct dictionary* dictionary, enum category category, int depth,
                          uint64_t* seed, struct text* text) {
    const struct rule* rule = random_rule(category, depth, seed);
    if (rule == NULL) {
        char* word = random_word(dictionary, category, seed);
        append(text, word);
        free(word);
        return;
    }
    make_sentence(dictionary, rule->left, depth + 1, seed, text);
    make_sentence(dictionary, rule->right, depth + 1, seed, text);
}

struct totals {
    unsigned long words;
    uint32_t parses, sum;
};

static uint32_t words_in(const struct text* text) {
    uint32_t words = 0;
    for (size_t i = 0; i < text->length; ++i) words += text->letters[i] == ' ';
    return words;
}

static uint32_t parses_in(const struct dictionary* dictionary, const struct text* text) {
    struct chart chart = new_chart(words_in(text));
    for (const char *at = text->letters, *end; *at != 0; at = end + 1) {
        end = strchr(at, ' ');
        char* copy = or_exit(calloc((size_t)(end - at) + 1, 1));
        memcpy(copy, at, (size_t)(end - at));
        add_to_chart(&chart, word_of(dictionary, copy));
        free(copy);
    }
    const uint32_t parses = parses_of(&chart);
    release_chart(&chart);
    return parses;
}

static struct totals read_sentences(const struct dictionary* dictionary, long count, uint64_t* seed,
                                    bool prints) {
    struct totals totals = {.sum = UINT32_C(2166136261)};
    for (long i = 0; i < count; ++i) {
        struct text text = {0};
        make_sentence(dictionary, clause, 0, seed, &text);
        const uint32_t parses = parses_in(dictionary, &text);
        if (prints) printf("%lu: %s\n", (unsigned long)parses, text.letters);
        totals.words += words_in(&text);
        totals.parses += parses;
        totals.sum = (totals.sum ^ parses) * UINT32_C(16777619);
        free(text.letters);
    }
    return totals;
}

int main(int count, char** arguments) {
    const long sentences = count >= 3 ? atol(arguments[1]) : 0, nouns = count >= 3 ? atol(arguments[2]) : 0;
    uint64_t seed = random_begin(count >= 4 ? strtoul(arguments[3], NULL, 10) : 1);
    const bool prints = count == 5 && strcmp(arguments[4], "text") == 0;
    if (sentences < 1 || sentences > most_sentences || nouns < 1 || nouns > most_nouns ||
        count > (prints ? 5 : 4)) {
        fprintf(stderr, "usage: sentences COUNT NOUNS [SEED [text]] (at most %d, %d)\n", most_sentences,
                most_nouns);
        return 2;
    }
    struct dictionary dictionary = new_dictionary((uint32_t)nouns, &seed);
    if (prints) print_words(dictionary.top);
    const struct totals totals = read_sentences(&dictionary, sentences, &seed, prints);
    printf("sentences %ld words %lu parses %lu sum %08lx\n", sentences, totals.words,
           (unsigned long)totals.parses, (unsigned long)totals.sum);
    release_dictionary(&dictionary);
    return 0;
}
