// The impact of a report: its laws are contact problems in the jump of the velocities, so that what
// is claimed of them is checked like what is claimed of accelerations.          eq (imp.5), (chk.9)
#include "verify/claim_impact.h"
#include "verify/claim_modes.h"
#include "verify/claim_poisson.h"
#include "verify/motion.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The problem of one law, and what has been proven of it.
typedef struct law {
  dls_trial trial;
  bool exists, none, unique;
} law;

typedef struct impact {
  dls_trial *x;
  const dls_recorder *recorder;
  const json_t *object;
  dls_before before;
  const double *E;  // m_u x m_u
  int m_u;
  law diagonal, matrix;
  bool by_newton;  // Newton's law has a motion that separates and gains no energy
} impact;

static const char *const newton_keys[4] = {"jump", "p_b", "p_u", "p_t"};

// ---- the problems ------------------------------------------------------------------------------

static bool begin_law(impact *p, const double *E, law *out)
{
  dls_trial *x = p->x;
  dls_problem *problem = dls_trial_alloc(x, 1, sizeof *problem);
  if (!problem) return false;
  if (!dls_jump_problem(x->state, &p->before, E, x->arena, problem)) {
    x->out_of_memory = true;
    return false;
  }
  return dls_trial_other(x, problem, &out->trial);
}

static void end_law(impact *p, law *l)
{
  p->x->out_of_memory |= l->trial.out_of_memory;
  dls_sum_clear(&l->trial.sum);
}

// ---- Newton's law ------------------------------------------------------------------------------

// u+ = -E u- at every contact.
static bool keeps_law(dls_trial *x, dls_finding *f, const dls_trial_point *point)
{
  dls_sizes size;
  char what[160];
  if (!dls_measure_point(x, point, &size)) return false;
  for (int j = x->data.m_b; j < x->data.m; j++) {
    snprintf(what, sizeof what, "contact %.60s does not leave as Newton's law says",
             x->data.contact_name[j]);
    if (!dls_within(x, f, dls_acceleration_error(x, point, &size, j, -1, 0), what)) return false;
  }
  return true;
}

// -E u- >= 0, to the tolerance.
static bool separates(const impact *p)
{
  for (int i = 0; i < p->m_u; i++) {
    double sum = 0, terms = 0;
    for (int j = 0; j < p->m_u; j++) {
      const double term = p->E[i + (ptrdiff_t)p->m_u * j] * p->before.normal[j];
      sum += term, terms += fabs(term);
    }
    if (sum > p->x->tolerance * terms) return false;
  }
  return true;
}

// Farkas' vector: with every contact closed there is no solution.                   eq (imp.6)
static void check_infeasible(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const json_t *leaf = dls_json_item(json_object_get(witness, "leaves"), 0);
  dls_modes *mode = dls_trial_alloc(x, d->m, sizeof *mode);
  double *alpha = dls_trial_alloc(x, d->m, sizeof *alpha);
  const double *sigma = dls_trial_alloc(x, d->tangents, sizeof *sigma);
  if (!mode || !alpha || !sigma) return;
  const char *const *names = d->contact_name;
  const double *direction = dls_read_coordinates(x, f, leaf, "direction");
  if (!direction ||
      !dls_read_named(x, f, json_object_get(leaf, "alpha"), "alpha", names, d->m, alpha))
    return;
  for (int j = 0; j < d->m; j++) mode[j] = DLS_CLOSED;
  const dls_leaf_claim claim = {mode, direction, alpha, sigma};
  if (dls_check_empty(x, f, &claim, "the witness does not show that there are no percussions"))
    dls_proves(x, f, "no percussions give u+ = -E u-: Farkas' vector holds %s",
               dls_precision(x, f));
}

