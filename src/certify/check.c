// The check: prepare once, then one question after the other.
#include "certify/coulomb.h"

#include "base/message.h"
#include "problem/scaling.h"

#include <math.h>
#include <stdlib.h>

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
  return (dls_check_options){.tolerance = 1e-9, .most_modes = 20000};
}

static dls_status run(dls_context *x, const dls_check_options *options)
{
  typedef dls_status step(dls_context *);
  step *const geometry[] = {dls_certify_mass, dls_certify_independent, dls_certify_compatible,
                            dls_certify_mfcq, dls_compute_delassus,    dls_certify_delassus};
  step *const dynamics[] = {dls_certify_exists, dls_certify_unique, dls_certify_forces,
                            dls_compute_solution, dls_compute_reduced};
  dls_status status = dls_context_prepare(x);
  for (size_t i = 0; status == DLS_OK && i < sizeof geometry / sizeof *geometry; i++)
    status = geometry[i](x);
  if (options->skip_acceleration || status != DLS_OK) return status;
  dls_context_progress(x, 0.1);
  if (dls_coulomb_applies(&x->given)) return dls_certify_coulomb(x);
  for (size_t i = 0; status == DLS_OK && i < sizeof dynamics / sizeof *dynamics; i++)
    status = dynamics[i](x);
  if (status != DLS_OK) return status;
  const dls_answer exists = x->check->verdict[DLS_ACCELERATION_EXISTS].answer;
  x->check->solutions = x->check->solution ? 1 : 0;
  x->check->solution_count = exists == DLS_YES ? 1 : exists == DLS_NO ? 0 : -1;
  return DLS_OK;
}

dls_status dls_check_run(const dls_problem *problem, const dls_check_options *options,
                         dls_check **check, dls_message *message)
{
  *check = NULL;
  if (message) message->text[0] = 0;
  const dls_check_options chosen = options ? *options : dls_check_defaults();
  if (!(chosen.tolerance > 0) || !(chosen.tolerance < 1))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the tolerance must lie between 0 and 1");
  dls_status status = dls_problem_validate(problem, message);
  if (status != DLS_OK) return status;

  owned_check *owner = dls_alloc(1, sizeof *owner);
  if (!owner) return DLS_ERR_MEMORY;
  owner->check.problem = *problem;
  owner->check.tolerance = chosen.tolerance;
  owner->check.solution_count = -1;
  owner->arena = dls_arena_create();
  dls_context x = {.given = *problem,
                   .check = &owner->check,
                   .arena = owner->arena,
                   .work = dls_arena_create(),
                   .message = message,
                   .options = &chosen};
  status = x.arena && x.work ? run(&x, &chosen) : DLS_ERR_MEMORY;
  if (status == DLS_OK) dls_context_progress(&x, 1);
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
