// interpreter SCRIPT ROUNDS: evaluates a program in a small Lisp, whose numbers, pairs, texts, closures and
// frames are all made by one function with one call of malloc. Values are released when their last reference
// goes.
//     fibonacci   of ROUNDS, by two calls: numbers and frames that live shortly
//     sort        ROUNDS lists of 100,000 numbers: pairs and numbers that live together
//     words       ROUNDS trees of texts, copied where they grow: texts of many lengths
//     streams     the ROUNDS-th prime, sieved by closures that hold closures
// The phase run_time is the evaluation without the reading.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/interpreter/evaluate.h"
#include "workloads/phases.h"

static const struct script {
    const char* name;
    const char* text;
} scripts[] = {
    {"fibonacci",
     "(begin"
     " (define fibonacci (lambda (n) (if (< n 2) n (+ (fibonacci (- n 1)) (fibonacci (- n 2))))))"
     " (define run fibonacci))"},
    {"sort",
     "(begin"
     " (define next (lambda (seed) (remainder (+ (* seed 1103515245) 12345) 2147483648)))"
     " (define numbers (lambda (count seed made)"
     "  (if (= count 0) made (numbers (- count 1) (next seed) (pair seed made)))))"
     " (define evens (lambda (list) (if (empty? list) list (pair (first list) (odds (rest list))))))"
     " (define odds (lambda (list) (if (empty? list) list (evens (rest list)))))"
     " (define turned (lambda (list made)"
     "  (if (empty? list) made (turned (rest list) (pair (first list) made)))))"
     " (define merged (lambda (a b made)"
     "  (if (empty? a) (turned b made) (if (empty? b) (turned a made)"
     "   (if (< (first a) (first b)) (merged (rest a) b (pair (first a) made))"
     "    (merged a (rest b) (pair (first b) made)))))))"
     " (define half (lambda (list count made)"
     "  (if (= count 0) made (half (rest list) (- count 1) (pair (first list) made)))))"
     " (define behind (lambda (list count) (if (= count 0) list (behind (rest list) (- count 1)))))"
     " (define sorted (lambda (list count) (if (< count 2) (half list count (quote ()))"
     "  (turned (merged (sorted list (quotient count 2))"
     "   (sorted (behind list (quotient count 2)) (- count (quotient count 2))) (quote ())) (quote ())))))"
     " (define at (lambda (list place) (if (= place 0) (first list) (at (rest list) (- place 1)))))"
     " (define run (lambda (rounds) (if (= rounds 0) 0"
     "  (+ (at (sorted (numbers 100000 rounds (quote ())) 100000) 50000) (run (- rounds 1)))))))"},
    {"words",
     "(begin"
     " (define word (lambda (n made) (if (= n 0) made"
     "  (word (quotient n 10)"
     "   (join (part \"oak ash elm fir yew box tea fig bay hop \" (* 4 (remainder n 10)) 4) made)))))"
     " (define put (lambda (tree key) (if (empty? tree) (pair key (pair (quote ()) (quote ())))"
     "  (if (before? key (first tree))"
     "   (pair (first tree) (pair (put (first (rest tree)) key) (rest (rest tree))))"
     "   (pair (first tree) (pair (first (rest tree)) (put (rest (rest tree)) key)))))))"
     " (define tree (lambda (count seed made) (if (= count 0) made"
     "  (tree (- count 1) (remainder (+ (* seed 75) 74) 65537)"
     "   (put made (join (word seed \"\") (text count)))))))"
     " (define letters (lambda (tree) (if (empty? tree) 0 (+ (count (first tree))"
     "  (+ (letters (first (rest tree))) (letters (rest (rest tree))))))))"
     " (define run (lambda (rounds) (if (= rounds 0) 0"
     "  (+ (letters (tree 20000 rounds (quote ()))) (run (- rounds 1)))))))"},
    {"streams",
     "(begin"
     " (define from (lambda (n) (pair n (lambda () (from (+ n 1))))))"
     " (define sieved (lambda (stream prime) (if (= 0 (remainder (first stream) prime))"
     "  (sieved ((rest stream)) prime)"
     "  (pair (first stream) (lambda () (sieved ((rest stream)) prime))))))"
     " (define primes (lambda (stream)"
     "  (pair (first stream) (lambda () (primes (sieved ((rest stream)) (first stream)))))))"
     " (define at (lambda (stream place) (if (= place 1) (first stream)"
     "  (at ((rest stream)) (- place 1)))))"
     " (define run (lambda (rounds) (at (primes (from 2)) rounds))))"},
};
enum { scripts_count = sizeof scripts / sizeof *scripts };

static const struct script* script_of(const char* name) {
    for (int i = 0; i < scripts_count; ++i) {
        if (strcmp(scripts[i].name, name) == 0) return &scripts[i];
    }
    return NULL;
}

static long run(const struct script* script, long rounds) {
    char call_text[64];
    snprintf(call_text, sizeof call_text, "(run %ld)", rounds);
    const char *text = script->text, *call_at = call_text;
    name_primitives();
    struct value *program = read_value(&text), *call = read_value(&call_at);
    double began = phase_begin();
    drop(evaluate(program, NULL));
    struct value* result = evaluate(call, NULL);
    phase_end("run_time", began);
    const long number = result->number;
    drop(result);
    drop(call);
    drop(program);
    release_symbols();
    return number;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    const struct script* script = count == 3 ? script_of(arguments[1]) : NULL;
    const long rounds = count == 3 ? atol(arguments[2]) : 0;
    if (script == NULL || rounds < 1) {
        fputs("usage: interpreter fibonacci|sort|words|streams ROUNDS [--times]\n", stderr);
        return 2;
    }
    printf("%s of %ld: %ld\n", script->name, rounds, run(script, rounds));
    return 0;
}