// With friction: the law that lets contacts separate faster has no motion, or one that does.
static void check_not_kept(law *l, dls_finding *f)
{
  dls_trial *x = &l->trial;
  dls_sizes size;
  bool opens = false;
  if (l->none) {
    dls_proves(x, f, "even the law that lets contacts separate faster has no solution");
    return;
  }
  if (!l->exists || !l->unique || !dls_measure_point(x, &x->solution, &size)) {
    dls_fails(x, f, "that the velocity after the impact is unique is not proven");
    return;
  }
  for (int j = x->data.m_b; j < x->data.m; j++) opens |= dls_opens(x, &x->solution, &size, j);
  if (opens) dls_proves(x, f, "the only velocity after the impact opens a contact faster");
  else dls_fails(x, f, "no contact separates faster than u+ = -E u-");
}

static void check_feasible(impact *p, dls_finding *f, const json_t *newton, const json_t *witness)
{
  dls_trial *x = &p->matrix.trial;
  dls_trial_point point;
  if (!dls_read_point(x, f, witness, newton_keys, &point) ||
      !dls_check_solves(x, f, &point, false, "the witness") || !keeps_law(x, f, &point))
    return;
  const json_t *energy = json_object_get(newton, "kinetic_energy");
  if (!dls_check_after(x, f, &point, newton) ||
      !dls_check_energies(&p->before, x, f, &point, newton))
    return;
  const char *balance = json_string_value(json_object_get(energy, "balance"));
  p->by_newton = separates(p) && balance && strcmp(balance, "gained") != 0;
  dls_proves(x, f, "the percussions give u+ = -E u-; velocities and energies, %s",
             dls_precision(x, f));
}

static void check_newton(impact *p)
{
  const json_t *newton = json_object_get(p->object, "newton");
  const json_t *verdict = json_object_get(newton, "feasible");
  const json_t *witness = json_object_get(verdict, "witness");
  const char *answer = json_string_value(json_object_get(verdict, "answer"));
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", "newton", answer ? answer : "");
  law *l = &p->matrix;
  dls_trial *x = &l->trial;
  if (!f) return;
  const json_t *claimed = json_object_get(newton, "separates");
  if (!answer || !json_is_boolean(claimed)) {
    dls_fails(x, f, "newton: the verdict is malformed");
  } else if (json_is_true(claimed) != separates(p)) {
    dls_fails(x, f, "-E u- >= 0 is %s", separates(p) ? "true" : "false");
  } else if (strcmp(answer, "yes") == 0) {
    check_feasible(p, f, newton, witness);
  } else if (json_object_get(newton, "velocities_after")) {
    dls_fails(x, f, "Newton's law has no motion, but there are velocities after it");
  } else if (strcmp(answer, "no") == 0) {
    if (x->data.rubs) check_not_kept(l, f);
    else check_infeasible(x, f, witness);
  } else if (strcmp(answer, "undecided") != 0) {
    dls_fails(x, f, "expected yes, no or undecided");
  }
}

// ---- Moreau's law ------------------------------------------------------------------------------

static bool check_verdict(impact *p, law *l, const char *law_name, const json_t *object,
                          const char *question, dls_check_function *check, const char *wanted)
{
  const json_t *verdict = json_object_get(object, question);
  const json_t *witness = json_object_get(verdict, "witness");
  const char *answer = json_string_value(json_object_get(verdict, "answer"));
  char name[60];
  if (!verdict) return false;
  snprintf(name, sizeof name, "%s.%s", law_name, question);
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", name, answer ? answer : "");
  if (!f) return false;
  const bool yes = answer && strcmp(answer, "yes") == 0;
  if (answer && strcmp(answer, "undecided") == 0) return false;
  if (!answer || (!yes && strcmp(answer, "no") != 0))
    dls_fails(&l->trial, f, "expected yes, no or undecided");
  else check(&l->trial, f, json_is_object(witness) ? witness : NULL, yes);
  if (f->found == DLS_FOUND_NOTHING) dls_fails(&l->trial, f, "the witness could not be checked");
  return answer && f->found == DLS_FOUND_HOLDS && strcmp(answer, wanted) == 0;
}

