// perfect_numbers LIMIT [SCRIPT]: an interpreter whose values are texts, and its script, which looks for
// numbers that are the sum of their divisors. In the character of perlbmk, which Li, Mohanty and Kavi's table
// 3 runs with perfect.pl and objects of 38 bytes: each result of an operation is an object with room for its
// text, and lists are texts that grow and are taken apart word by word.
//
// Prints the perfect numbers up to LIMIT, and how many letters all lists of divisors had. Another script has
// `limit` set too.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/perfect_numbers/run.h"
#include "workloads/perfect_numbers/syntax.h"

enum { most = 1000000 };

static const char perfect[] =
    "found = \"perfect\"; letters = 0; n = 2;"
    "while (n <= limit) {"
    "  divisors = \"1\"; d = 2;"
    "  while (d * d <= n) {"
    "    if (n % d == 0) {"
    "      divisors .= \" \" . d; if (d * d < n) { divisors .= \" \" . n / d; }"
    "    }"
    "    d = d + 1;"
    "  }"
    "  sum = 0; rest = divisors;"
    "  while (rest ne \"\") { sum = sum + first(rest); rest = others(rest); }"
    "  if (sum == n) { found .= \" \" . n; }"
    "  letters = letters + length(divisors);"
    "  n = n + 1;"
    "}"
    "print found . \" letters \" . letters;";

int main(int count, char** arguments) {
    const long limit = count >= 2 ? atol(arguments[1]) : 0;
    if (limit < 1 || limit > most || count > 3) {
        fprintf(stderr, "usage: perfect_numbers LIMIT [SCRIPT] (at most %d)\n", most);
        return 2;
    }
    struct node* script = read_script(count == 3 ? arguments[2] : perfect);
    struct variables variables = {0};
    set_variable(&variables, "limit", scalar_of_number((int32_t)limit));
    run(script, &variables);
    release_variables(&variables);
    release_nodes(script);
    return 0;
}
