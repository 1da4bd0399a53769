// Atoms, their bonds and their close neighbours, in the structures of SPEC CPU2000's ammp (Harrison 1993): a
// list of large atoms, each with an array of pointers to its neighbours, and a list of bonds.
#ifndef WORKLOADS_AMMP_ATOMS_H
#define WORKLOADS_AMMP_ATOMS_H

#include <stdbool.h>

enum { most_close = 200, most_excluded = 12 };

/// 1928 bytes. Lengths are in angstrom, masses in dalton, charges in electrons, energies in kcal/mol.
struct atom {
    double x, y, z;
    double fx, fy, fz;  ///< force
    int serial;         ///< in order of the list
    char name[9];
    double q, a, b, mass;  ///< charge; repulsion a a / r^12; attraction b b / r^6
    struct atom* next;
    double vx, vy, vz;
    double px, py, pz;  ///< where it was when its neighbours were found
    double potential;   ///< what distant charges give per charge at (px, py, pz), and its derivatives
    double dpx, dpy, dpz;
    double qxx, qxy, qxz, qyy, qyz, qzz;
    struct atom* close[most_close];        ///< those later in the list, ended by NULL
    struct atom* excluded[most_excluded];  ///< those that it has bonds with, ended by NULL
};

/// 40 bytes.
struct bond {
    struct atom* one;
    struct atom* other;
    double length, stiffness;
    struct bond* next;
};

struct matter {
    int count;
    struct atom* atoms;
    struct bond* bonds;
    struct atom** all;  ///< the atoms by serial number
};

/// Makes chains of 8 atoms on a cubic grid that is walked to and fro, so that neighbours in the list are
/// neighbours in space. Requests in the original's order: the atoms, then the bonds, each linked to the last.
/// Never freed.
struct matter make_matter(int count);

#endif