static void check_count(impact *p, law *l, const char *law_name, const json_t *object)
{
  const json_t *value = json_object_get(object, "solution_count");
  char name[60];
  if (!value || json_is_null(value)) return;
  snprintf(name, sizeof name, "%s.solution_count", law_name);
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", name, "");
  if (f)
    dls_check_count(&l->trial, f, value, dls_json_length(json_object_get(object, "solutions")),
                    json_object_get(object, "covering"));
}

// Of motion k of the law.
static void check_continuum(impact *p, law *l, const char *place, int k, const json_t *motion)
{
  static const char *const words[3] = {"none", "percussions", "velocities"};
  const json_t *value = json_object_get(motion, "continuum");
  char name[80];
  if (!value || json_is_null(value)) return;
  snprintf(name, sizeof name, "%s.continuum", place);
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", name, "");
  if (f) dls_check_continuum(&l->trial, f, k, value, words);
}

static void check_law(impact *p, law *l, const char *name)
{
  const json_t *object = json_object_get(p->object, name);
  if (!json_is_object(object)) return;
  l->none = check_verdict(p, l, name, object, "exists", dls_check_exists, "no");
  l->exists = l->trial.solved;
  l->unique = check_verdict(p, l, name, object, "unique", dls_check_unique, "yes");
  check_verdict(p, l, name, object, "percussions_unique", dls_check_forces, "yes");
  const json_t *solutions = json_object_get(object, "solutions");
  for (ptrdiff_t k = 0; k < dls_json_length(solutions); k++) {
    char place[60];
    dls_trial_point point;
    snprintf(place, sizeof place, "%s.%td", name, k + 1);
    dls_finding *f = p->recorder->add(p->recorder->self, "impact", place, "");
    if (!f || !dls_check_motion(&p->before, &l->trial, f, dls_json_item(solutions, k), &point))
      continue;
    dls_proves(&l->trial, f, "momentum, laws, velocities and energies, %s",
               dls_precision(&l->trial, f));
    dls_show(&l->trial, &point);
  }
  check_count(p, l, name, object);
  for (ptrdiff_t k = 0; k < dls_json_length(solutions); k++) {
    char place[60];
    snprintf(place, sizeof place, "%s.%td", name, k + 1);
    check_continuum(p, l, place, (int)k, dls_json_item(solutions, k));
  }
}

// ---- all of it ---------------------------------------------------------------------------------

// The law that gives the motion: Newton's when it has one that separates and gains no energy, else
// Moreau's.
static bool check_name(impact *p, dls_finding *f, const char *name)
{
  const char *should = p->by_newton ? "Newton" : p->diagonal.trial.shown > 0 ? "Moreau" : NULL;
  if (!name || !should)
    return (!name && !should) || dls_fails(p->x, f, "the law is %s, not %s",
                                           should ? should : "none", name ? name : "none");
  return strcmp(name, should) == 0 ||
         dls_fails(p->x, f, "the motion is by %s's law, not %.20s's", should, name);
}

// Of the motion that is shown, which is the first of the law for now.
static void check_ranges(impact *p, law *l)
{
  const char *contact;
  json_t *range;
  json_object_foreach(json_object_get(p->object, "percussion_ranges"), contact, range)
  {
    char name[100];
    snprintf(name, sizeof name, "percussion_ranges.%.80s", contact);
    dls_finding *f = p->recorder->add(p->recorder->self, "impact", name, "");
    if (f) dls_check_range(&l->trial, f, contact, range);
  }
}

