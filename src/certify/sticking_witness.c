// What proves the bracket of the least coefficient: forces at its upper end, leaves at the lower.
#include "base/memory.h"
#include "certify/sticking_internal.h"
#include "certify/tolerances.h"
#include "certify/witness.h"

#include <math.h>

// Next to the value the forces of a conic program may not pass; a little above they do.
static const double more[] = {0, 1e-10, 1e-9, 1e-8, 1e-7};

static dls_status ask(dls_stick *s, const dls_stick_forces *f, double mu,
                      dls_stick_outcome *outcome)
{
  dls_stick_set_friction(s, mu);
  *outcome = DLS_STICK_AMBIGUOUS;
  dls_status status = s->exact ? dls_stick_exact_search(s, outcome) : DLS_OK;
  if (status != DLS_OK || *outcome != DLS_STICK_AMBIGUOUS) return status;
  return f->known ? dls_stick_direct(s, f, outcome) : dls_stick_search(s, outcome);
}

static bool passes(const dls_stick *s, bool yes)
{
  if (!yes) return s->margin > s->least_margin;
  return dls_stick_exact_holds(s, dls_stick_fault(s, NULL, &s->point, NULL, NULL));
}

// *out stays NULL when the answer is not the one wanted, or does not pass the check.
static dls_status show(dls_stick *s, const dls_stick_forces *f, double mu, bool wanted,
                       const dls_verdict **out)
{
  dls_context *x = s->polyhedra->x;
  dls_stick_outcome outcome;
  s->keep_leaves = s->nearby = true;
  const dls_status status = ask(s, f, mu, &outcome);
  s->keep_leaves = s->nearby = false;
  const bool yes = outcome == DLS_STICK_YES;
  if (status != DLS_OK || outcome == DLS_STICK_AMBIGUOUS || yes != wanted || !passes(s, yes))
    return status;
  dls_verdict *v = dls_arena_alloc(x->arena, 1, sizeof *v);
  if (!v) return DLS_ERR_MEMORY;
  *v = (dls_verdict){.answer = yes ? DLS_YES : DLS_NO, .margin = s->margin, .by = "", .shows = ""};
  if (yes) {
    dls_witness_point(s->polyhedra, v, &s->point, false);
  } else {
    dls_leaf *leaf = dls_arena_alloc(x->arena, s->leaves, sizeof *leaf);
    if (!leaf) return DLS_ERR_MEMORY;
    dls_copy(leaf, s->leaf, s->leaves);
    v->leaf = leaf, v->leaves = (int)s->leaves;
  }
  *out = v;
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}

dls_status dls_stick_show_least(dls_stick *s, const dls_stick_forces *f, dls_limit *limit)
{
  dls_status status = DLS_OK;
  if (isnan(limit->value)) return DLS_OK;
  const bool infinite = isinf(limit->value);
  for (int k = 0; k < 5 && !infinite && status == DLS_OK && !limit->above; k++) {
    const double high = limit->high * (1 + more[k]);
    status = show(s, f, high, true, &limit->above);
    if (limit->above) limit->high = high;
  }
  const double low = infinite ? huge_coefficient : limit->low;
  if (status == DLS_OK && low > 0) status = show(s, f, low, false, &limit->below);
  if (infinite && limit->below) limit->low = low;
  return status;
}
