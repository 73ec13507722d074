// A time step with friction at bilateral contacts, whose impulses |r_t| <= mu |r_n| may have either
// sign: L is the union of the cones L_sigma, one for each choice of signs. There is a solution for
// every mass matrix and load when no impulses in L cancel, eq (stp.2), and when for each choice
// there are velocities
//
//   sigma_i (g_i^T v + w_n,i) >= mu_i |H_i^T v + w_t,i|                              eq (stp.3)
//
// strictly at contacts in space. Velocities that rest at a bilateral contact serve both its signs.
#include "certify/step_internal.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>

enum { MOST_SIGNS = 7 };  // contacts; as many bits choose theirs

static bool has_sign(const dls_step *s, int j)
{
  return dls_polyhedra_bilateral(s->c, j) && dls_step_rubs(s, j);
}

static dls_status keep_leaf(const dls_step *s, dls_leaf *leaf)
{
  const dls_polyhedra *c = s->c;
  unsigned char *mode = dls_arena_alloc(s->x->arena, c->m, 1);
  if (!mode) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {
    mode[j] = DLS_MODE_ANY;
    if (has_sign(s, j) && s->law[j] == DLS_STEP_CONE)
      mode[j] = DLS_MODE_STICK | (s->sign[j] < 0 ? DLS_MODE_PULLING : 0);
  }
  *leaf = (dls_leaf){.mode = mode, .kind = DLS_LEAF_EMPTY};
  return DLS_OK;
}

// --- whatever is imposed ------------------------------------------------------------------------

// The frictionless bilateral contacts are independent.
static dls_status are_independent(const dls_step *s, bool *yes)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  double *A = dls_context_work(s->x, n * c->m_b), *S = dls_context_work(s->x, n);
  int count = 0;
  if (s->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m_b; j++) {
    if (has_sign(s, j)) continue;
    dls_copy(A + n * count, c->G + n * j, n);
    count++;
  }
  *yes = count <= c->n;
  if (count == 0 || !*yes) return DLS_OK;
  const dls_status status = dls_svd(c->n, count, A, NULL, S, NULL);
  *yes = status == DLS_OK && S[count - 1] > c->tolerance * S[0];
  return status;
}

// One choice of signs: a motion strictly inside the dual cones, as a leaf.
static dls_status exclude(dls_step *s, dls_leaf *leaf, double *margin, bool *yes)
{
  const dls_polyhedra *c = s->c;
  double slack = NAN;
  dls_status status = dls_step_slack(s, false, &slack);
  *yes = status == DLS_OK && slack > c->tolerance && dls_step_outside(s, false) < -c->tolerance;
  if (!*yes) return status;
  double *direction = dls_context_keep(s->x, c->n);
  status = s->x->out_of_memory ? DLS_ERR_MEMORY : keep_leaf(s, leaf);
  if (status != DLS_OK) return status;
  for (int i = 0; i < c->n; i++) direction[i] = c->units.D[i] * s->v[i];
  leaf->direction = direction;
  *margin = fmin(*margin, slack);
  return DLS_OK;
}

// No forces in the cones cancel, whatever the signs of bilateral ones.                eq (stp.2)
static dls_status decide_any(dls_step *s, int count, const int *contact, bool *yes)
{
  double margin = INFINITY;
  *yes = count <= MOST_SIGNS;
  if (!*yes) return DLS_OK;
  dls_status status = are_independent(s, yes);
  dls_leaf *leaf = dls_arena_alloc(s->x->arena, (ptrdiff_t)1 << count, sizeof *leaf);
  if (!leaf) return DLS_ERR_MEMORY;
  for (int i = 0; i < count; i++) s->law[contact[i]] = DLS_STEP_CONE;
  for (int pattern = 0; pattern < 1 << count && *yes && status == DLS_OK; pattern++) {
    for (int i = 0; i < count; i++) s->sign[contact[i]] = pattern >> i & 1 ? -1 : 1;
    status = exclude(s, &leaf[pattern], &margin, yes);
  }
  if (status != DLS_OK || !*yes) return status;
  dls_verdict *v = dls_verdict_set(
      s->x, DLS_STEP_SOLVABLE, DLS_YES, margin,
      "whatever moves at the contacts: no forces in the cones cancel, bilateral ones of either "
      "sign (stp.2)",
      "for all signs of the bilateral forces with friction, one leaf each: g_i^T direction > mu_i "
      "|H_i^T direction| at every contact with the sign of its force, G_b^T direction = 0 at "
      "bilateral ones without friction, which are independent");
  v->leaf = leaf, v->leaves = 1 << count;
  return DLS_OK;
}

// --- what is imposed ----------------------------------------------------------------------------

typedef struct tree {
  dls_step *s;
  int count, *contact;
  int leaves;
  dls_leaf *leaf;  // 1 << MOST_SIGNS
  double margin;
  bool open, refused;  // a choice of signs is not decided; has no velocities
} tree;

static bool has_round(const dls_step *s)
{
  for (int j = 0; j < s->c->m; j++)
    if (dls_step_round(s, j)) return true;
  return false;
}