// The motion that the report stands for, by the law that it names.
static void check_chosen(impact *p)
{
  const json_t *name = json_object_get(p->object, "law");
  const char *text = json_string_value(name);
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", "motion", text ? text : "");
  if (!f) return;
  if (name && !json_is_null(name) && !text) {
    dls_fails(p->x, f, "no such law");
    return;
  }
  if (!check_name(p, f, text)) return;
  if (!text) {
    if (dls_check_no_motion(p->x, f, p->object))
      dls_proves(p->x, f, "no law has a motion that is shown; the energy before, %s",
                 dls_precision(p->x, f));
    return;
  }
  const bool newton = strcmp(text, "Newton") == 0;
  law *l = newton ? &p->matrix : &p->diagonal;
  dls_trial_point point;
  if (!dls_check_motion(&p->before, &l->trial, f, p->object, &point) ||
      (newton && !keeps_law(&l->trial, f, &point)))
    return;
  dls_proves(p->x, f, "momentum, %s's law, velocities and energies, %s", text,
             dls_precision(p->x, f));
  // as if it were the only one that the law shows; its sets are those of all
  dls_trial *x = &l->trial;
  const int shown = x->shown;
  dls_trial_point *list = x->shown_point;
  x->shown = 0, x->shown_point = NULL;
  if (dls_show(x, &point)) {
    check_continuum(p, l, "motion", 0, p->object);
    check_ranges(p, l);
  }
  x->shown = shown, x->shown_point = list;
}

// The restitution matrix that the report shows is that of the model.
static void check_restitution(impact *p)
{
  const json_t *matrix = json_object_get(json_object_get(p->object, "restitution"), "matrix");
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", "restitution", "");
  if (!f || json_is_null(matrix)) return;
  const json_t *names = json_object_get(json_object_get(p->object, "restitution"), "names");
  bool same = dls_json_length(matrix) == p->m_u && dls_json_length(names) == p->m_u;
  for (int j = 0; same && j < p->m_u; j++) {
    const char *name = json_string_value(dls_json_item(names, j));
    same = name && strcmp(name, p->x->data.contact_name[p->x->data.m_b + j]) == 0;
  }
  for (int i = 0; same && i < p->m_u; i++) {
    const json_t *row = dls_json_item(matrix, i);
    same = dls_json_length(row) == p->m_u;
    for (int j = 0; same && j < p->m_u; j++) {
      const json_t *value = dls_json_item(row, j);
      const double e = p->E[i + (ptrdiff_t)p->m_u * j];
      same = json_is_number(value) &&
             fabs(json_number_value(value) - e) <= written_rounding * DBL_EPSILON * fabs(e);
    }
  }
  if (same) dls_proves(p->x, f, "the matrix is the model's");
  else dls_fails(p->x, f, "the matrix is not the model's");
}

static bool begin(impact *p, const dls_system *system)
{
  dls_trial *x = p->x;
  const dls_seen_state *s = x->state;
  const ptrdiff_t m = s->problem.m_u;
  double *E = dls_trial_alloc(x, m * m, sizeof *E);
  double *diagonal = dls_trial_alloc(x, m * m, sizeof *diagonal);
  dls_status status = E && diagonal ? dls_seen_restitution(s, system, x->arena, E) : DLS_ERR_MEMORY;
  if (status == DLS_OK && !dls_before_create(s, x->arena, &p->before)) status = DLS_ERR_MEMORY;
  if (status == DLS_ERR_MEMORY) x->out_of_memory = true;
  if (status != DLS_OK) {
    dls_finding *f = p->recorder->add(p->recorder->self, "impact", "", "");
    if (f) dls_fails(x, f, "the restitution of the model: %s", dls_status_text(status));
    return false;
  }
  for (ptrdiff_t i = 0; i < m && !system->poisson; i++) diagonal[i * (m + 1)] = E[i * (m + 1)];
  p->E = E, p->m_u = (int)m;
  if (!begin_law(p, diagonal, &p->diagonal)) return false;
  if (begin_law(p, E, &p->matrix)) return true;
  end_law(p, &p->diagonal);
  return false;
}

// Whether the motion is one of many: nothing here proves it, of either phase.
static void leave_continuum_open(impact *p)
{
  const json_t *value = json_object_get(p->object, "continuum");
  if (!value || json_is_null(value)) return;
  dls_trial *x = &p->diagonal.trial;
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", "motion.continuum", "");
  if (!f) return;
  if (json_is_string(value)) dls_leaves_open(x, f, "whether both phases are unique is not checked");
  else dls_fails(x, f, "the continuum is not a word");
}

