// Forces and energies of bonds, of close neighbours (Lennard-Jones and Coulomb), and of distant charges.
#ifndef WORKLOADS_AMMP_FORCES_H
#define WORKLOADS_AMMP_FORCES_H

struct atom;
struct matter;

/// Sets the force on every atom; returns the potential energy. Walks the list of atoms, and for each its
/// close neighbours; then the list of bonds.
double find_forces(struct matter* matter);

/// Adds each of two distant atoms to the potential at the other, up to the second derivatives.
void add_distant(struct atom* one, struct atom* other);

#endif
