// Quantities that outputs and events can name: energies, and gap, rate, slips and forces of a
// contact, as in `floor.gap`. A contact's follow those of the contact before: quantity +
// DLS_QUANTITIES * contact.
#ifndef DLS_MODEL_QUANTITY_H
#define DLS_MODEL_QUANTITY_H

#include "model/analysis.h"

typedef enum dls_quantity {
  DLS_QUANTITY_KINETIC,
  DLS_QUANTITY_POTENTIAL,
  DLS_QUANTITY_ENERGY,
  DLS_QUANTITY_GAP,
  DLS_QUANTITY_RATE,
  DLS_QUANTITY_SLIP1,
  DLS_QUANTITY_SLIP2,
  DLS_QUANTITY_FORCE_N,  // forces are inputs, in the order of impulses
  DLS_QUANTITY_FORCE_T1,
  DLS_QUANTITY_FORCE_T2,
  DLS_QUANTITIES
} dls_quantity;

// As dls_resolve_formula, for a formula that may name quantities. forces: those too.
void dls_resolve_quantities(const dls_scope *scope, dls_formula *formula, bool forces);

// After the equations.
dls_expr dls_quantity_expression(const dls_analysis *analysis, int index);

#endif
