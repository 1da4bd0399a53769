// Plans of random bytes in random places, driven by operations that are random bytes too: whatever a plan
// says, objects do not overlap, have their room, and nothing crashes.
#include <algorithm>
#include <random>

#include "tests/amount.h"
#include "tests/runtime/heaps/compositions.h"

namespace malloom::tests {
namespace {

using Bytes = std::vector<uint64_t>;

PlanBuilder random_plan(std::mt19937_64& random) {
    const bool by_sequence = random() % 3 == 0;
    PlanBuilder builder((random() % 65536) * 16,
                        by_sequence ? formats::plan::Matching::sequence : formats::plan::Matching::context);
    for (unsigned i = 0; i < random() % 5; ++i) {
        builder.groups.push_back({uint64_t{1} << (random() % 28), random() % 100000, random(), 0});
    }
    const auto slots = [&random] {
        std::vector<PlanBuilder::Slot> some;
        for (uint64_t i = random() % 400; i > 0; --i) {
            const bool is_wild = random() % 8 == 0;
            some.push_back({static_cast<uint32_t>(is_wild ? random() : random() % 2000),
                            static_cast<uint32_t>(random() % 32 == 0 ? random() : random() % 90)});
        }
        return some;
    };
    for (unsigned i = 0; i < composition_contexts; ++i) {
        if (by_sequence) {
            builder.add_sequence(slots());
        } else {
            builder.add_context(i + 1, slots(), static_cast<uint32_t>(random() % 6));
        }
    }
    return builder;
}

// Damage to the body, which is not verified at start; the header keeps its checksum.
void damage(Bytes& image, size_t bytes, std::mt19937_64& random) {
    for (unsigned i = 0; i < random() % 20; ++i) {
        const size_t place = sizeof(formats::plan::PlanHeader) / 8 + random() % (bytes / 8);
        if (place < image.size()) {
            image[place] = random() % 2 == 0 ? random() : image[place] ^ (uint64_t{1} << (random() % 64));
        }
    }
}

class Driver : public Composition {
  public:
    Driver(const Bytes& image, size_t bytes) {
        if (!open(image, bytes)) {
            return;
        }
        assign(requesters);
        if (const auto* found = plan.sequence(0)) {
            heap.plan.assign(in_sequence, found->first_slot, found->slots);
        }
    }
    ~Driver() override {
        for (const Object& object : objects) {
            check(object);
            deallocate(object.start);
        }
    }

    // One operation from 8 bytes.
    void operate(uint64_t code) {
        const size_t bytes = (code >> 8) % 64 == 0 ? (code >> 16) % 70000 : (code >> 16) % 1400;
        const auto context = static_cast<unsigned>(code >> 40);
        const auto mark = static_cast<unsigned char>(code >> 48);
        switch (objects.empty() ? 0 : code % 4) {
            case 0:
            case 1:
                add(allocate(bytes, size_t{1} << (code >> 56) % 9, context), bytes, mark);
                break;
            case 2:
                change(objects[(code >> 44) % objects.size()], bytes + 1, context);
                break;
            default:
                drop((code >> 44) % objects.size());
        }
    }

  private:
    struct Object {
        unsigned char* start;
        size_t bytes;
        unsigned char mark;
    };

    front::Requester& requester(size_t bytes, unsigned context) override {
        if (in_sequence.end != 0) {
            return heaps::advance_sequence(in_sequence, bytes) ? in_sequence : nobody;
        }
        return requesters[context % composition_contexts];
    }
    void add(void* start, size_t bytes, unsigned char mark) {
        ASSERT_NE(start, nullptr);
        ASSERT_GE(usable_size(start), bytes);
        objects.push_back({static_cast<unsigned char*>(start), bytes, mark});
        memset(start, mark, bytes);
    }
    void change(Object& object, size_t bytes, unsigned context) {
        check(object);
        object.start = static_cast<unsigned char*>(reallocate(object.start, bytes, context));
        ASSERT_NE(object.start, nullptr);
        object.bytes = std::min(object.bytes, bytes);
        check(object);
        object.bytes = bytes;
        memset(object.start, object.mark, bytes);
    }
    void drop(size_t index) {
        check(objects[index]);
        deallocate(objects[index].start);
        objects[index] = objects.back();
        objects.pop_back();
    }
    static void check(const Object& object) {
        const auto* end = object.start + object.bytes;
        ASSERT_TRUE(std::all_of(object.start, const_cast<unsigned char*>(end),
                                [&object](unsigned char byte) { return byte == object.mark; }));
    }

    front::Requester requesters[composition_contexts];
    front::Requester in_sequence;
    std::vector<Object> objects;
};

TEST(DamagedPlan, NeverMakesObjectsOverlap) {
    for (uint64_t seed = 0; seed < amount(uint64_t{300}); ++seed) {
        std::mt19937_64 random(seed);
        size_t bytes = 0;
        Bytes image = random_plan(random).build(bytes);
        damage(image, bytes, random);
        Driver driver(image, bytes);
        for (int step = 0; step < 2000; ++step) {
            driver.operate(random());
        }
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
    }
}

TEST(DamagedPlan, RandomBytesWithARightChecksumDoNoHarm) {
    for (uint64_t seed = 0; seed < amount(uint64_t{2000}); ++seed) {
        std::mt19937_64 random(seed);
        PlanBuilder builder(4096);
        builder.add_context(1, mixed_slots(0, 20));
        size_t bytes = 0;
        Bytes image = builder.build(bytes);
        for (unsigned i = 0; i < 1 + random() % 4; ++i) {
            // Fields after the magic and version.
            reinterpret_cast<uint32_t*>(&builder.header)[4 + random() % 34] =
                static_cast<uint32_t>(random() >> (random() % 64));
        }
        builder.header.header_bytes = sizeof builder.header;
        builder.header.file_bytes = bytes;
        builder.seal();
        memcpy(image.data(), &builder.header, sizeof builder.header);
        Driver driver(image, bytes);
        for (int step = 0; step < 50; ++step) {
            driver.operate(random());
        }
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace malloom::tests
