#include "workloads/sentences/chart.h"

#include <stddef.h>
#include <stdlib.h>

#include "workloads/memory.h"

struct chart new_chart(uint32_t most) {
    return (struct chart){.places = or_exit(calloc(most + 1, sizeof(struct place)))};
}

/// The one of that category and begin that ends here, made where there is none yet. New ones come last, so
/// that who walks over them comes to them too.
static struct constituent* constituent_of(struct place* end, uint8_t category, uint16_t begin) {
    for (struct constituent* at = end->first; at != NULL; at = at->next) {
        if (at->category == category && at->begin == begin) return at;
    }
    struct constituent* made = or_exit(malloc(sizeof *made));
    *made = (struct constituent){.category = category, .begin = begin};
    if (end->first == NULL) {
        end->first = made;
    } else {
        end->last->next = made;
    }
    end->last = made;
    return made;
}

static void add_reading(struct constituent* whole, struct constituent* left, struct constituent* right) {
    struct reading* made = or_exit(malloc(sizeof *made));
    *made = (struct reading){.next = whole->readings, .left = left, .right = right};
    whole->readings = made;
}

static void expect(struct place* end, const struct rule* rule, struct constituent* left) {
    struct expectation* made = or_exit(malloc(sizeof *made));
    *made = (struct expectation){.next = end->expected[rule->right], .left = left, .whole = rule->whole};
    end->expected[rule->right] = made;
}

/// All that a new constituent is the right part of, and what it is the left part of.
static void combine(struct chart* chart, struct place* end, struct constituent* found) {
    const struct place* begin = &chart->places[found->begin];
    for (struct expectation* at = begin->expected[found->category]; at != NULL; at = at->next) {
        add_reading(constituent_of(end, at->whole, at->left->begin), at->left, found);
    }
    for (unsigned i = 0; i < rules_count; ++i) {
        if (rules[i].left == found->category) expect(end, &rules[i], found);
    }
}

void add_to_chart(struct chart* chart, const struct word* word) {
    const uint16_t begin = (uint16_t)chart->words;
    struct place* end = &chart->places[++chart->words];
    for (const struct sense* at = word->senses; at != NULL; at = at->next) {
        constituent_of(end, (uint8_t)at->category, begin)->parses = 1;
    }
    for (struct constituent* at = end->first; at != NULL; at = at->next) combine(chart, end, at);
}

/// Counts those of its parts before. No part has the whole's words, so this ends.
static uint32_t count_parses(struct constituent* whole) {
    if (whole->parses != 0) return whole->parses;
    for (const struct reading* at = whole->readings; at != NULL; at = at->next) {
        whole->parses += count_parses(at->left) * count_parses(at->right);
    }
    return whole->parses;
}

uint32_t parses_of(const struct chart* chart) {
    for (struct constituent* at = chart->places[chart->words].first; at != NULL; at = at->next) {
        if (at->category == clause && at->begin == 0) return count_parses(at);
    }
    return 0;
}

static void release_constituent(struct constituent* whole) {
    for (struct reading *at = whole->readings, *next; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    free(whole);
}

static void release_place(struct place* place) {
    for (struct constituent *at = place->first, *next; at != NULL; at = next) {
        next = at->next;
        release_constituent(at);
    }
    for (int category = 0; category < categories; ++category) {
        for (struct expectation *at = place->expected[category], *next; at != NULL; at = next) {
            next = at->next;
            free(at);
        }
    }
}

void release_chart(struct chart* chart) {
    for (uint32_t i = 0; i <= chart->words; ++i) release_place(&chart->places[i]);
    free(chart->places);
}
