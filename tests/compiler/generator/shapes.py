"""The shapes of linked structures: how each is built, walked, changed and given back."""

# ruff: noqa: E501 (lines of the programs that it writes)
from __future__ import annotations

from compiler.generator.structures import Structure
from compiler.generator.writer import Writer


class Lists(Writer):
    """With one link or two."""

    def add_in_front(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.parts.append(f"static {t}* head_{n};")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [f"{t}* p = make_{n}(v);", f"p->next = head_{n};", f"head_{n} = p;", f"++count_{n};"],
        )

    def shape_list(self, s: Structure) -> None:
        n, t = s.name, s.type
        key = self.random.choice(s.of_kind("int", "long")).name
        self.add_in_front(s)
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [f"{t}* p = head_{n};", f"for (i %= count_{n}; i > 0; --i) p = p->next;", "return p;"],
        )
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [f"for ({t}* p = head_{n}; p != NULL; p = p->next) sum_{n}(p);"],
        )
        self.has("null")
        if s.deletes and s.is_clean:
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"{t}* before = head_{n};",
                    f"while (before != NULL && before->next != NULL && count_{n} > 3) {{",
                    f"    {t}* p = before->next;",
                    f"    if (((unsigned)p->{key} + v) % 5 == 0) {{ before->next = p->next; free(p); --count_{n}; }}",
                    "    else before = p;",
                    "}",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        elif s.deletes:
            self.has("pointer-to-pointer")
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"{t}** link = &head_{n};",
                    f"while (*link != NULL && count_{n} > 3) {{",
                    f"    {t}* p = *link;",
                    f"    if (((unsigned)p->{key} + v) % 5 == 0) {{ *link = p->next; free(p); --count_{n}; }}",
                    "    else link = &p->next;",
                    "}",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        if self.maybe(0.5):
            self.has("list-sort")
            self.function(
                f"static {t}* merge_{n}({t}* a, {t}* b)",
                [
                    "if (a == NULL || b == NULL) return a != NULL ? a : b;",
                    f"if (a->{key} <= b->{key}) {{ a->next = merge_{n}(a->next, b); return a; }}",
                    f"b->next = merge_{n}(a, b->next);",
                    "return b;",
                ]
                if s.is_clean
                else [
                    f"{t}* first = NULL; {t}** end = &first;",
                    "while (a != NULL && b != NULL) {",
                    f"    if (a->{key} <= b->{key}) {{ *end = a; a = a->next; }} else {{ *end = b; b = b->next; }}",
                    "    end = &(*end)->next;",
                    "}",
                    "*end = a != NULL ? a : b;",
                    "return first;",
                ],
            )
            self.function(
                f"static {t}* sort_{n}({t}* p)",
                [
                    "if (p == NULL || p->next == NULL) return p;",
                    f"{t}*slow = p, *fast = p->next;",
                    "while (fast != NULL && fast->next != NULL) { slow = slow->next; fast = fast->next->next; }",
                    f"{t}* rest = slow->next; slow->next = NULL;",
                    f"return merge_{n}(sort_{n}(p), sort_{n}(rest));",
                ],
            )
            self.has("recursion")
            s.operations.append(f"head_{n} = sort_{n}(head_{n});")
        if self.maybe(0.5):
            self.function(
                f"{self.keep()}static void reverse_{n}(void)",
                [
                    f"{t}*done = NULL, *p = head_{n};",
                    f"while (p != NULL) {{ {t}* next = p->next; p->next = done; done = p; p = next; }}",
                    f"head_{n} = done;",
                ],
            )
            s.operations.append(f"reverse_{n}();")
        if s.deletes:
            self.function(
                f"static void clear_{n}(void)",
                [
                    f"while (head_{n} != NULL) {{ {t}* p = head_{n}; head_{n} = p->next; free(p); }}",
                    f"count_{n} = 0;",
                ],
            )

    def shape_doubly(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.parts.append(f"static {t} *head_{n}, *tail_{n};")
        self.has("doubly-linked")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}* p = make_{n}(v);",
                "if (v % 2 == 0) {",
                f"    p->next = head_{n}; if (head_{n} != NULL) head_{n}->prev = p; else tail_{n} = p; head_{n} = p;",
                "} else {",
                f"    p->prev = tail_{n}; if (tail_{n} != NULL) tail_{n}->next = p; else head_{n} = p; tail_{n} = p;",
                "}",
                f"++count_{n};",
            ],
        )
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [
                f"{t}* p = i % 2 ? head_{n} : tail_{n};",
                f"for (unsigned k = i % count_{n}; k > 0; --k) p = i % 2 ? p->next : p->prev;",
                "return p;",
            ],
        )
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [f"for ({t}* p = tail_{n}; p != NULL; p = p->prev) sum_{n}(p);"],
        )
        if s.deletes:
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"if (count_{n} < 4) return;",
                    f"{t}* p = nth_{n}(v);",
                    f"if (p->prev != NULL) p->prev->next = p->next; else head_{n} = p->next;",
                    f"if (p->next != NULL) p->next->prev = p->prev; else tail_{n} = p->prev;",
                    f"free(p); --count_{n};",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
            self.function(
                f"static void clear_{n}(void)",
                [
                    f"{t}* p = head_{n};",
                    f"while (p != NULL) {{ {t}* next = p->next; free(p); p = next; }}",
                    f"head_{n} = tail_{n} = NULL; count_{n} = 0;",
                ],
            )


