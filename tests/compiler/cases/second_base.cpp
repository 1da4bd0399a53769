// Two bases with virtual functions: a pointer to the second one leads into the object, dynamic_cast leads
// from one to the other, and objects are deleted by either.
// proves: 48 no
#include <cstdio>

struct named {
    long name;
    explicit named(long name) : name(name) {}
    virtual ~named() {}
    virtual long text() const { return name; }
};

struct counted {
    long count = 1;
    counted* next = nullptr;
    virtual ~counted() {}
    virtual long number() const { return count; }
};

struct both : named, counted {
    int mark;
    both(long name, int mark) : named(name), mark(mark) {}
    long text() const override { return name * mark; }
    long number() const override { return count + mark; }
};

static counted* all;

int main() {
    for (int i = 0; i < 100; ++i) {
        both* made = new both(i, i % 7);
        made->next = all;
        made->count = i;
        all = made;
    }
    long sum = 0;
    for (counted* each = all; each != nullptr; each = each->next) {
        sum = sum * 31 + each->number();
        if (named* found = dynamic_cast<named*>(each)) {
            sum = sum * 31 + found->text();
            found->name += 1;
        }
        if (both* found = dynamic_cast<both*>(each)) {
            sum += found->name + found->mark;
        }
    }
    for (int i = 0; all != nullptr; ++i) {
        counted* gone = all;
        all = gone->next;
        if (i % 2 == 0) {
            delete gone;
        } else {
            delete dynamic_cast<named*>(gone);
        }
    }
    std::printf("%ld\n", sum);
    return 0;
}
