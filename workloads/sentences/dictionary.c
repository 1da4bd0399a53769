#include "workloads/sentences/dictionary.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/random.h"

enum { longest_word = 16, double_sense_each = 6 };

/// How many words of that category there are.
static uint32_t words_of(const struct dictionary* dictionary, enum category category) {
    static const uint8_t nouns_a_word[categories] = {
        [noun_phrase] = 5, [verb_phrase] = 5, [noun] = 1,         [article] = 40,
        [adjective] = 3,   [verb] = 3,        [preposition] = 20, [conjunction] = 60};
    return nouns_a_word[category] == 0 ? 0 : dictionary->nouns / nouns_a_word[category] + 1;
}

/// The word of that number: syllables that say it, so that no two words are the same.
static char* spelled(uint32_t number) {
    static const char consonants[] = "bdfgklmnprstvz", vowels[] = "aeiou";
    enum { consonant_count = sizeof consonants - 1, vowel_count = sizeof vowels - 1 };
    char text[longest_word];
    size_t length = 0;
    do {
        text[length++] = consonants[number % consonant_count];
        text[length++] = vowels[number / consonant_count % vowel_count];
        number /= consonant_count * vowel_count;
    } while (number > 0 && length + 3 < longest_word);
    text[length++] = 0;
    return memcpy(or_exit(malloc(length)), text, length);
}

/// The numbers of words go by category, so that a number says the category and a place in it.
static uint32_t number_of(const struct dictionary* dictionary, enum category category, uint32_t place) {
    uint32_t number = place;
    for (enum category before = 0; before < category; ++before) number += words_of(dictionary, before);
    return number;
}

static void add_sense(struct word* word, enum category category) {
    struct sense* made = or_exit(malloc(sizeof *made));
    *made = (struct sense){.next = word->senses, .category = category};
    word->senses = made;
}

/// Takes the text over. The word is new.
static struct word* add_word(struct dictionary* dictionary, char* text) {
    struct word** at = &dictionary->top;
    while (*at != NULL) at = strcmp(text, (*at)->text) < 0 ? &(*at)->before : &(*at)->after;
    *at = or_exit(malloc(sizeof **at));
    **at = (struct word){.text = text};
    ++dictionary->words;
    return *at;
}

static void add_category(struct dictionary* dictionary, enum category category, uint64_t* seed) {
    const uint32_t count = words_of(dictionary, category);
    for (uint32_t place = 0; place < count; ++place) {
        struct word* word = add_word(dictionary, spelled(number_of(dictionary, category, place)));
        add_sense(word, category);
        const bool has_two = category == noun && random_below(seed, double_sense_each) == 0;
        if (has_two) add_sense(word, verb);
    }
}

struct dictionary new_dictionary(uint32_t nouns, uint64_t* seed) {
    struct dictionary made = {.nouns = nouns};
    for (enum category category = 0; category < categories; ++category) add_category(&made, category, seed);
    return made;
}

static void release_words(struct word* top) {
    if (top == NULL) return;
    release_words(top->before);
    release_words(top->after);
    for (struct sense *at = top->senses, *next; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    free(top->text);
    free(top);
}

void release_dictionary(struct dictionary* dictionary) {
    release_words(dictionary->top);
    dictionary->top = NULL;
}

const struct word* word_of(const struct dictionary* dictionary, const char* text) {
    const struct word* at = dictionary->top;
    while (at != NULL) {
        const int order = strcmp(text, at->text);
        if (order == 0) break;
        at = order < 0 ? at->before : at->after;
    }
    return at;
}

char* random_word(const struct dictionary* dictionary, enum category category, uint64_t* seed) {
    const uint32_t place = (uint32_t)random_below(seed, words_of(dictionary, category));
    return spelled(number_of(dictionary, category, place));
}

void print_words(const struct word* top) {
    if (top == NULL) return;
    print_words(top->before);
    printf("word %s", top->text);
    for (const struct sense* at = top->senses; at != NULL; at = at->next) {
        printf(" %s", category_names[at->category]);
    }
    printf("\n");
    print_words(top->after);
}
