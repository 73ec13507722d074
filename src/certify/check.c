// The check: prepare once, then one question after the other.
#include "base/memory.h"
#include "certify/closure.h"
#include "certify/coulomb.h"
#include "certify/load.h"
#include "certify/step_solvable.h"
#include "certify/sticking.h"
#include "certify/tolerances.h"
#include "certify/witness.h"

#include "base/message.h"
#include "linalg/dense.h"
#include "contact/dense_problem.h"
#include "contact/scaling.h"

#include <math.h>
#include <stdlib.h>

enum { DEFAULT_MODES = 20000 };

typedef struct owned_check {
  dls_check check;
  dls_arena *arena;
} owned_check;

const char *dls_question_name(dls_question question)
{
  static const char *const names[] = {
#define NAME(code, name) name,
      DLS_QUESTION_LIST(NAME)
#undef NAME
  };
  return question < DLS_QUESTION_COUNT ? names[question] : "";
}

const char *dls_answer_name(dls_answer answer)
{
  static const char *const names[] = {"", "yes", "no", "undecided"};
  return names[answer];
}

const char *dls_limit_text(dls_limit_name limit)
{
  static const char *const names[] = {
#define NAME(code, name) name,
      DLS_LIMIT_LIST(NAME)
#undef NAME
  };
  return limit < DLS_LIMIT_COUNT ? names[limit] : "";
}

const char *dls_mode_name(int mode)
{
  static const char *const names[] = {"", "detach", "closed", "stick", "slide", "slide+", "slide-"};
  static const char *const pulling[] = {
      "", "", "", "stick pulling", "slide pulling", "slide+ pulling", "slide- pulling"};
  static const char *const either[] = {"", "", "", "stick either", "slide either", "", ""};
  const int kind = mode & ~(DLS_MODE_PULLING | DLS_MODE_EITHER);
  if (kind < 0 || kind > DLS_MODE_SLIDE_MINUS) return "";
  if (mode & DLS_MODE_EITHER) return either[kind];
  return mode & DLS_MODE_PULLING ? pulling[kind] : names[kind];
}

dls_check_options dls_check_defaults(void)
{
  return (dls_check_options){.tolerance = default_tolerance, .max_modes = DEFAULT_MODES};
}

typedef dls_status step(dls_context *);

static dls_status take_steps(dls_context *x, step *const *steps, ptrdiff_t count)
{
  dls_status status = DLS_OK;
  for (ptrdiff_t i = 0; status == DLS_OK && i < count; i++) {
    status = dls_context_go_on(x);
    if (status == DLS_OK) status = steps[i](x);
  }
  return status;
}

// The questions without friction: about M and G, and about the acceleration.
static dls_status run_frictionless(dls_context *x, bool dynamics)
{
  step *const geometry[] = {dls_context_prepare,    dls_certify_mass, dls_certify_independent,
                            dls_certify_compatible, dls_certify_mfcq, dls_compute_delassus,
                            dls_certify_delassus};
  step *const acceleration[] = {dls_certify_exists, dls_certify_unique, dls_certify_forces,
                                dls_compute_solution, dls_compute_reduced};
  dls_status status = take_steps(x, geometry, sizeof geometry / sizeof *geometry);
  if (status != DLS_OK || !dynamics) return status;
  status = dls_context_progress(x, 0.1);
  if (status == DLS_OK)
    status = take_steps(x, acceleration, sizeof acceleration / sizeof *acceleration);
  if (status != DLS_OK) return status;
  const dls_answer exists = x->check->verdict[DLS_ACCELERATION_EXISTS].answer;
  x->check->solutions = x->check->solution ? 1 : 0;
  x->check->solution_count = exists == DLS_YES ? 1 : exists == DLS_NO ? 0 : -1;
  return DLS_OK;
}

// Whether the mass matrix is admissible is found out by the questions about it. Those who do not
// ask need it all the same.
static dls_status check_mass(dls_context *x)
{
  const ptrdiff_t n = x->n;
  double *L = dls_context_work(x, n * n);
  bool definite = false;
  if (!L) return DLS_ERR_MEMORY;
  const dls_status status = dls_cholesky(x->n, x->given.M, L, &definite);
  return status == DLS_OK && !definite ? dls_context_prepare(x) : status;
}

static dls_status nothing(dls_context *x)
{
  (void)x;
  return DLS_OK;
}

// What holds by a rank that the tolerance of the state leaves open is not decided.   eq (num.3)
static dls_status leave_open(dls_context *x)
{
  const dls_question by_rank[] = {DLS_FORCES_UNIQUE, DLS_UNIQUE_FOR_EVERY_LOAD};
  for (ptrdiff_t k = 0; k < dls_count_of(by_rank) && x->state_open; k++)
    if (x->check->verdict[by_rank[k]].answer == DLS_YES)
      dls_verdict_set(x, by_rank[k], DLS_UNDECIDED, NAN,
                      "within the tolerance of the state the gradients may depend on each other",
                      NULL);
  return DLS_OK;
}

// What the motion is asked of: the problem, or that with weights.                     eq (dry.1)
static dls_status run_motion(dls_context *x, bool friction)
{
  step *const motion[] = {dls_certify_sticking, friction ? dls_certify_coulomb : nothing};
  return take_steps(x, motion, dls_count_of(motion));
}

