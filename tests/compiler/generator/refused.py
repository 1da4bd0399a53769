"""Operations on two objects for which the analysis must refuse something, or may."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

from compiler.generator.structures import Structure
from compiler.generator.writer import Writer


class RefusedOperations(Writer):
    """Each gives the lines of a function of objects p and q and a number v."""

    def risky_qsort(self, s: Structure) -> list[str]:
        f = self.random.choice(s.of_kind("int", "long"))
        self.function(
            f"static int order_{s.name}(const void* a, const void* b)",
            [
                f"const {s.type} *x = *(const {s.type}* const*)a, *y = *(const {s.type}* const*)b;",
                f"return (x->{f.name} > y->{f.name}) - (x->{f.name} < y->{f.name});",
            ],
        )
        return [
            f"{s.type}* all[4] = {{p, q, q, p}};",
            f"qsort(all, 4, sizeof *all, order_{s.name});",
            f"mix((unsigned long)all[0]->{f.name});",
            f"change_{s.name}(all[3], v);",
        ]

    def risky_varargs(self, s: Structure) -> list[str]:
        self.function(
            f"KEEP static {s.type}* last_{s.name}(int count, ...)",
            [
                "va_list list; va_start(list, count);",
                f"{s.type}* found = NULL;",
                f"for (int i = 0; i < count; ++i) {{ found = va_arg(list, {s.type}*); sum_{s.name}(found); }}",
                "va_end(list); return found;",
            ],
        )
        return [f"change_{s.name}(last_{s.name}(2, q, p), v);"]

    def risky_setjmp(self, s: Structure) -> list[str]:
        self.parts.append(f"static jmp_buf back_{s.name};")
        self.function(
            f"KEEP static void leave_{s.name}({s.type}* p, unsigned v)",
            [f"change_{s.name}(p, v);", f"if (v % 2) longjmp(back_{s.name}, 1);"],
        )
        return [
            f"if (setjmp(back_{s.name}) == 0) {{ leave_{s.name}(p, v); mix(1); }} else {{ mix(2); }}",
            f"sum_{s.name}(p);",
        ]

    def risky_threads(self, s: Structure) -> list[str]:
        self.function(
            f"static void* thread_{s.name}(void* at)", [f"change_{s.name}(({s.type}*)at, 5);", "return at;"]
        )
        return [
            "pthread_t thread; void* got = NULL;",
            f"pthread_create(&thread, NULL, thread_{s.name}, p);",
            "pthread_join(thread, &got);",
            f"sum_{s.name}(({s.type}*)got);",
        ]

    def risky_low_bit_tags(self, s: Structure) -> list[str]:
        return [
            "uintptr_t tagged = (uintptr_t)p | (v & 1);",
            f"{s.type}* plain = ({s.type}*)(tagged & ~(uintptr_t)1);",
            "mix(tagged & 1);",
            f"change_{s.name}(plain, v);",
        ]

    def risky_pointers_as_integers(self, s: Structure) -> list[str]:
        self.parts.append(f"static uintptr_t kept_{s.name}[2];")
        return [
            f"kept_{s.name}[v % 2] = (uintptr_t)p; kept_{s.name}[(v + 1) % 2] = (uintptr_t)q;",
            f"change_{s.name}(({s.type}*)kept_{s.name}[v % 2], v);",
        ]

    def risky_xor(self, s: Structure) -> list[str]:
        self.parts.append(f"static volatile uintptr_t mask_{s.name} = 0x5a5a;")
        return [
            f"uintptr_t hidden = (uintptr_t)p ^ mask_{s.name};",
            f"change_{s.name}(({s.type}*)(hidden ^ mask_{s.name}), v);",
        ]

    def risky_alignment(self, s: Structure) -> list[str]:
        return ["mix((uintptr_t)p % 1);", f"if (((uintptr_t)p >> 3) % 7 == 9) sum_{s.name}(q);"]

    def risky_object_size(self, s: Structure) -> list[str]:
        return ["mix(__builtin_object_size(p, 0) < 1);"]

    def risky_usable_size(self, s: Structure) -> list[str]:
        return (
            ["mix(malloc_usable_size(malloc(5)) >= 5);"]
            if s.shape in ("array", "rows")
            else ["mix(malloc_usable_size(p) >= sizeof *p);"]
        )

    def risky_inline_asm(self, s: Structure) -> list[str]:
        return ['__asm__ volatile("" : "+r"(p) : : "memory");', f"change_{s.name}(p, v);"]

    def risky_signal(self, s: Structure) -> list[str]:
        self.parts.append(f"static {s.type}* volatile seen_{s.name};")
        self.function(
            f"static void handler_{s.name}(int number)",
            [f"if (number == SIGUSR1 && seen_{s.name} != NULL) change_{s.name}(seen_{s.name}, 3);"],
        )
        return [
            f"seen_{s.name} = p; signal(SIGUSR1, handler_{s.name}); raise(SIGUSR1); seen_{s.name} = NULL;",
            f"sum_{s.name}(p);",
        ]

    def risky_print_pointer(self, s: Structure) -> list[str]:
        return ['char text[40]; snprintf(text, sizeof text, "%p", (void*)p); mix(text[0] != 0);']

    def risky_aligned_requests(self, s: Structure) -> list[str]:
        how = self.random.choice(("posix_memalign", "memalign", "aligned_alloc", "valloc"))
        self.has(how)
        call = {
            "posix_memalign": "void* at = NULL; if (posix_memalign(&at, 64, sizeof *p) != 0) abort();",
            "memalign": "void* at = memalign(64, sizeof *p);",
            "aligned_alloc": "void* at = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);",
            "valloc": "void* at = valloc(sizeof *p);",
        }[how]
        return [
            call,
            f"memset(at, 0, sizeof *p); change_{s.name}(({s.type}*)at, v); sum_{s.name}(({s.type}*)at); free(at);",
        ]

    def risky_interior_free(self, s: Structure) -> list[str]:
        return [
            "char* raw = (char*)malloc(sizeof *p + 16);",
            f"{s.type}* t = ({s.type}*)(raw + 16); memset(t, 0, sizeof *t);",
            f"change_{s.name}(t, v); sum_{s.name}(t); free((char*)t - 16);",
        ]

    def risky_flexible_member(self, s: Structure) -> list[str]:
        self.parts.append(f"struct tail_{s.name} {{ {s.type}* of; unsigned count; int rest[]; }};")
        return [
            f"struct tail_{s.name}* t = (struct tail_{s.name}*)malloc(sizeof *t + (v % 5 + 1) * sizeof(int));",
            "t->of = p; t->count = v % 5 + 1;",
            "for (unsigned i = 0; i < t->count; ++i) t->rest[i] = (int)i;",
            f"sum_{s.name}(t->of); mix((unsigned long)t->rest[t->count - 1]); free(t);",
        ]

    def risky_file(self, s: Structure) -> list[str]:
        return [
            "FILE* file = tmpfile();",
            f"{s.type}* t = NULL;",
            "if (file != NULL) { fwrite(&p, sizeof p, 1, file); rewind(file); if (fread(&t, sizeof t, 1, file) == 1) "
            f"change_{s.name}(t, v); fclose(file); }}",
        ]

    def risky_bsearch_of_copy(self, s: Structure) -> list[str]:
        return [
            f"{s.type} two[2]; two[0] = *p; two[1] = *q;",
            f"{s.type}* at = two + v % 2; sum_{s.name}(at); mix((unsigned long)(at - two));",
        ]

    def risky_bsearch(self, s: Structure) -> list[str]:
        f = self.random.choice(s.of_kind("int", "long"))
        self.function(
            f"static int find_{f.name}_{s.name}(const void* key, const void* element)",
            [
                f"const {f.kind} x = *(const {f.kind}*)key, y = (*({s.type}* const*)element)->{f.name};",
                "return (x > y) - (x < y);",
            ],
        )
        return [
            f"{s.type}* all[2] = {{p, p}};",
            f"{f.kind} key = p->{f.name};",
            f"{s.type}** found = ({s.type}**)bsearch(&key, all, 2, sizeof *all, find_{f.name}_{s.name});",
            f"if (found == NULL) abort(); mix((unsigned long)(*found)->{f.name});",
            f"change_{s.name}(*found, v);",
        ]

    def risky_searched_by_address(self, s: Structure) -> list[str]:
        """A copied array, whose elements are found by a number or by where they lie."""
        f = self.random.choice(s.of_kind("int", "long"))
        name = f"meet_{f.name}_{s.name}"
        compare = f"const {f.kind} x = (({s.type} const*)a)->{f.name}, y = (({s.type} const*)b)->{f.name};"
        ways = [
            "return (x > y) - (x < y);",
            "return (a > b) - (a < b);",
            "return a == b ? 0 : (x > y) - (x < y);",
        ]
        self.function(
            f"static int {name}(const void* a, const void* b)",
            [compare, "(void)x; (void)y;", self.random.choice(ways)],
        )
        return [
            f"{s.type}* all = ({s.type}*)malloc(6 * sizeof *all);",
            f"for (int i = 0; i < 6; ++i) {{ all[i] = i % 2 ? *p : *q; all[i].{f.name} = 3 * i; }}",
            f"{s.type}* found = ({s.type}*)bsearch(&all[v % 6], all, 6, sizeof *all, {name});",
            "if (found != &all[v % 6]) abort();",
            f"mix((unsigned long)found->{f.name}); mix((unsigned long)(found - all)); mix(found + 1 == all + 6);",
            "free(all);",
        ]

    def risky_strdup(self, s: Structure) -> list[str]:
        found = s.of_kind("text")
        text = f"p->{found[0].name}" if found else "text"
        return [
            'char text[24]; snprintf(text, sizeof text, "%u", v);',
            f"char* copy = strdup({text}); mix(strlen(copy) + (unsigned char)copy[0]); free(copy);",
            f"sum_{s.name}(p);",
        ]

    def risky_several_threads(self, s: Structure) -> list[str]:
        """Two at once, which find the object by a variable; each has a field of its own to write."""
        found = s.of_kind("int", "long")
        own = [found[0].name, *([found[1].name] if len(found) > 1 else [])]
        n = s.name
        self.parts.append(f"static {s.type}* shared_{n};")
        for number, name in enumerate(own):
            self.function(
                f"static void* write_{number}_{n}(void* none)",
                [
                    f"for (int i = 0; i < 50; ++i) shared_{n}->{name} = shared_{n}->{name} % 1000 + {number + 1};",
                    "return none;",
                ],
            )
        begin = [
            f"started += pthread_create(&threads[{i}], NULL, write_{i}_{n}, NULL) == 0;"
            for i in range(len(own))
        ]
        return [
            f"shared_{n} = p;",
            f"pthread_t threads[{len(own)}]; unsigned started = 0;",
            *begin,
            f"if (started != {len(own)}) abort();",
            f"for (unsigned i = 0; i < {len(own)}; ++i) pthread_join(threads[i], NULL);",
            f"shared_{n} = NULL;",
            f"sum_{n}(p);",
        ]
