// One linked structure of nodes of 64 bytes, and four ways to go through all of it: what run.c asks of each
// of the programs small_list, small_doubly_linked, small_tree, small_graph and small_hash_table.
//
// All fields of a node are written when it is made, each node is a request of its own, and nodes are linked
// in an order that is given. Every way visits all nodes in the order of their links.
#ifndef WORKLOADS_SMALL_STRUCTURES_STRUCTURE_H
#define WORKLOADS_SMALL_STRUCTURES_STRUCTURE_H

#include <stddef.h>
#include <stdint.h>

struct structure;

/// The structure of `count` nodes: the i-th of its links leads to the node that was made as order[i].
struct structure* structure_make(const size_t* order, size_t count);
void structure_release(struct structure* structure);

/// The sum of one field of each node, beside the links.
uint64_t structure_read_one(const struct structure* structure);
/// The sum of four fields of each node.
uint64_t structure_read_several(const struct structure* structure);
/// Adds 1 to one field of each node; returns the sum as it was.
uint64_t structure_write(struct structure* structure);

#endif