class Trees(Writer):
    """With a link to each side."""

    def shape_tree(self, s: Structure) -> None:
        n, t = s.name, s.type
        key = self.random.choice(s.of_kind("int", "long")).name
        has_parent = "parent" in s.links
        self.parts.append(f"static {t}* root_{n};")
        self.has("tree")
        if has_parent:
            self.has("parent-pointers")
        self.has("tree" if s.is_clean else "pointer-to-pointer")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}*p = make_{n}(v), *above = NULL, *at = root_{n};",
                f"while (at != NULL) {{ above = at; at = p->{key} < at->{key} ? at->left : at->right; }}",
                f"if (above == NULL) root_{n} = p;",
                f"else if (p->{key} < above->{key}) above->left = p;",
                "else above->right = p;",
                "p->parent = above;" if has_parent else "",
                f"++count_{n};",
            ]
            if s.is_clean
            else [
                f"{t}* p = make_{n}(v);",
                f"{t}** link = &root_{n};",
                f"{t}* above = NULL;",
                f"while (*link != NULL) {{ above = *link; link = p->{key} < above->{key} ? &above->left : &above->right; }}",
                "*link = p;",
                "p->parent = above;" if has_parent else "(void)above;",
                f"++count_{n};",
            ],
        )
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [
                f"{t}* p = root_{n};",
                f"for (;; i /= 2) {{ {t}* next = i % 2 ? p->left : p->right; if (next == NULL || i == 0) return p; p = next; }}",
            ],
        )
        self.function(
            f"static void visit_{n}({t}* p)",
            ["if (p == NULL) return;", f"visit_{n}(p->left);", f"sum_{n}(p);", f"visit_{n}(p->right);"],
        )
        self.has("recursion")
        self.function(f"static void walk_{n}(void)", [f"visit_{n}(root_{n});"])
        if self.maybe(0.6):
            self.has("rotation")
            lines = [
                f"{t}* p = *link;",
                "if (p == NULL || p->left == NULL) return;",
                f"{t}* up = p->left;",
                "p->left = up->right;",
                "up->right = p;",
                "*link = up;",
            ]
            if has_parent:
                lines += [
                    "if (p->left != NULL) p->left->parent = p;",
                    "up->parent = p->parent;",
                    "p->parent = up;",
                ]
            if s.is_clean:
                lines = [line.replace("p = *link;", "p = top;").replace("*link = up;", "") for line in lines]
                lines = [line.replace(" return;", " return p;") for line in lines] + ["return up;"]
                self.function(f"{self.keep()}static {t}* rotate_{n}({t}* top)", lines)
                s.operations.append(f"root_{n} = rotate_{n}(root_{n});")
                s.operations.append(
                    f"{{ {t}* p = nth_{n}(next_random()); p->right = rotate_{n}(p->right); }}"
                )
            else:
                self.function(f"{self.keep()}static void rotate_{n}({t}** link)", lines)
                s.operations.append(f"rotate_{n}(&root_{n});")
                s.operations.append(f"rotate_{n}(&nth_{n}(next_random())->right);")
        if s.deletes:
            self.function(
                f"static void free_{n}({t}* p)",
                [f"if (p != NULL) {{ free_{n}(p->left); free_{n}(p->right); free(p); }}"],
            )
            self.function(
                f"static void clear_{n}(void)", [f"free_{n}(root_{n});", f"root_{n} = NULL; count_{n} = 0;"]
            )


