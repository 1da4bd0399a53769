// Cells, their terminals and the nets that join them, in the structures of SPEC CPU2000's twolf (TimberWolf,
// Sechen and Sangiovanni-Vincentelli 1985). What a net walks (pins) and what a cell walks (terminals) are
// different records, and the pins of a net were made with the cells that they are on, far from each other.
#ifndef WORKLOADS_TWOLF_NETLIST_H
#define WORKLOADS_TWOLF_NETLIST_H

#include <stdbool.h>
#include <stdint.h>

/// Where a net ends on a cell. 32 bytes.
struct pin {
    struct pin* next;  ///< of the net
    int x, y;
    int new_x, new_y;  ///< where the move that is looked at would put it
    bool is_moving;
    int cell;
};

/// What a cell knows of a pin. 24 bytes.
struct terminal {
    struct terminal* next;  ///< of the cell
    struct pin* pin;
    int net;
    short x_offset, y_offset;  ///< from the cell's centre
};

/// 32 bytes.
struct net {
    struct pin* pins;
    int count;
    int length;      ///< half the perimeter of the box around its pins
    int new_length;  ///< after the move that is looked at
    bool is_touched;
};

/// The outline of a cell, and its terminals. 24 bytes.
struct tile {
    struct terminal* terminals;
    int left, right, bottom, top;
};

/// 40 bytes.
struct cell {
    char* name;
    struct tile* tile;
    int width;
    int x, y;  ///< centre
    int bin, slot;
};

struct netlist {
    int count;  ///< of the cells; as many numbers of nets
    struct cell** cells;
    struct net** nets;  ///< NULL for one without pins
};

enum { row_height = 12, least_width = 2, most_width = 10 };

/// Makes cells of 2 to 6 terminals, most of them on nets of nearby numbers. Requests in the order in which
/// the original reads its input: cell, name, outline; for each terminal the terminal, its pin, and the net
/// where it is new. A pin is put at the front of its net's list. Never freed.
struct netlist make_netlist(int count, uint64_t* state);

#endif
