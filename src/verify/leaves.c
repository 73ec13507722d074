// The leaves of a tree of modes: do they cover everything, and what does each of them hold?
#include "base/memory.h"
#include "verify/claim_modes.h"
#include "verify/guard.h"
#include "verify/sets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- covering ----------------------------------------------------------------------------------

// Modes of leaves that are looked at before the leaves count as unordered.
static const double max_work = 2e9;

typedef struct cover {
  const dls_trial *x;
  const dls_modes *possible;  // m
  const dls_modes *leaf;      // count x m; all bits: not told
  dls_modes *chosen;          // m: one bit where a mode has been chosen, else 0
  int *list;                  // a stack of leaf numbers
  double work;
} cover;

static const dls_modes *leaf_at(const cover *c, int leaf)
{
  return c->leaf + (ptrdiff_t)leaf * c->x->data.m;
}

// A contact that leaves restrict and that is still open: the one that most of them do. -1: a leaf
// restricts none, so that it covers all that is left.
static int choose_contact(const cover *c, const int *list, int count)
{
  const int m = c->x->data.m;
  int best = -1, most = 0;
  for (int k = 0; k < count; k++) {
    bool restricts = false;
    for (int j = 0; j < m; j++)
      restricts |= !c->chosen[j] && leaf_at(c, list[k])[j] != c->possible[j];
    if (!restricts) return -1;
  }
  for (int j = 0; j < m; j++) {
    int restricting = 0;
    for (int k = 0; k < count && !c->chosen[j]; k++)
      restricting += leaf_at(c, list[k])[j] != c->possible[j];
    if (restricting > most) most = restricting, best = j;
  }
  return best;
}

// Every combination of the modes that are not chosen lies in one of the leaves of the list, which
// are those that agree with what is chosen. The list ends where the stack goes on.
static bool covered(cover *c, int *list, int count)
{
  dls_guard_look();
  c->work += (double)count * c->x->data.m;
  if (count == 0 || c->work > max_work) return false;
  const int j = choose_contact(c, list, count);
  if (j < 0) return true;
  int *next = list + count;
  bool all = true;
  for (dls_modes bit = 1; all && bit && bit <= c->possible[j]; bit <<= 1) {
    if (!(c->possible[j] & bit)) continue;
    int kept = 0;
    for (int k = 0; k < count; k++)
      if (leaf_at(c, list[k])[j] & bit) next[kept++] = list[k];
    c->chosen[j] = bit;
    all = covered(c, next, kept);
  }
  if (all) c->chosen[j] = 0;  // otherwise what is chosen is a combination without leaf
  return all;
}

static const char *name_of_mode(dls_modes bit)
{
  static const char *const names[] = {"detach", "closed", "stick", "slide", "slide+", "slide-"};
  for (int k = 0; k < 6; k++)
    if (bit == 1u << k || bit == 1u << (k + DLS_PULL_SHIFT)) return names[k];
  return "";
}

static bool check_cover(dls_trial *x, dls_finding *f, const dls_modes *possible,
                        const dls_modes *leaf, int count)
{
  const int m = x->data.m;
  cover c = {.x = x, .possible = possible, .leaf = leaf};
  c.chosen = dls_trial_alloc(x, m, sizeof *c.chosen);
  c.list = dls_trial_alloc(x, count * ((ptrdiff_t)m + 2), sizeof *c.list);
  if (!c.chosen || !c.list) return false;
  for (int k = 0; k < count; k++) c.list[k] = k;
  if (covered(&c, c.list, count)) return true;
  char text[300] = "";
  size_t used = 0;
  for (int j = 0; j < m && used < sizeof text; j++)
    if (c.chosen[j])
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%.40s %s", used ? ", " : "",
                               x->data.contact_name[j], name_of_mode(c.chosen[j]));
  return dls_fails(x, f, "the leaves do not cover all modes: none for %s", used ? text : "any");
}

// ---- reading -----------------------------------------------------------------------------------

// A coefficient of 0 makes a contact with slips frictionless; reports may use either words.
static bool uses_words_of_friction(const dls_data *d, int j, const json_t *leaves)
{
  for (ptrdiff_t k = 0; k < dls_json_length(leaves); k++) {
    const json_t *modes = json_object_get(dls_json_item(leaves, k), "modes");
    const char *name = json_string_value(json_object_get(modes, d->contact_name[j]));
    if (name && !(dls_mode_of_name(name) & (DLS_DETACH | DLS_CLOSED))) return true;
  }
  return false;
}

