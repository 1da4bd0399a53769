// The stiffness of one tetrahedron of linear elastic ground, constant strain (Zienkiewicz and Taylor 2000).
#ifndef WORKLOADS_EQUAKE_ELEMENT_H
#define WORKLOADS_EQUAKE_ELEMENT_H

#include "workloads/equake/mesh.h"

struct element {
    double volume;                   ///< cubic metres
    double gradient[corners][axes];  ///< of each corner's shape function
};

struct element shape_element(const struct mesh* mesh, int number);

/// Entry [i][j] of the block that joins two corners.
double stiffness(const struct element* element, int one, int other, int i, int j);

/// kg per cubic metre.
extern const double density;

#endif
