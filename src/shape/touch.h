// Contacts between two solids: pairs of features (vertex, edge, face, rim, smooth surface) whose
// gap is a closed formula of the two poses. Finding says which pairs are near, formulas give the
// numbers.
//
//   gap, rate = d gap/dt, bias = d2 gap/dt2 with v' = 0                                eq (gap.1)
//   slip = T^T (u_A - u_B) of the material points at the contact, slip_bias = its derivative with
//   v' = 0, the contact point and T moving along
//
// Numbers and names of features: shape/form.h. Formulas: section 24 of docs/theory.md.
#ifndef DLS_SHAPE_TOUCH_H
#define DLS_SHAPE_TOUCH_H

#include <delassus/mechanism.h>

// Where the frame of a solid is and how it moves, in world axes.
typedef struct dls_solid_motion {
  double R[9], p[3];      // axes of the frame, as columns of a row-major matrix; its origin
  double v[3], w[3];      // velocity of the origin, angular velocity
  double a[3], alpha[3];  // their rates with v' = 0 in the coordinates of the system
} dls_solid_motion;

// Bounds of the rounding errors in the numbers above; all 0: they are exact.
typedef struct dls_solid_motion_error {
  double R[9], p[3], v[3], w[3], a[3], alpha[3];
} dls_solid_motion_error;

// A solid made ready: of a hull the vertices, edges and faces.
typedef struct dls_form dls_form;
dls_status dls_form_create(const dls_solid *solid, dls_form **form, dls_message *message);
void dls_form_free(dls_form *form);           // NULL is fine
int dls_form_features(const dls_form *form);  // features have numbers below
double dls_form_radius(const dls_form *form,
                       double centre[3]);  // of a ball around it; infinite: plane
// Name of a feature, such as "corner+++", "edge+0-", "face00+", "top", "vertex12"; "" for the only
// one.
void dls_form_feature_name(const dls_form *form, int feature, char *name, int size);

typedef struct dls_touch_id {
  int a, b;  // features of the first and of the second solid
} dls_touch_id;

enum { DLS_TOUCHES_MAX = 64 };  // of one pair

// The contacts of a pair with gaps up to reach; both in the same order as long as features stay.
// Solids that overlap deeply have those with the least penetration. Never NaN. Returns how many.
// *ambiguous: a degenerate pair (parallel edges, concentric spheres), where one of several was
// taken.
int dls_touch_find(const dls_form *a, const dls_solid_motion *motion_a, const dls_form *b,
                   const dls_solid_motion *motion_b, double reach, dls_touch_id *touch,
                   bool *ambiguous);

// Of one contact, in world axes. The normal points from B to A; tangents complete it.
typedef struct dls_touch_values {
  double gap, rate, bias;
  double point[3], normal[3], tangent[2][3];
  double slip[2], slip_bias[2];
} dls_touch_values;

// Values of a contact at the motions; error (may be NULL) receives bounds of their rounding errors,
// those of the motions included (error_a, error_b: NULL when these are exact). Allocates nothing.
// DLS_ERR_NUMBER where the formula has no value (concentric spheres, parallel edges).
dls_status dls_touch_evaluate(const dls_form *a, const dls_solid_motion *motion_a,
                              const dls_solid_motion_error *error_a, const dls_form *b,
                              const dls_solid_motion *motion_b,
                              const dls_solid_motion_error *error_b, dls_touch_id id,
                              dls_touch_values *values, dls_touch_values *error);

// Derivatives for implicit schemes. Perturbations of the pair: columns 0-2 a displacement of A's
// frame origin in world axes, 3-5 a rotation of A's frame about its origin in world axes, 6-11 the
// same of B; v, w, a, alpha (world axes) stay as they are. Rows: gap, rate, bias, slip[2],
// slip_bias[2], then point[3], normal[3], tangent[0][3], tangent[1][3].
typedef struct dls_touch_derivative {
  double pose[19][12];
  double velocity[7][12];  // rows gap ... slip_bias by v, w of A, then of B; rate, bias, slips
} dls_touch_derivative;
dls_status dls_touch_differentiate(const dls_form *a, const dls_solid_motion *motion_a,
                                   const dls_form *b, const dls_solid_motion *motion_b,
                                   dls_touch_id id, dls_touch_derivative *derivative);

#endif
