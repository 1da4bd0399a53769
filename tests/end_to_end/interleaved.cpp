// A table as programs read it from their input. What is walked later, records and their keys, is allocated in
// between what is kept for the end, texts and notes, in equal sizes and through one wrapper, so a general
// allocator mixes them. Every record has a key and one to four texts; notes come at random.
//
//     interleaved RECORDS WALKS SEED
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>

namespace {

constexpr size_t object_bytes = 32;

struct Key {
    uint64_t value;
    uint64_t weight;
};

struct Text {
    Text* next;
    char letters[24];
};

struct Record {
    Record* next;
    Key* key;
    Text* texts;
    uint64_t* note;
};
static_assert(sizeof(Record) == object_bytes && sizeof(Text) == object_bytes && sizeof(Key) <= object_bytes);

// Who asks is told from the caller's caller only, as in many programs.
[[gnu::noinline]] void* allocate() {
    void* object = malloc(object_bytes);
    if (object == nullptr) {
        abort();
    }
    return object;
}

[[gnu::noinline]] Key* make_key(uint64_t value) {
    return new (allocate()) Key{value, value % 7};
}

[[gnu::noinline]] Text* make_text(Text* next, uint64_t value) {
    Text* text = new (allocate()) Text{next, {}};
    snprintf(text->letters, sizeof text->letters, "%llu", static_cast<unsigned long long>(value));
    return text;
}

[[gnu::noinline]] uint64_t* make_note(uint64_t value) {
    return new (allocate()) uint64_t{value};
}

[[gnu::noinline]] Record* make_record(Record* next, Key* key, Text* texts) {
    return new (allocate()) Record{next, key, texts, nullptr};
}

Record* build(long records, uint64_t seed) {
    std::minstd_rand random(static_cast<unsigned>(seed));
    Record* first = nullptr;
    for (long i = 0; i < records; ++i) {
        const uint64_t value = random();
        Key* key = make_key(value);
        Text* texts = nullptr;
        for (uint64_t left = 1 + value % 4; left > 0; --left) {
            texts = make_text(texts, value);
        }
        first = make_record(first, key, texts);
        first->note = value % 3 != 0 ? make_note(value) : nullptr;
    }
    return first;
}

uint64_t walk(Record* first) {
    uint64_t sum = 0;
    for (Record* record = first; record != nullptr; record = record->next) {
        sum = sum * 31 + record->key->value * record->key->weight;
    }
    return sum;
}

template <typename Node, typename Release>
void release_list(Node* first, Release release) {
    while (first != nullptr) {
        Node* next = first->next;
        release(first);
        first = next;
    }
}

void release(Record* first) {
    release_list(first, [](Record* record) {
        release_list(record->texts, free);
        free(record->key);
        free(record->note);
        free(record);
    });
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        fprintf(stderr, "use: interleaved RECORDS WALKS SEED\n");
        return 2;
    }
    Record* first = build(atol(arguments[1]), strtoull(arguments[3], nullptr, 10));
    uint64_t sum = 0;
    for (long i = atol(arguments[2]); i > 0; --i) {
        sum += walk(first);
    }
    printf("%llu\n", static_cast<unsigned long long>(sum));
    release(first);
    return 0;
}
