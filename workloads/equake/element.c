#include "workloads/equake/element.h"

#include <math.h>

const double density = 2000;
static const double lame_first = 8e9;     // pascal
static const double shear_modulus = 5e9;  // pascal

static void cross(const double a[axes], const double b[axes], double product[axes]) {
    for (int i = 0; i < axes; ++i) {
        int j = (i + 1) % axes;
        int k = (i + 2) % axes;
        product[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double dot(const double a[axes], const double b[axes]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct element shape_element(const struct mesh* mesh, int number) {
    struct element made;
    double side[axes][axes];
    const int* vertex = mesh->vertex[number];
    for (int i = 0; i < axes; ++i) {
        for (int axis = 0; axis < axes; ++axis) {
            side[i][axis] = mesh->position[vertex[i + 1]][axis] - mesh->position[vertex[0]][axis];
        }
    }
    for (int i = 0; i < axes; ++i) cross(side[(i + 1) % axes], side[(i + 2) % axes], made.gradient[i + 1]);
    double determinant = dot(side[0], made.gradient[1]);
    for (int axis = 0; axis < axes; ++axis) {
        made.gradient[0][axis] = 0;
        for (int i = 1; i < corners; ++i) {
            made.gradient[i][axis] /= determinant;
            made.gradient[0][axis] -= made.gradient[i][axis];
        }
    }
    made.volume = fabs(determinant) / 6;
    return made;
}

double stiffness(const struct element* element, int one, int other, int i, int j) {
    const double* a = element->gradient[one];
    const double* b = element->gradient[other];
    double shear = a[j] * b[i] + (i == j ? dot(a, b) : 0);
    return element->volume * (lame_first * a[i] * b[j] + shear_modulus * shear);
}