static dls_modes possible_here(const dls_data *d, int j, dls_mode_scope scope, const json_t *leaves)
{
  const bool slippery = dls_tangents_of(d, j) > 0 && d->mu_s[j] == 0;
  if (slippery && uses_words_of_friction(d, j, leaves)) return dls_friction_modes(d, j, scope);
  return dls_possible_modes(d, j, scope);
}

static bool read_modes(dls_trial *x, dls_finding *f, const json_t *modes, ptrdiff_t number,
                       const dls_modes *possible, dls_modes *mode)
{
  const dls_data *d = &x->data;
  if (!json_is_object(modes))
    return dls_fails(x, f, "the witness is malformed: leaves[%td].modes", number);
  ptrdiff_t found = 0;
  for (int j = 0; j < d->m; j++) {
    const json_t *value = json_object_get(modes, d->contact_name[j]);
    mode[j] = possible[j];
    if (!value) continue;
    dls_modes named = json_is_string(value) ? dls_mode_of_name(json_string_value(value)) : 0;
    // without friction the sign of a bilateral contact's force makes no difference
    if (dls_is_bilateral(d, j) && d->mu_s[j] == 0) named |= named << DLS_PULL_SHIFT & possible[j];
    if (!named || (named & possible[j]) != named)
      return dls_fails(x, f, "leaves[%td]: contact %.60s has no mode \"%.30s\"", number,
                       d->contact_name[j], json_is_string(value) ? json_string_value(value) : "");
    mode[j] = named;
    found++;
  }
  if (found < dls_json_size(modes))
    return dls_fails(x, f, "leaves[%td] names a contact that is not closed", number);
  return true;
}

static bool read_duals(dls_trial *x, dls_finding *f, const json_t *leaf, dls_leaf_claim *claim)
{
  const dls_data *d = &x->data;
  const char *const *names = d->contact_name;
  double *alpha = dls_trial_alloc(x, d->m, sizeof *alpha);
  claim->d = dls_has(leaf, "direction") ? dls_read_coordinates(x, f, leaf, "direction")
                                        : dls_trial_alloc(x, d->n, sizeof(double));
  claim->alpha = alpha;
  if (!claim->d || !alpha) return false;
  const json_t *value = json_object_get(leaf, "alpha");
  if (value && !dls_read_named(x, f, value, "alpha", names, d->m, alpha)) return false;
  claim->sigma = dls_read_tangents(x, f, leaf, "sigma");
  return claim->sigma != NULL;
}

// ---- a leaf with one point ---------------------------------------------------------------------

// Every contact has one mode.
static bool is_told(dls_trial *x, dls_finding *f, const dls_modes *mode, ptrdiff_t number)
{
  for (int j = 0; j < x->data.m; j++)
    if (mode[j] & (mode[j] - 1))
      return dls_fails(x, f, "leaves[%td] is a point, but contact %.60s has no mode in it", number,
                       x->data.contact_name[j]);
  return true;
}

static bool check_point(dls_trial *x, dls_finding *f, const dls_modes *mode, ptrdiff_t number,
                        const dls_trial_point *point, bool forces)
{
  dls_enclosure e;
  if (!is_told(x, f, mode, number)) return false;
  if (!dls_solve_modes(x, mode, point, &e)) return false;
  if (e.inequality == DLS_OUTSIDE) return true;  // empty after all
  if (!point) return dls_fails(x, f, "leaves[%td] may hold a solution", number);
  if (forces && !e.forces && dls_holds_forces(x, mode, point))
    return dls_leaves_open(x, f, "leaves[%td]: the forces in it differ by less than the tolerance",
                           number);
  if (forces ? !e.forces : !e.accelerations)
    return dls_fails(x, f, "leaves[%td] may hold many solutions: %s", number, e.why);
  const double distance = dls_distance(x, &e, point, forces);
  if (distance <= x->tolerance) {
    f->residual = isnan(f->residual) ? distance : dls_larger(f->residual, distance);
    f->limit = x->tolerance;
    return true;
  }
  if (distance <= DLS_DECISIVE * x->tolerance)
    return dls_leaves_open(x, f, "leaves[%td]: its solution is %.3g away from the one shown",
                           number, distance);
  return dls_fails(x, f, "leaves[%td] holds %s solution than the one shown (%.3g away, limit %.3g)",
                   number, e.inequality == DLS_INSIDE ? "another" : "perhaps another", distance,
                   x->tolerance);
}

