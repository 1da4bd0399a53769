// mst VERTICES TREES: the minimum spanning tree of a complete graph, by Bentley's parallel algorithm run on
// one processor: every round looks up the distance of the vertex last taken to each vertex outside the tree,
// and takes the nearest of these. Prints the weight of the tree, which is grown TREES times (once in the
// original).
//
// Written afresh after Olden's mst (Rogers, Carlisle, Reppy and Hendren 1995; the algorithm is Bentley's of
// 1980). As there, the vertices (24 bytes) are one array, linked into a list; each has a hash table of its
// own (24 bytes) with VERTICES / 4 buckets, and the distances are entered for one vertex after the other,
// each in an entry of its own (32 bytes, among them 4 of padding) at the head of its chain. A round then
// takes one entry out of every table, so that it crosses memory in steps of a table's size, where the build
// went straight. As in the original, tables and entries are carved from blocks of 32 KiB (blocks.c), so that
// an allocator places only these and the buckets; in `mst_requests`, which is not the original's, every one
// is a request (workloads/mst_requests).
//
// Heap bytes in glibc's malloc: two entries of 32 for each pair of vertices, 24 + 24 + 2 VERTICES + 16 for
// each vertex: about 34 VERTICES^2; of `mst_requests` two entries of 48, and about 50 VERTICES^2. Time grows
// with VERTICES^2 TREES, which is with the heap.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/mst/hash.h"
#include "workloads/phases.h"

enum { farthest = 9999999, distances = 2048, most_vertices = 30000, vertices_per_bucket = 4 };

struct vertex {
    int nearest;  ///< distance to the tree, as far as it is known
    struct vertex* next;
    struct hash* edges;
};

/// From 1 to 2048, the same both ways.
static int distance_between(uint32_t one, uint32_t other) {
    uint64_t less = one < other ? one : other;
    uint64_t more = one < other ? other : one;
    uint64_t mixed = (less * most_vertices + more) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (int)(mixed >> 40) % distances + 1;
}

static uint32_t bucket_count;

static uint32_t bucket_of(uint32_t key) {
    return key % bucket_count;
}

/// Vertices with empty tables, the last one's table made first.
static struct vertex* make_vertices(uint32_t count) {
    struct vertex* made = or_exit(malloc(count * sizeof *made));
    bucket_count = count / vertices_per_bucket + 1;
    for (uint32_t i = count; i-- > 0;) made[i].edges = make_hash(bucket_count, bucket_of);
    return made;
}

static void enter_distances(struct vertex* vertices, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t other = 0; other < count; ++other) {
            if (other == i) continue;
            hash_insert(vertices[i].edges, other, (void*)(intptr_t)distance_between(i, other));
        }
    }
}

/// Notes how far the vertices outside the tree are from the one just taken; returns the link to the nearest
/// to the tree, the first of these where several are.
static struct vertex** nearest_vertex(struct vertex** outside, uint32_t taken) {
    struct vertex** nearest = outside;
    for (struct vertex** link = outside; *link != NULL; link = &(*link)->next) {
        struct vertex* at = *link;
        int distance = (int)(intptr_t)hash_lookup(at->edges, taken);
        if (distance < at->nearest) at->nearest = distance;
        if (at->nearest < (*nearest)->nearest) nearest = link;
    }
    return nearest;
}

/// Links all vertices in the order of their numbers, none of them in the tree.
static void link_vertices(struct vertex* vertices, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        vertices[i].nearest = farthest;
        vertices[i].next = i + 1 < count ? &vertices[i + 1] : NULL;
    }
}

static long tree_weight(struct vertex* vertices, uint32_t count) {
    link_vertices(vertices, count);
    struct vertex* outside = vertices->next;
    uint32_t taken = 0;
    long weight = 0;
    while (outside != NULL) {
        struct vertex** link = nearest_vertex(&outside, taken);
        weight += (*link)->nearest;
        taken = (uint32_t)(*link - vertices);
        *link = (*link)->next;
    }
    return weight;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int vertices = count == 3 ? atoi(arguments[1]) : 0;
    int trees = count == 3 ? atoi(arguments[2]) : 0;
    if (vertices < 2 || vertices > most_vertices || trees < 1) {
        fputs("usage: mst VERTICES TREES [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct vertex* graph = make_vertices((uint32_t)vertices);
    enter_distances(graph, (uint32_t)vertices);
    phase_end("build_time", began);
    began = phase_begin();
    for (int tree = 0; tree < trees; ++tree) printf("weight %ld\n", tree_weight(graph, (uint32_t)vertices));
    phase_end("tree_time", began);
    return 0;
}
