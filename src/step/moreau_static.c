// Static friction in a step: a contact sticks with a force up to the static bound, or slides with
// the friction of sliding. One cone at a time is what solvers know:                    eq (stf.4)
//
//   wide where it did not slip at the begin, narrow where it slid;
//   one that slips in the wide cone is freed: narrow, for the rest of the step;
//   one that slid and would turn round came to rest on the way: wide, once.
//
// Until no cone changes: what sticks then does so in the cone that it has, and what slides has the
// narrow one.
#include "step/moreau.h"

#include "base/memory.h"
#include "linalg/length.h"

dls_status dls_moreau_make_grips(dls_moreau *w)
{
  const dls_system *s = w->point->system;
  const ptrdiff_t m = s->m;
  if (!w->point->statics) return DLS_OK;
  dls_moreau_grips *grips = dls_arena_alloc(w->arena, 1, sizeof *grips);
  bool *flags = dls_arena_alloc(w->arena, 2 * m + 1, sizeof(bool));
  double *slip = dls_arena_alloc(w->arena, (ptrdiff_t)s->tangents + 1, sizeof(double));
  if (!grips || !flags || !slip) return DLS_ERR_MEMORY;
  grips->held = flags, grips->freed = flags + m, grips->slip = slip;
  w->grips = grips;
  return DLS_OK;
}

static double length_of(const dls_snapshot *p, int j, const double *slip)
{
  const int k = p->first[j], tangents = p->first[j + 1] - k;
  return tangents == 0 ? 0 : tangents == 1 ? fabs(slip[k]) : dls_length(slip[k], slip[k + 1]);
}

void dls_moreau_begin_grips(dls_moreau *w)
{
  const dls_snapshot *p = w->point;
  dls_moreau_grips *grips = w->grips;
  if (!grips) return;
  dls_copy(grips->slip, p->values->slip, p->system->tangents);
  dls_clear(grips->freed, p->system->m);
  for (int j = 0; j < p->system->m; j++) {
    const unsigned char status = w->status ? w->status[j] : DLS_OPEN;
    const bool still = length_of(p, j, p->values->slip) <= w->rest;
    grips->held[j] = p->system->contacts[j].has_static && status != DLS_SLIDING &&
                     (still || (status == DLS_STICKING && !grips->after));
  }
}

// Does contact i, which slid, go the other way by its law's answer?
static bool turns_round(const dls_moreau *w, int i)
{
  const dls_step_problem *c = w->contacts;
  const int j = c->contact[i], first = w->point->first[j];
  const double *u = c->u + i * c->dimension + 1;
  double dot = 0;
  for (int k = 0; k < dls_step_problem_tangents(c, i); k++) dot += u[k] * w->grips->slip[first + k];
  return !(dot > 0) && length_of(w->point, j, w->grips->slip) > 0;
}

bool dls_moreau_change_grips(dls_moreau *w)
{
  const dls_step_problem *c = w->contacts;
  dls_moreau_grips *grips = w->grips;
  bool any = false;
  for (int i = 0; grips && i < c->count; i++) {
    const int j = c->contact[i];
    if (!c->active[i] || !w->point->system->contacts[j].has_static) continue;
    const double *r = c->r + i * c->dimension;
    if (!(dls_step_problem_limit(c, i, r[0]) > 0) || dls_moreau_is_fast(w, i)) continue;
    if (grips->held[j]) {
      grips->held[j] = false, grips->freed[j] = any = true;
    } else if (!grips->freed[j] && !grips->instant && turns_round(w, i)) {
      grips->held[j] = any = true;
    }
  }
  return any;
}
