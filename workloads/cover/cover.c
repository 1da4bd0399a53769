// cover ROWS COLUMNS [DENSITY [SEED]]: all exact covers of a random matrix, by Knuth's dancing links, always
// branching on the column with fewest rows as he advises. The search is exhausted, so its work does not
// depend on what it finds (Cyll 2004, section 5.1). Prints the solutions and the updates of links.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/annotations.h"
#include "workloads/cover/matrix.h"
#include "workloads/phases.h"

static unsigned long solutions;
static unsigned long updates;

static void cover_column(struct column* column) {
    ping(column, 1);
    column->cell.right->left = column->cell.left;
    column->cell.left->right = column->cell.right;
    ++updates;
    for (struct cell* row = column->cell.down; row != &column->cell; row = row->down) {
        ping(row, 1);
        for (struct cell* at = row->right; at != row; at = at->right) {
            ping(at, 1);
            at->down->up = at->up;
            at->up->down = at->down;
            --at->column->size;
            ++updates;
        }
    }
}

/// Undoes cover_column step by step in the opposite order.
static void uncover_column(struct column* column) {
    for (struct cell* row = column->cell.up; row != &column->cell; row = row->up) {
        ping(row, 1);
        for (struct cell* at = row->left; at != row; at = at->left) {
            ping(at, 1);
            ++at->column->size;
            at->down->up = at;
            at->up->down = at;
        }
    }
    ping(column, 1);
    column->cell.right->left = &column->cell;
    column->cell.left->right = &column->cell;
}

static struct column* smallest_column(struct column* head) {
    struct column* smallest = head->cell.right->column;
    for (struct cell* at = head->cell.right; at != &head->cell; at = at->right) {
        ping(at, 1);
        if (at->column->size < smallest->size) smallest = at->column;
    }
    return smallest;
}

static void search(struct column* head) {
    if (head->cell.right == &head->cell) {
        ++solutions;
        return;
    }
    struct column* column = smallest_column(head);
    cover_column(column);
    for (struct cell* row = column->cell.down; row != &column->cell; row = row->down) {
        for (struct cell* at = row->right; at != row; at = at->right) cover_column(at->column);
        search(head);
        for (struct cell* at = row->left; at != row; at = at->left) uncover_column(at->column);
    }
    uncover_column(column);
}

int main(int count, char** arguments) {
    malloc_init(arguments[0]);
    count = phases_from_arguments(count, arguments);
    int rows = count >= 3 ? atoi(arguments[1]) : 0;
    int columns = count >= 3 ? atoi(arguments[2]) : 0;
    double density = count >= 4 ? atof(arguments[3]) : 0.2;
    unsigned long seed = count >= 5 ? strtoul(arguments[4], NULL, 10) : 1;
    if (rows < 1 || columns < 1 || count > 5) {
        fputs("usage: cover ROWS COLUMNS [DENSITY [SEED]] [--times]\n", stderr);
        return 2;
    }
    struct column* head = random_matrix(rows, columns, density, seed);
    double began = phase_begin();
    search(head);
    phase_end("search_time", began);
    printf("solutions %lu\nupdates %lu\n", solutions, updates);
    return 0;
}