// Poisson's law: the compression as Moreau's with e = 0, and the motion.          eq (poi.1),
// (poi.2)
static void check_by_poisson(impact *p)
{
  check_law(p, &p->diagonal, "compression");
  const json_t *name = json_object_get(p->object, "law");
  const char *text = json_string_value(name);
  dls_trial *x = &p->diagonal.trial;
  dls_finding *f = p->recorder->add(p->recorder->self, "impact", "motion", text ? text : "");
  if (!f) return;
  if (!name || (!json_is_null(name) && (!text || strcmp(text, "Poisson") != 0))) {
    dls_fails(x, f, "the law is Poisson's");
  } else if (json_object_get(p->object, "newton") || json_object_get(p->object, "moreau") ||
             json_object_get(p->object, "moreau_matrix") ||
             json_object_get(p->object, "percussion_ranges")) {
    dls_fails(x, f, "the law is Poisson's, and there is another");
  } else if (!text) {
    if (dls_check_no_motion(p->x, f, p->object))
      dls_proves(p->x, f, "no motion is shown; the energy before, %s", dls_precision(p->x, f));
  } else {
    const dls_poisson_claim claim = {&p->before, p->E, p->m_u};
    if (dls_check_poisson(&claim, x, f, p->object))
      dls_proves(x, f, "momentum and laws of both phases, velocities and energies, %s",
                 dls_precision(x, f));
    leave_continuum_open(p);
  }
}

static void check_by_newton(impact *p)
{
  const json_t *object = p->object;
  check_law(p, &p->diagonal, "moreau");
  // what the report leaves out because E is diagonal is the same law
  if (json_object_get(object, "moreau_matrix")) {
    check_law(p, &p->matrix, "moreau_matrix");
  } else {
    p->matrix.exists = p->diagonal.exists, p->matrix.none = p->diagonal.none;
    p->matrix.unique = p->diagonal.unique;
    p->matrix.trial.solved = p->diagonal.trial.solved;
    p->matrix.trial.solution = p->diagonal.trial.solution;
    p->matrix.trial.one_acceleration = p->diagonal.trial.one_acceleration;
    p->matrix.trial.one_force = p->diagonal.trial.one_force;
    p->matrix.trial.many_accelerations = p->diagonal.trial.many_accelerations;
    p->matrix.trial.many_forces = p->diagonal.trial.many_forces;
    p->matrix.trial.unique_open = p->diagonal.trial.unique_open;
    p->matrix.trial.sets = p->diagonal.trial.sets;
    p->matrix.trial.sets_open = p->diagonal.trial.sets_open;
  }
  if (json_object_get(object, "compression")) {
    dls_finding *f = p->recorder->add(p->recorder->self, "impact", "compression", "");
    if (f) dls_fails(p->x, f, "the law is not Poisson's");
  }
  check_newton(p);
  check_chosen(p);
}

void dls_check_impact(dls_trial *x, const dls_system *system, const json_t *object,
                      const dls_recorder *recorder)
{
  impact p = {.x = x, .recorder = recorder, .object = object};
  if (!x->state->impact) {
    dls_finding *f = recorder->add(recorder->self, "impact", "", "");
    if (f) dls_fails(x, f, "no contact is impacting at this state");
    return;
  }
  if (!begin(&p, system)) return;
  check_restitution(&p);
  if (system->poisson) check_by_poisson(&p);
  else check_by_newton(&p);
  dls_finding *f = json_object_get(object, "kinetic_angles")
                       ? recorder->add(recorder->self, "impact", "kinetic_angles", "")
                       : NULL;
  if (f) dls_check_angles(x, f, json_object_get(object, "kinetic_angles"));
  end_law(&p, &p.diagonal);
  end_law(&p, &p.matrix);
}