// Friction with given bounds alone is convex: a solution that was found is the only acceleration
// where M is definite on the kernel of G_b^T.                                         eq (dry.3)
static dls_status note_convex(dls_context *x)
{
  const dls_verdict *exists = &x->check->verdict[DLS_ACCELERATION_EXISTS];
  const dls_answer unique = x->check->verdict[DLS_ACCELERATION_UNIQUE].answer;
  if (exists->answer != DLS_YES || unique != DLS_UNDECIDED) return DLS_OK;
  const dls_status status = x->M ? DLS_OK : dls_context_prepare(x);
  if (status != DLS_OK || x->k_0 > 0 || x->k_ambiguous) return status;
  dls_verdict *v = dls_verdict_set(x, DLS_ACCELERATION_UNIQUE, DLS_YES, NAN,
                                   "strictly convex: all friction has given bounds (dry.3)",
                                   "the acceleration of acceleration_exists minimizes a function "
                                   "that is strictly convex: ker M and ker G_b^T meet only in 0");
  v->parts = exists->parts;
  dls_copy(v->part, exists->part, exists->parts);
  return DLS_OK;
}

// Is static friction larger than that of sliding somewhere?                         eq (stf.1)
static bool has_static(const dls_problem *p)
{
  const dls_friction *f = p->friction;
  for (int j = 0; f && f->mu_s && j < p->m_b + p->m_u; j++)
    if (!f->sliding[j] && f->mu_s[j] > f->mu[j]) return true;
  return false;
}

static dls_status run_weighted(dls_context *x)
{
  const dls_weights *weights = x->given.weights;
  dls_problem *dense = dls_arena_alloc(x->arena, 1, sizeof *dense);
  if (!dense) return DLS_ERR_MEMORY;
  dls_context other = {.weights = weights->count,
                       .check = x->check,
                       .arena = x->arena,
                       .work = x->work,
                       .message = x->message,
                       .options = x->options,
                       .done = x->done};
  dls_status status = dls_problem_make_dense(&weights->problem, x->arena, &other.given, x->message);
  if (status == DLS_OK) status = dls_problem_validate(&other.given, x->message);
  if (status != DLS_OK) return status;
  *dense = other.given;
  x->check->weighted = dense;
  dls_context_thresholds(&other);
  status = check_mass(&other);
  if (status == DLS_OK) status = run_motion(&other, true);
  if (status == DLS_OK && !dls_coulomb_applies(&x->given) && !has_static(&other.given))
    status = note_convex(x);
  x->out_of_memory |= other.out_of_memory;
  dls_scaling_free(&other.scaling);
  return status;
}

static dls_status run(dls_context *x, const dls_check_options *options)
{
  const unsigned geometry = DLS_ASK(DLS_ACCELERATION_EXISTS) - 1;
  const unsigned acceleration = DLS_ASK(DLS_ACCELERATION_EXISTS) |
                                DLS_ASK(DLS_ACCELERATION_UNIQUE) | DLS_ASK(DLS_FORCES_UNIQUE) |
                                DLS_ASK_SOLUTIONS;
  const bool weights = x->given.weights != NULL, moves = !options->skip_acceleration;
  const bool friction = weights || dls_coulomb_applies(&x->given);
  const unsigned here = friction || !moves ? geometry : geometry | acceleration;
  dls_status status = DLS_OK;
  if (dls_context_asked(x, here)) {
    status = run_frictionless(x, moves && !friction && dls_context_asked(x, acceleration));
  } else {
    dls_context_thresholds(x);
    status = check_mass(x);
  }
  step *const load[] = {dls_certify_load, leave_open};
  step *const others[] = {dls_certify_closure, dls_certify_step};
  if (status == DLS_OK && moves) status = weights ? run_weighted(x) : run_motion(x, friction);
  if (status == DLS_OK && moves) status = take_steps(x, load, dls_count_of(load));
  if (status == DLS_OK) status = take_steps(x, others, dls_count_of(others));
  return status;
}

dls_status dls_check_run(const dls_problem *problem, const dls_check_options *options,
                         dls_check **check, dls_message *message)
{
  *check = NULL;
  if (message) message->text[0] = 0;
  const dls_check_options chosen = options ? *options : dls_check_defaults();
  if (!(chosen.tolerance > 0) || !(chosen.tolerance < 1))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the tolerance must lie between 0 and 1");
  if (!problem) return dls_fail(message, DLS_ERR_ARGUMENT, "no problem given");

  owned_check *owner = dls_alloc(1, sizeof *owner);
  if (!owner) return DLS_ERR_MEMORY;
  owner->check.tolerance = chosen.tolerance;
  owner->check.solution_count = -1;
  owner->arena = dls_arena_create();
  dls_context x = {.check = &owner->check,
                   .arena = owner->arena,
                   .work = dls_arena_create(),
                   .message = message,
                   .options = &chosen};
  dls_status status = x.arena && x.work ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_problem_make_dense(problem, x.arena, &x.given, message);
  if (status == DLS_OK) status = dls_problem_validate(&x.given, message);
  owner->check.problem = x.given;
  if (status == DLS_OK) status = run(&x, &chosen);
  if (status == DLS_OK) status = dls_context_progress(&x, 1);
  dls_arena_free(x.work);
  dls_scaling_free(&x.scaling);
  if (status == DLS_OK) *check = &owner->check;
  else dls_check_free(&owner->check);
  return status;
}

void dls_check_free(dls_check *check)
{
  if (!check) return;
  owned_check *owner = (owned_check *)check;
  dls_arena_free(owner->arena);
  free(owner);
}
