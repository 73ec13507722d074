#include "step/uniqueness.h"

#include "base/memory.h"
#include "step/tolerances.h"

#include <math.h>
#include <string.h>

enum { FEW = 3, CHOICES = 4 };

// Between static friction and that of sliding a contact may stick and may slide. By eq (stf.2) it
// sticks, so that sliding is no other choice for one that does.
static bool stays(const dls_smooth *s, const dls_contact_modes *found, int j)
{
  return s->point->system->contacts[j].has_static && found->kind[j] == DLS_STICKING;
}

// What contact j may do: the number of choices, and the one numbered `choice` in the modes.
static int choices(const dls_smooth *s, const dls_contact_modes *found,
                   const unsigned char *candidate, int j)
{
  const int tangents = s->point->first[j + 1] - s->point->first[j];
  const bool friction = tangents > 0 && dls_snapshot_rubs(s->point, j);
  const bool bilateral = s->point->system->contacts[j].kind == DLS_BILATERAL;
  if (bilateral) return friction ? (candidate[j] == DLS_SLIDING ? 2 : 0) : 1;
  if (!friction || candidate[j] == DLS_SLIDING || tangents == 2 || stays(s, found, j)) return 2;
  return CHOICES;
}

// Take-off first; then closed as it is; then sliding either way, for contacts in a plane at rest.
static void choose(const dls_smooth *s, const unsigned char *candidate, int j, int choice,
                   dls_contact_modes *modes)
{
  const int first = s->point->first[j];
  if (s->point->system->contacts[j].kind == DLS_BILATERAL) {
    modes->side[j] = choice == 0 ? 1 : -1;
    return;
  }
  modes->kind[j] = choice == 0 ? DLS_SEPARATING : candidate[j];
  if (choice < 2) return;
  modes->kind[j] = DLS_SLIDING;
  modes->xi[first] = choice == 2 ? 1 : -1;
}

// Do all signs agree, with room to spare?
static bool holds(const dls_smooth *s, const unsigned char *candidate, const dls_alternatives *work)
{
  const dls_values *x = s->point->values;
  const double *W = dls_stage_matrix_delassus(s->single), *z = work->z;
  for (int j = 0; j < s->m; j++) {
    if (candidate[j] != DLS_SLIDING && candidate[j] != DLS_STICKING) continue;
    const int first = s->point->first[j], tangents = s->point->first[j + 1] - first;
    const double scale = dls_modes_normal_scale(s, j) * W[j];
    const bool bilateral = s->point->system->contacts[j].kind == DLS_BILATERAL;
    if (!dls_mode_closed(&work->modes, j)) {
      const double a = dls_snapshot_Jt_times(s->point, j, 0, z) + x->b_n[j];
      if (!(a > certain_sign * (scale + fabs(a)))) return false;
      continue;
    }
    if (work->margin[2 * j] != 1 && !(work->margin[2 * j] > certain_sign)) return false;
    if (tangents == 0 || !dls_snapshot_rubs(s->point, j) || bilateral) continue;
    if (work->modes.kind[j] == DLS_STICKING) {
      if (!(work->margin[2 * j + 1] > certain_sign)) return false;
    } else if (candidate[j] == DLS_STICKING) {
      const double a = dls_snapshot_Jt_times(s->point, j, 1, z) + x->b_t[first];
      if (!(a * work->modes.xi[first] > certain_sign * (scale + fabs(a)))) return false;
    }
  }
  return true;
}

static bool differs(const dls_smooth *s, const double *a, const double *b)
{
  const double *D = dls_stage_matrix_scale(s->single);
  double most = 0, size = 0;
  for (int i = 0; i < s->n; i++) {
    most = fmax(most, fabs(a[i] - b[i]) / D[i]);
    size = fmax(size, fmax(fabs(a[i]), fabs(b[i])) / D[i]);
  }
  return most > other_motion * certain_sign * size;
}

static void copy_modes(const dls_smooth *s, const dls_contact_modes *from, dls_contact_modes *to)
{
  const ptrdiff_t m = s->m, tangents = s->tangents;
  dls_copy(to->kind, from->kind, m);
  dls_copy(to->side, from->side, m);
  dls_copy(to->xi, from->xi, tangents);
  dls_copy(to->straight, from->straight, m);
}

