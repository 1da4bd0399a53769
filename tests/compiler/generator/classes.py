"""What only programs of C++ have."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

from compiler.generator.writer import Writer

SECOND_BASE = """struct left_base {
    long left;
    explicit left_base(long v) : left(v) {}
    virtual ~left_base() {}
    virtual long one() const { return left; }
};
struct right_base {
    right_base* next; int right;
    right_base(int v, right_base* n) : next(n), right(v) {}
    virtual ~right_base() {}
    virtual long other() const { return right; }
};
struct joined : left_base, right_base {
    short own;
    joined(unsigned v, right_base* n) : left_base((long)v), right_base((int)(v % 77), n), own((short)(v % 9)) {}
    long other() const override { return left + own; }
};
static right_base* rights;
KEEP static void second_base(unsigned v) {
    rights = v % 3 ? (right_base*)new joined(v % 100, rights) : new right_base((int)(v % 50), rights);
    for (right_base* r = rights; r != nullptr; r = r->next) {
        mix((unsigned long)r->other());
        if (left_base* l = dynamic_cast<left_base*>(r)) { mix((unsigned long)l->one()); l->left += 1; }
    }
    if (v % 5 == 0) {
        right_base* gone = rights; rights = gone->next;
        if (left_base* l = dynamic_cast<left_base*>(gone)) delete l; else delete gone;
    }
}"""

ARRAY_NEW = """struct counted { int key; ~counted() { mix((unsigned long)key); } };
struct row { row* next; counted* all; unsigned count; };
static row* rows;
KEEP static void array_new(unsigned v) {
    row* r = new row; r->count = v % 5 + 1; r->all = new counted[r->count]; r->next = rows; rows = r;
    for (unsigned i = 0; i < r->count; ++i) r->all[i].key = (int)(v % 13 + i);
    for (row* q = rows; q != nullptr; q = q->next) mix((unsigned long)q->all[q->count - 1].key);
    if (v % 3 == 0) { row* gone = rows; rows = gone->next; delete[] gone->all; delete gone; }
}"""

ALIGNED_CLASS = """struct alignas(64) wide { wide* next; long hits; int owner; };
static wide* wides;
KEEP static void aligned_class(unsigned v) {
    wide* w = new wide; w->next = wides; w->hits = (long)(v % 100); w->owner = (int)(v % 7); wides = w;
    for (wide* q = wides; q != nullptr; q = q->next) { mix((unsigned long)(q->hits + q->owner)); q->hits += 1; }
    if (v % 4 == 1) { wide* gone = wides; wides = gone->next; delete gone; }
}"""

THROWN_POINTER = """struct token { token* next; int id; long count; };
static token* tokens;
KEEP static void judge(token* t) { if (t->id % 3 == 1) throw t; mix((unsigned long)t->id); }
KEEP static void thrown_pointer(unsigned v) {
    token* made = new token; made->next = tokens; made->id = (int)(v % 30); made->count = 2; tokens = made;
    for (token* t = tokens; t != nullptr; t = t->next) {
        try { judge(t); } catch (token* got) { got->count += 3; mix((unsigned long)got->count); }
    }
}"""

SOME_HAVE = {
    "second-base": SECOND_BASE,
    "array-new": ARRAY_NEW,
    "aligned-class": ALIGNED_CLASS,
    "thrown-pointer": THROWN_POINTER,
}
"""Each with a function of its name."""


RELATIVE_OPTIONS = ("-fexperimental-relative-c++-abi-vtables", "-fno-rtti")
"""clang's own: tables of virtual functions hold differences of addresses."""

RELATIVE_FAMILY = """struct shape {
    shape* next; long weight; int sides;
    shape(unsigned v, shape* n) : next(n), weight((long)v), sides((int)(v % 5)) {}
    virtual ~shape() {}
    virtual long area() const { return weight * sides; }
    virtual shape* inner() { return this; }
};
struct framed : shape {
    shape* held; short border;
    framed(unsigned v, shape* n, shape* h) : shape(v, n), held(h), border((short)(v % 9)) {}
    long area() const override { return held->area() + border; }
    shape* inner() override { return held->inner(); }
};
static shape* shapes;
KEEP static void relative_vtable(unsigned v) {
    shapes = v % 2 && shapes != nullptr ? new framed(v % 100, shapes, shapes) : new shape(v % 50, shapes);
    for (shape* s = shapes; s != nullptr; s = s->next) {
        mix((unsigned long)s->area());
        s->inner()->weight += 1;
    }
}"""


class Classes(Writer):
    """Classes with virtual functions, and with requests of their own."""

    options: tuple[str, ...] = ()

    def add_classes(self) -> None:
        if self.maybe(0.3):
            self.has("relative-vtable")
            self.options = RELATIVE_OPTIONS
            self.parts.append(RELATIVE_FAMILY)
            self.main.append("for (int i = 0; i < 10; ++i) relative_vtable(next_random());")
            return
        self.add_family()
        for construct, text in SOME_HAVE.items():
            if self.maybe(0.5):
                self.has(construct)
                self.parts.append(text)
                self.main.append(f"for (int i = 0; i < 8; ++i) {construct.replace('-', '_')}(next_random());")

    def add_family(self) -> None:
        for construct in (
            "vtable",
            "dynamic-cast",
            "exception",
            "placement-new",
            "class-new",
            "sized-delete",
            "new",
        ):
            self.has(construct)
        shuffled = [f"int a{i};" for i in range(self.random.randint(1, 4))] + ["long weight;"]
        self.random.shuffle(shuffled)
        self.parts.append(
            "#include <new>\nstruct base { base* next; "
            + " ".join(shuffled)
            + """
    base(unsigned v, base* n) : next(n), a0((int)v), weight((long)v * 2) {}
    virtual ~base() {}
    virtual long value() const { return a0 + weight; }
};
struct derived : base {
    double extra; static void* spare;
    derived(unsigned v, base* n) : base(v, n), extra(v) {}
    long value() const override { return weight - (long)extra; }
    static void* operator new(size_t bytes) { return spare != nullptr ? take() : malloc(bytes); }
    static void operator delete(void* at, size_t bytes) { mix(bytes > 8); if (spare == nullptr) spare = at; else free(at); }
    static void* take() { void* at = spare; spare = nullptr; return at; }
};
void* derived::spare = nullptr;
struct plain { plain* next; int key; long count; short tag; };
static base* bases; static plain* plains;
KEEP static void complain(base* b) { if (b->value() % 3 == 0) throw b->value(); mix(1); }
KEEP static void classes(unsigned v) {
    bases = v % 2 ? new base(v % 100, bases) : (base*)new derived(v % 100, bases);
    plain* p = new plain; p->next = plains; p->key = (int)(v % 50); p->count = 3; p->tag = 4; plains = p;
    for (base* b = bases; b != nullptr; b = b->next) {
        mix((unsigned long)b->value());
        if (derived* d = dynamic_cast<derived*>(b)) mix((unsigned long)(long)d->extra);
        try { complain(b); } catch (long& got) { mix((unsigned long)got); }
    }
    for (plain* q = plains; q != nullptr; q = q->next) { mix((unsigned long)(q->key + q->count)); q->count += q->tag; }
    alignas(plain) unsigned char room[sizeof(plain)];
    plain* placed = new (room) plain{nullptr, 1, 2, 3}; mix((unsigned long)placed->count);
    if (v % 4 == 0) { base* gone = bases; bases = gone->next; delete gone; plain* old = plains; plains = old->next; delete old; }
}"""
        )
        self.main.append("for (int i = 0; i < 10; ++i) classes(next_random());")
