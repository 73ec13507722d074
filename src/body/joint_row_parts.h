// Linear functions of the products of axes, which rows of rotations are made of.      eq (row.2)
#ifndef DLS_BODY_JOINT_ROW_PARTS_H
#define DLS_BODY_JOINT_ROW_PARTS_H

#include "linalg/bounded.h"
#include "body/joint_row.h"

typedef struct dls_linear {
  double c[9], constant;
} dls_linear;

void dls_row_functionals(dls_joint_row row, dls_linear *N, dls_linear *D);

#endif