// The same, combination by combination of the modes that are left; `budget` of them at most.
static dls_found split(dls_trial *x, dls_modes *mode, int from, int *budget,
                       const dls_trial_point *point)
{
  while (from < x->data.m && !(mode[from] & (mode[from] - 1))) from++;
  if (from < x->data.m) {
    const dls_modes all = mode[from];
    dls_found worst = DLS_FOUND_HOLDS;
    for (dls_modes bit = 1; bit && bit <= all && worst != DLS_FOUND_FAILS; bit <<= 1) {
      if (!(all & bit)) continue;
      mode[from] = bit;
      const dls_found found = split(x, mode, from + 1, budget, point);
      if (found != DLS_FOUND_HOLDS) worst = found;
    }
    mode[from] = all;
    return worst;
  }
  dls_enclosure e;
  if (--*budget < 0 || !dls_solve_modes(x, mode, point, &e)) return DLS_FOUND_UNPROVEN;
  if (e.inequality == DLS_OUTSIDE) return DLS_FOUND_HOLDS;
  if (!e.accelerations) return DLS_FOUND_UNPROVEN;
  const double distance = dls_distance(x, &e, point, false);
  if (distance <= x->tolerance) return DLS_FOUND_HOLDS;
  const bool another = e.inequality == DLS_INSIDE && distance > DLS_DECISIVE * x->tolerance;
  return another ? DLS_FOUND_FAILS : DLS_FOUND_UNPROVEN;
}

// All solutions in a leaf that leaves contacts several modes have one acceleration.
static bool holds_one(dls_trial *x, dls_finding *f, const dls_modes *mode, ptrdiff_t number,
                      const dls_trial_point *point)
{
  int budget = 81;  // four planar contacts
  if (dls_holds_acceleration(x, mode, point)) return true;
  dls_modes *copy = dls_trial_alloc(x, x->data.m, sizeof *copy);
  if (!copy || x->out_of_memory) return false;
  dls_copy(copy, mode, x->data.m);
  const dls_found found = split(x, copy, 0, &budget, point);
  if (found == DLS_FOUND_FAILS)
    return dls_fails(x, f, "leaves[%td] holds another acceleration", number);
  return found == DLS_FOUND_HOLDS ||
         dls_leaves_open(x, f, "leaves[%td] may hold another acceleration", number);
}

// The modes of the solutions in a leaf that all have the acceleration that it names.
static const dls_modes *find_whole(dls_trial *x, dls_finding *f, const json_t *leaf,
                                   const dls_modes *mode, ptrdiff_t number)
{
  const dls_data *d = &x->data;
  dls_modes *whole = dls_trial_alloc(x, d->m, sizeof *whole);
  const double *zero = dls_trial_alloc(x, (ptrdiff_t)d->m + d->tangents, sizeof *zero);
  const dls_trial_point point = {dls_read_coordinates(x, f, leaf, "acceleration"), zero, zero};
  if (!whole || !zero || !point.z) return NULL;
  if (dls_modes_by_acceleration(x, mode, &point, whole))
    return holds_one(x, f, mode, number, &point) ? whole : NULL;
  if (!x->out_of_memory)
    dls_fails(x, f, "leaves[%td] does not tell the modes of its acceleration", number);
  return NULL;
}

// A leaf that leaves contacts several modes and has one acceleration. That of the forces shown need
// not be the only one.
static bool check_acceleration(dls_trial *x, dls_finding *f, const json_t *leaf,
                               const dls_modes *mode, ptrdiff_t number,
                               const dls_trial_point *point, bool forces)
{
  if (!point) return dls_fails(x, f, "leaves[%td] may hold a solution", number);
  if (forces) {
    const dls_modes *whole = find_whole(x, f, leaf, mode, number);
    return whole && check_point(x, f, whole, number, point, true);
  }
  return holds_one(x, f, mode, number, point);
}