// Velocities for the laws and signs as they are set. *slack: how far inside.
static dls_status find_velocity(dls_step *s, double *slack, bool *found)
{
  const double tolerance = s->c->tolerance;
  *found = false;
  *slack = 0;
  if (s->size == 0 && !has_round(s)) {
    dls_clear(s->v, s->c->n);
    *found = true;
    return DLS_OK;
  }
  dls_status status = dls_step_slack(s, true, slack);
  *found = *slack > tolerance && dls_step_outside(s, true) < 0;
  if (status != DLS_OK || *found || *slack < -tolerance) return status;
  if (!has_round(s)) {
    *found = dls_step_inside(s);
    return *found ? DLS_OK : dls_step_planar(s, found);
  }
  double inside = NAN;
  s->inside_space = true;
  status = dls_step_slack(s, true, &inside);
  *found = status == DLS_OK && inside > tolerance && dls_step_outside(s, true) < -tolerance;
  s->inside_space = false;
  return status;
}

// A contact in space has no velocities strictly inside where it rests.
static bool may_rest(const tree *t, int depth)
{
  for (int i = depth; i < t->count; i++)
    if (dls_step_round(t->s, t->contact[i])) return false;
  return true;
}

static dls_status add_leaf(tree *t, double slack)
{
  dls_leaf *leaf = &t->leaf[t->leaves++];
  dls_status status = keep_leaf(t->s, leaf);
  if (status != DLS_OK) return status;
  leaf->velocity = dls_step_velocity(t->s);
  t->margin = fmin(t->margin, fmax(0, slack));
  return leaf->velocity ? DLS_OK : DLS_ERR_MEMORY;
}

// The contacts from `depth` on are of either sign: velocities rest there.
static dls_status visit(tree *t, int depth)  // NOLINT(misc-no-recursion)
{
  dls_step *s = t->s;
  dls_status status = dls_context_go_on(s->x);
  double slack = NAN;
  bool found = false;
  if (status != DLS_OK) return status;
  for (int i = depth; i < t->count; i++) s->law[t->contact[i]] = DLS_STEP_REST;
  if (may_rest(t, depth)) status = find_velocity(s, &slack, &found);
  if (status != DLS_OK) return status;
  if (found) return add_leaf(t, slack);
  if (depth == t->count) {
    if (slack < -s->c->tolerance) status = dls_step_refuse(s, &t->refused);
    t->open |= !t->refused;
    return status;
  }
  if (t->count > MOST_SIGNS) return t->open = true, DLS_OK;
  const int j = t->contact[depth];
  for (int side = 1; side >= -1 && status == DLS_OK && !t->refused; side -= 2) {
    s->law[j] = DLS_STEP_CONE, s->sign[j] = side;
    status = visit(t, depth + 1);
  }
  s->law[j] = DLS_STEP_REST, s->sign[j] = 1;
  return status;
}

static void accept(const tree *t)
{
  dls_step *s = t->s;
  dls_verdict *v =
      dls_verdict_set(s->x, DLS_STEP_SOLVABLE, DLS_YES, t->margin,
                      s->size > 0 ? "velocities in the dual cones for all signs of bilateral "
                                    "forces with friction (stp.3), theory §7"
                                  : "nothing moves on its own at the contacts: v = 0 (stp.3), "
                                    "theory §7",
                      "for all signs of the bilateral forces with friction, in one leaf each: "
                      "g_i^T velocity + w_n >= mu_i |H_i^T velocity + w_t| at every contact with "
                      "the sign of its force, strictly in space, H_i^T velocity + w_t = 0 where "
                      "the leaf has no sign, G_b^T velocity + w_n = 0 there and at bilateral ones "
                      "without friction");
  v->leaf = t->leaf, v->leaves = t->leaves;
}

static dls_status decide_imposed(tree *t)
{
  dls_step *s = t->s;
  t->leaf = dls_arena_alloc(s->x->arena, 1 << MOST_SIGNS, sizeof *t->leaf);
  if (!t->leaf) return DLS_ERR_MEMORY;
  const dls_status status = visit(t, 0);
  if (status == DLS_OK && !t->open && !t->refused) accept(t);
  return status;
}

static const char *why_open(const dls_step *s, int count)
{
  if (has_round(s))
    return "forces in the cones of bilateral contacts with friction may cancel, in space";
  return count > MOST_SIGNS ? "too many bilateral contacts with friction"
                            : "a number within the tolerance";
}

dls_status dls_step_decide_signs(dls_step *s)
{
  tree t = {.s = s, .margin = INFINITY};
  bool yes = false;
  t.contact = dls_arena_alloc(s->x->work, s->c->m_b, sizeof *t.contact);
  if (!t.contact) return DLS_ERR_MEMORY;
  for (int j = 0; j < s->c->m_b; j++)
    if (has_sign(s, j)) t.contact[t.count++] = j;
  dls_verdict_set(s->x, DLS_STEP_SOLVABLE, DLS_UNDECIDED, NAN, why_open(s, t.count), NULL);
  const dls_status status = decide_any(s, t.count, t.contact, &yes);
  return status == DLS_OK && !yes ? decide_imposed(&t) : status;
}
