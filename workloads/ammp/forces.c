#include "workloads/ammp/forces.h"

#include <math.h>
#include <stddef.h>

#include "workloads/ammp/atoms.h"

static const double coulomb = 332.0637;  // kcal angstrom / (mol electron^2)

/// Adds `charge`, which lies at the vector (x, y, z) from the atom, at the distance 1 / inverse.
static void expand(struct atom* atom, double charge, double x, double y, double z, double inverse) {
    double first = charge * inverse;
    double third = first * inverse * inverse;
    double fifth = 3 * third * inverse * inverse;
    atom->potential += first;
    atom->dpx += third * x;
    atom->dpy += third * y;
    atom->dpz += third * z;
    atom->qxx += fifth * x * x - third;
    atom->qyy += fifth * y * y - third;
    atom->qzz += fifth * z * z - third;
    atom->qxy += fifth * x * y;
    atom->qxz += fifth * x * z;
    atom->qyz += fifth * y * z;
}

void add_distant(struct atom* one, struct atom* other) {
    double x = other->x - one->x;
    double y = other->y - one->y;
    double z = other->z - one->z;
    double inverse = 1 / sqrt(x * x + y * y + z * z);
    expand(one, coulomb * other->q, x, y, z, inverse);
    expand(other, coulomb * one->q, -x, -y, -z, inverse);
}

/// Sets the force to that of the distant charges. Each pair is in both its atoms: half of its energy each.
static double distant_energy(struct atom* atom) {
    double x = atom->x - atom->px;
    double y = atom->y - atom->py;
    double z = atom->z - atom->pz;
    double bent_x = atom->qxx * x + atom->qxy * y + atom->qxz * z;
    double bent_y = atom->qxy * x + atom->qyy * y + atom->qyz * z;
    double bent_z = atom->qxz * x + atom->qyz * y + atom->qzz * z;
    atom->fx = -atom->q * (atom->dpx + bent_x);
    atom->fy = -atom->q * (atom->dpy + bent_y);
    atom->fz = -atom->q * (atom->dpz + bent_z);
    double moved = (atom->dpx + bent_x / 2) * x + (atom->dpy + bent_y / 2) * y + (atom->dpz + bent_z / 2) * z;
    return atom->q * (atom->potential / 2 + moved);
}

/// `push` is the force over the distance, positive where the atoms repel each other.
static void push_apart(struct atom* one, struct atom* other, double push) {
    double x = push * (other->x - one->x);
    double y = push * (other->y - one->y);
    double z = push * (other->z - one->z);
    one->fx -= x;
    one->fy -= y;
    one->fz -= z;
    other->fx += x;
    other->fy += y;
    other->fz += z;
}

static double squared_distance(const struct atom* one, const struct atom* other) {
    double x = other->x - one->x;
    double y = other->y - one->y;
    double z = other->z - one->z;
    return x * x + y * y + z * z;
}

static double close_energy(struct atom* atom) {
    double energy = 0;
    for (int i = 0; atom->close[i] != NULL; ++i) {
        struct atom* other = atom->close[i];
        double inverse = 1 / squared_distance(atom, other);
        double sixth = inverse * inverse * inverse;
        double charges = coulomb * atom->q * other->q * sqrt(inverse);
        double repulsion = atom->a * other->a * sixth * sixth;
        double attraction = atom->b * other->b * sixth;
        energy += charges + repulsion - attraction;
        push_apart(atom, other, (charges + 12 * repulsion - 6 * attraction) * inverse);
    }
    return energy;
}

static double bond_energy(const struct bond* bond) {
    double distance = sqrt(squared_distance(bond->one, bond->other));
    double stretched = distance - bond->length;
    push_apart(bond->one, bond->other, -2 * bond->stiffness * stretched / distance);
    return bond->stiffness * stretched * stretched;
}

double find_forces(struct matter* matter) {
    double energy = 0;
    for (struct atom* at = matter->atoms; at != NULL; at = at->next) energy += distant_energy(at);
    for (struct atom* at = matter->atoms; at != NULL; at = at->next) energy += close_energy(at);
    for (struct bond* at = matter->bonds; at != NULL; at = at->next) energy += bond_energy(at);
    return energy;
}
