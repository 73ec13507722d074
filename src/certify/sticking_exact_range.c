// Planar contacts without rounding: does every coefficient of friction do, or any?      eq (stk.8)
#include "certify/sticking_exact.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct dls_stick_exact exact;

// Contacts whose law is `from` and that can press get the law `to` (presses true), or those that
// cannot (presses false). *changed: some did.
static dls_status turn(const dls_stick *s, dls_stick_shape what, dls_stick_law from,
                       dls_stick_law to, bool presses, bool *changed)
{
  exact *e = s->exact;
  const dls_polyhedra *c = s->polyhedra;
  bool *mark = dls_alloc(c->m, sizeof *mark);
  dls_status status = mark ? DLS_OK : DLS_ERR_MEMORY;
  for (int j = 0; j < c->m && status == DLS_OK; j++) {
    dls_exact_outcome outcome = DLS_EXACT_LARGE;
    const bool free_sign = dls_polyhedra_bilateral(c, j) && !s->held[j] && !dls_stick_slides(s, j);
    if (e->law[j] != from || free_sign || (!presses && !s->held[j])) continue;
    status = dls_stick_exact_solve(s, what, j, &outcome);
    if (outcome == DLS_EXACT_LARGE) e->gave_up = true;
    mark[j] = outcome == (presses ? DLS_EXACT_POINT : DLS_EXACT_EMPTY);
  }
  *changed = false;
  for (int j = 0; j < c->m && status == DLS_OK; j++)
    if (mark[j]) e->law[j] = (unsigned char)to, *changed = true;
  free(mark);
  return status;
}

// With some coefficient: contacts that cannot press have no friction, whatever the coefficient,
// and that may keep others from pressing. What is left at the end has forces in some cones.
static dls_status some_coefficient(const dls_stick *s, bool *some)
{
  dls_status status = DLS_OK;
  dls_exact_outcome outcome = DLS_EXACT_POINT;
  bool changed = true;
  while (changed && outcome == DLS_EXACT_POINT && status == DLS_OK) {
    status = dls_stick_exact_solve(s, DLS_SHAPE_WHOLE, -1, &outcome);
    if (outcome == DLS_EXACT_LARGE) s->exact->gave_up = true;
    if (status == DLS_OK && outcome == DLS_EXACT_POINT)
      status = turn(s, DLS_SHAPE_CONE, DLS_LAW_NO_BOUND, DLS_LAW_BARE, false, &changed);
  }
  *some = outcome == DLS_EXACT_POINT;
  return status;
}

// With every coefficient: contacts are squeezed by forces that cancel each other and need no
// friction; then by those that need it at contacts which are squeezed much more; and so on.
static dls_status every_coefficient(const dls_stick *s, bool *every)
{
  dls_status status = DLS_OK;
  dls_exact_outcome outcome = DLS_EXACT_EMPTY;
  bool changed = true;
  while (changed && status == DLS_OK)
    status = turn(s, DLS_SHAPE_DIRECTIONS, DLS_LAW_BARE, DLS_LAW_ANY, true, &changed);
  if (status == DLS_OK) status = dls_stick_exact_solve(s, DLS_SHAPE_WHOLE, -1, &outcome);
  if (outcome == DLS_EXACT_LARGE) s->exact->gave_up = true;
  *every = outcome == DLS_EXACT_POINT;
  return status;
}

dls_status dls_stick_exact_range(dls_stick *s, bool *every, bool *some, bool *known)
{
  exact *e = s->exact;
  dls_status status = DLS_OK;
  *every = *some = e->gave_up = false;
  dls_stick_set_friction(s, 1);
  for (int p = 0; p < 1 << e->signs && status == DLS_OK && !*every; p++) {
    dls_stick_exact_pattern(s, p, DLS_LAW_BARE);
    status = every_coefficient(s, every);
  }
  for (int p = 0; p < 1 << e->signs && status == DLS_OK && !*every && !*some; p++) {
    dls_stick_exact_pattern(s, p, DLS_LAW_NO_BOUND);
    status = some_coefficient(s, some);
  }
  *some |= *every;
  *known = !e->gave_up;
  return status;
}