bool dls_uniqueness_other(dls_smooth *s, const dls_contact_modes *found,
                          const unsigned char *candidate, const double *z, dls_alternatives *work,
                          int *contact, dls_contact_status *kind)
{
  int open[FEW], count = 0, all = 1;
  bool friction = false;
  for (int j = 0; j < s->m; j++) {
    if (candidate[j] != DLS_SLIDING && candidate[j] != DLS_STICKING) continue;
    const int ways = choices(s, found, candidate, j);
    if (ways == 1) continue;
    if (ways == 0 || count == FEW) return false;
    friction |=
        s->point->first[j + 1] > s->point->first[j] && dls_snapshot_mu(s->point, j, true) > 0;
    open[count++] = j, all *= ways;
  }
  for (int k = 0; k < all && friction; k++) {
    copy_modes(s, found, &work->modes);
    for (int i = 0, rest = k; i < count; i++) {
      const int ways = choices(s, found, candidate, open[i]);
      choose(s, candidate, open[i], rest % ways, &work->modes);
      rest /= ways;
    }
    if (!dls_smooth_forces(s, &work->modes, work->z)) continue;
    dls_modes_margins(s, &work->modes, work->z, work->margin);
    if (!holds(s, candidate, work) || !differs(s, z, work->z)) continue;
    *contact = open[0];
    for (int i = count - 1; i >= 0; i--)
      if (work->modes.kind[open[i]] != found->kind[open[i]] ||
          work->modes.side[open[i]] != found->side[open[i]])
        *contact = open[i];
    *kind = (dls_contact_status)work->modes.kind[*contact];
    return true;
  }
  return false;
}

bool dls_uniqueness_spent(dls_smooth *s, const dls_contact_modes *modes)
{
  bool slides = false;
  for (int j = 0; j < s->m; j++)
    slides |= modes->kind[j] == DLS_SLIDING && s->point->values->friction[j] > 0;
  if (!slides || dls_smooth_sign(s) != 0) return false;
  dls_stage_matrix_begin(s->single);
  dls_stage_matrix_fill(s->single, 0, modes, false, modes->xi, NULL, NULL, NULL);
  return dls_stage_matrix_factor(s->single) &&
         dls_stage_matrix_pivots(s->single) > far_from_singular;
}

// --- jumps without collision ---

double dls_uniqueness_force(const dls_snapshot *p, const double *mobility)
{
  double sum = 0;
  for (int i = 0; i < p->system->n; i++) sum += fabs(p->values->F[i]) * sqrt(mobility[i]);
  return sum;
}

// x^T diag(M)^-1 x of a column.
static double effect(const dls_pattern *a, const double *x, int c, const double *mobility)
{
  double sum = 0;
  for (int e = a->p[c]; e < a->p[c + 1]; e++) sum += x[e] * x[e] * mobility[a->i[e]];
  return sum;
}

// The kinetic size of all that may change velocities within the step but friction: forces, the
// bending of constraints, and rates at which contacts approach, with the velocities of the begin,
// there and at the end.
static double expected(const dls_jump *w)
{
  const dls_snapshot *p = w->point;
  const dls_system *s = p->system;
  const dls_values *x = p->values;
  double sum = w->h * fmax(w->force, dls_uniqueness_force(p, w->mobility));
  for (int j = 0; j < s->m; j++) {
    const double own = effect(&s->normal, x->G, j, w->mobility);
    if (!(own > 0) || w->impulse[j + p->first[j]] == 0) continue;
    const double later =
        x->h_dot[j] - dls_snapshot_Jt_times(p, j, 0, w->v1) + dls_snapshot_Jt_times(p, j, 0, w->v0);
    sum += (fabs(w->rate[j]) + fabs(later) + w->h * fabs(x->b_n[j]) + w->rest) / sqrt(own);
  }
  return sum;
}

int dls_uniqueness_jump(const dls_jump *w)
{
  const dls_snapshot *p = w->point;
  double usual = -1;
  for (int j = 0; j < p->system->m; j++) {
    double slip = 0, change = 0, own = 0;
    if (w->impulse[j + p->first[j]] == 0 || !(p->values->friction[j] > 0)) continue;
    for (int k = p->first[j]; k < p->first[j + 1]; k++) {
      const int row = 1 + k - p->first[j];
      slip = hypot(slip, w->slip[k]);
      change = hypot(change, dls_snapshot_Jt_times(p, j, row, w->v1) -
                                 dls_snapshot_Jt_times(p, j, row, w->v0));
      own = fmax(own, effect(&p->system->tangent, p->values->H, k, w->mobility));
    }
    if (!(slip > w->rest) || !(change > jump_of_slip * slip)) continue;
    if (usual < 0) usual = expected(w);
    if (else_of_jump * change > usual * sqrt(own)) return j;
  }
  return -1;
}