static bool is_kind(const json_t *leaf, const char *word)
{
  const char *kind = json_string_value(json_object_get(leaf, "kind"));
  return kind && strcmp(kind, word) == 0;
}

static bool is_empty(const json_t *leaf)
{
  return is_kind(leaf, "empty");
}

static bool has_kind(dls_trial *x, dls_finding *f, const json_t *leaf, ptrdiff_t number)
{
  static const char *const kinds[] = {"empty", "point", "face", "acceleration"};
  for (ptrdiff_t k = 0; k < dls_count_of(kinds); k++)
    if (is_kind(leaf, kinds[k])) return true;
  return dls_fails(x, f, "the witness is malformed: leaves[%td].kind", number);
}

// Modes with linear equations, one for each contact.
static bool is_linear(const dls_data *d, const dls_modes *mode)
{
  const dls_modes slide = DLS_SLIDE | DLS_SLIDE << DLS_PULL_SHIFT;
  for (int j = 0; j < d->m; j++)
    if (mode[j] & (mode[j] - 1) || (mode[j] & slide && !d->sliding[j])) return false;
  return true;
}

// Forces and accelerations are at most so large that rounding of the data would not make them.
static bool is_regular(const dls_data *d, const dls_enclosure *e)
{
  for (int i = 0; i < d->n; i++) {
    const int p = d->coordinate_part[i];
    const double load = dls_larger(d->force_floor[p], d->acceleration_floor[p]);
    if (!(dls_interval_abs(e->z[i]).high <= beyond_regular * load)) return false;
  }
  for (int j = 0; j < d->m; j++) {
    const int p = d->contact_part[j];
    const double load = dls_larger(d->force_floor[p], d->acceleration_floor[p]);
    if (!(dls_interval_abs(e->lambda[j]).high <= beyond_regular * load)) return false;
  }
  return true;
}

// Between nearly parallel contacts forces are many times the loads: what a proof excludes only up
// to some size may be there.
static bool is_still_empty(dls_trial *x, dls_finding *f, const dls_modes *mode, ptrdiff_t number)
{
  dls_enclosure e;
  if (x->excluded >= beyond_regular || !is_linear(&x->data, mode)) return true;
  x->margin = x->data.noise * x->data.noise;
  const bool solved = dls_solve_modes(x, mode, NULL, &e);
  x->margin = 0;
  if (!solved) return false;
  if (!e.forces || !e.accelerations || e.inequality != DLS_INSIDE || !is_regular(&x->data, &e))
    return true;
  return dls_fails(x, f,
                   "leaves[%td] is not empty: it holds an exact solution, of more than %.2g "
                   "times the loads",
                   number, x->excluded);
}

// Is there a point of up to last_solutions loads, in whole numbers? As far as one part goes.
static bool is_filled(dls_trial *x, int part, const dls_modes *mode)
{
  const dls_data *d = &x->data;
  const dls_exact_question far = {.size = last_solutions / DLS_DECISIVE};
  const dls_part_measures loads =
      dls_measures_of(d, part, d->acceleration_floor[part], d->force_floor[part]);
  dls_polytope p;
  if (!dls_trial_borrow(x)) return false;
  const bool filled = dls_polytope_create(x, part, loads, 1, &p) &&
                      dls_polytope_relax(x, &p, mode) &&
                      dls_polytope_decide(x, &p, &far) == DLS_EXACT_YES;
  dls_trial_return(x);
  return filled;
}

static bool is_round(const dls_data *d)
{
  for (int j = 0; j < d->m; j++)
    if (dls_tangents_of(d, j) == 2 && !d->sliding[j]) return true;
  return false;
}

// A proof with rounding in it excludes solutions up to some size. Where larger ones are there, and
// not for rounding of single numbers of the data, it tells nothing of the leaf.       eq (num.1)
static bool is_empty_far_away(dls_trial *x, dls_finding *f, const dls_modes *mode, ptrdiff_t number)
{
  enum { MOST = 200 };
  if (x->excluded >= last_solutions || is_round(&x->data) || x->looks++ >= MOST) return true;
  for (int part = 0; part < x->data.parts; part++)
    if (!is_filled(x, part, mode)) return !x->out_of_memory;
  return dls_leaves_open(x, f,
                         "leaves[%td] holds solutions, or cases of it do, of more than %.2g times "
                         "the loads",
                         number, x->excluded);
}