class Tables(Writer):
    """Chains of hashes, graphs, and arrays of structures."""

    def shape_hash(self, s: Structure) -> None:
        n, t = s.name, s.type
        key = self.random.choice(s.of_kind("int", "long")).name
        self.parts.append(f"static {t}* table_{n}[16];")
        self.has("hash-chains")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}* p = make_{n}(v);",
                "unsigned at = v % 16;",
                f"p->chain = table_{n}[at];",
                f"table_{n}[at] = p;",
                f"++count_{n};",
            ],
        )
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [
                "for (unsigned k = 0;; ++k) {",
                f"    {t}* p = table_{n}[(i + k) % 16];",
                "    if (p != NULL) return p;",
                "}",
            ],
        )
        self.function(
            f"{self.keep()}static int find_{n}(unsigned v, {t}** out)",
            [
                f"for ({t}* p = table_{n}[v % 16]; p != NULL; p = p->chain)",
                f"    if ((unsigned)p->{key} == v % 100) {{ *out = p; return 1; }}",
                "return 0;",
            ],
        )
        self.has("out-parameter")
        s.operations.append(f"{{ {t}* found; if (find_{n}(next_random(), &found)) sum_{n}(found); }}")
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [
                f"for (int i = 0; i < 16; ++i) for ({t}* p = table_{n}[i]; p != NULL; p = p->chain) sum_{n}(p);"
            ],
        )
        if s.deletes and s.is_clean:
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"{t}* p = table_{n}[v % 16];",
                    f"if (p == NULL || p->chain == NULL || count_{n} < 4) return;",
                    f"if (v % 3 == 0) {{ {t}* gone = p->chain; p->chain = gone->chain; free(gone); }}",
                    f"else {{ table_{n}[v % 16] = p->chain; free(p); }}",
                    f"--count_{n};",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        elif s.deletes:
            self.has("pointer-to-pointer")
            self.function(
                f"{self.keep()}static void prune_{n}(unsigned v)",
                [
                    f"for ({t}** link = &table_{n}[v % 16]; *link != NULL && count_{n} > 3; link = &(*link)->chain)",
                    f"    if ((*link)->{key} % 3 == 1) {{ {t}* p = *link; *link = p->chain; free(p); --count_{n}; return; }}",
                ],
            )
            s.operations.append(f"prune_{n}(next_random());")
        if s.deletes:
            self.function(
                f"static void clear_{n}(void)",
                [
                    f"for (int i = 0; i < 16; ++i) while (table_{n}[i] != NULL) "
                    f"{{ {t}* p = table_{n}[i]; table_{n}[i] = p->chain; free(p); }}",
                    f"count_{n} = 0;",
                ],
            )

    def shape_graph(self, s: Structure) -> None:
        n, t = s.name, s.type
        self.parts.append(f"static {t}* head_{n};")
        self.has("graph")
        self.function(
            f"{self.keep()}static {t}* nth_{n}(unsigned i)",
            [f"{t}* p = head_{n};", f"for (i %= count_{n}; i > 0; --i) p = p->next;", "return p;"],
        )
        join = (
            "p->edge[p->degree % 3] = q; p->degree = (p->degree + 1) % 3;"
            if self.maybe(0.5)
            else "p->edge[2] = p->edge[1]; p->edge[1] = p->edge[0]; p->edge[0] = q; ++p->degree;"
        )
        self.function(f"{self.keep()}static void join_{n}({t}* p, {t}* q)", [join])
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [
                f"{t}* p = make_{n}(v);",
                f"p->next = head_{n};",
                f"head_{n} = p;",
                f"++count_{n};",
                f"for (unsigned i = 0; i < v % 4; ++i) join_{n}(p, nth_{n}(next_random()));",
            ],
        )
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [
                f"for ({t}* p = head_{n}; p != NULL; p = p->next)",
                f"    for (int i = 0; i < 3; ++i) if (p->edge[i] != NULL) sum_{n}(p->edge[i]);",
            ],
        )
        s.operations.append(f"{{ {t}* p = nth_{n}(next_random()); join_{n}(p, nth_{n}(next_random())); }}")

    def shape_array(self, s: Structure) -> None:
        """An array of structures, which grows, or is requested at once."""
        n, t = s.name, s.type
        self.parts.append(f"static {t}* all_{n}; static unsigned room_{n};")
        self.has("array-of-structures")
        sets = [each.set("p", f"v + {i}u") for i, each in enumerate(s.fields)]
        if s.other:
            sets.append(f"p->other = count_{s.other} ? nth_{s.other}(v) : NULL;")
        if self.maybe(0.5):
            self.has("realloc")
            grow = (
                f"if (count_{n} == room_{n}) {{ room_{n} = room_{n} * 2 + 4; "
                f"all_{n} = ({t}*)realloc(all_{n}, room_{n} * sizeof({t})); }}"
            )
        else:
            grow = f"if (all_{n} == NULL) all_{n} = ({t}*)calloc(400, sizeof({t})); if (count_{n} == 400) return;"
            self.has("calloc")
        self.function(
            f"{self.keep()}static void add_{n}(unsigned v)",
            [grow, f"{t}* p = &all_{n}[count_{n}++];", "memset(p, 0, sizeof *p);", *sets],
        )
        self.function(f"{self.keep()}static {t}* nth_{n}(unsigned i)", [f"return &all_{n}[i % count_{n}];"])
        self.has("pointer-arithmetic")
        self.has("one-past-the-end")
        self.function(
            f"{self.keep()}static void walk_{n}(void)",
            [f"for ({t} *p = all_{n}, *end = all_{n} + count_{n}; p != end; ++p) sum_{n}(p);"],
        )
        self.has("pointer-difference")
        s.operations.append(f"mix((unsigned long)(nth_{n}(next_random()) - all_{n}));")
        s.operations.append(f"mix(nth_{n}(7) < nth_{n}(next_random()));")
        self.has("pointer-comparison")