static bool check_empty(dls_trial *x, dls_finding *f, const json_t *leaf, ptrdiff_t number,
                        const dls_modes *mode)
{
  char what[60];
  snprintf(what, sizeof what, "leaves[%td] is not empty", number);
  dls_leaf_claim claim = {.mode = mode};
  return read_duals(x, f, leaf, &claim) && dls_check_empty(x, f, &claim, what) &&
         is_still_empty(x, f, mode, number) && is_empty_far_away(x, f, mode, number);
}

// Leaves as they are read: count x m modes, which cover all.
typedef struct leaf_modes {
  ptrdiff_t count;
  dls_modes *mode;
} leaf_modes;

static bool read_leaves(dls_trial *x, dls_finding *f, const json_t *leaves, dls_mode_scope scope,
                        leaf_modes *out)
{
  enum { MOST = 1 << 20 };
  const dls_data *d = &x->data;
  if (!json_is_array(leaves) || dls_json_length(leaves) > MOST)
    return dls_fails(x, f, "the witness is malformed: leaves");
  const ptrdiff_t count = dls_json_length(leaves), m = d->m;
  dls_modes *possible = dls_trial_alloc(x, m, sizeof *possible);
  *out = (leaf_modes){count, dls_trial_alloc(x, count * m, sizeof *out->mode)};
  if (!possible || !out->mode) return false;
  for (int j = 0; j < d->m; j++) possible[j] = possible_here(d, j, scope, leaves);
  for (ptrdiff_t k = 0; k < count; k++) {
    const json_t *leaf = dls_json_item(leaves, k);
    if (!read_modes(x, f, json_object_get(leaf, "modes"), k, possible, out->mode + m * k))
      return false;
  }
  return check_cover(x, f, possible, out->mode, (int)count);
}

bool dls_check_leaves(dls_trial *x, dls_finding *f, const json_t *witness, dls_mode_scope scope,
                      const dls_trial_point *point, bool forces)
{
  const json_t *leaves = json_object_get(witness, "leaves");
  leaf_modes all = {0};
  if (!read_leaves(x, f, leaves, scope, &all)) return false;
  for (ptrdiff_t k = 0; k < all.count; k++) {
    const json_t *leaf = dls_json_item(leaves, k);
    const dls_modes *mode = all.mode + x->data.m * k;
    if (!has_kind(x, f, leaf, k)) return false;
    x->others = point != NULL;
    const bool good = is_empty(leaf) ? check_empty(x, f, leaf, k, mode)
                      : is_kind(leaf, "acceleration")
                          ? check_acceleration(x, f, leaf, mode, k, point, forces)
                          : check_point(x, f, mode, k, point, forces);
    x->others = false;
    if (!good) return false;
  }
  return true;
}

static bool is_held(const dls_trial *x, const dls_held *held, const dls_modes *mode)
{
  for (int k = 0; k < held->count; k++)
    if (memcmp(held->mode[k], mode, dls_bytes(x->data.m, sizeof *mode)) == 0) return true;
  return false;
}

bool dls_check_covering(dls_trial *x, dls_finding *f, const json_t *leaves, dls_held *held)
{
  leaf_modes all = {0};
  *held = (dls_held){0};
  if (!read_leaves(x, f, leaves, DLS_SCOPE_ALL, &all)) return false;
  held->leaf = dls_trial_alloc(x, all.count, sizeof *held->leaf);
  held->mode = dls_trial_alloc(x, all.count, sizeof *held->mode);
  if (!held->leaf || !held->mode) return false;
  for (ptrdiff_t k = 0; k < all.count; k++) {
    const json_t *leaf = dls_json_item(leaves, k);
    const dls_modes *mode = all.mode + x->data.m * k;
    if (!has_kind(x, f, leaf, k)) return false;
    if (is_empty(leaf)) {
      if (!check_empty(x, f, leaf, k, mode)) return false;
      continue;
    }
    if (is_kind(leaf, "acceleration")) {
      mode = find_whole(x, f, leaf, mode, k);
      if (!mode) return false;
    } else if (!is_told(x, f, mode, k)) {
      return false;
    }
    if (is_held(x, held, mode)) continue;
    held->leaf[held->count] = (int)k;
    held->mode[held->count++] = mode;
  }
  return true;
}
