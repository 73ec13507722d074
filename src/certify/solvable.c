// Does an incremental problem have a solution? First what is seen at once (r = 0, v = 0), then the
// criteria of CVX, which are sufficient, then the cases of Coulomb's law, which must all be empty
// for a no.
#include "certify/solvable.h"

#include <math.h>
#include <stdlib.h>

dls_solvable_options dls_solvable_defaults(void)
{
  return (dls_solvable_options){.max_rows = 15000, .max_nodes = 400};
}

const char *dls_solvable_mode_name(int mode)
{
  static const char *const names[] = {"any", "open", "closed", "stick", "slide+", "slide-"};
  return mode >= 0 && mode < (int)(sizeof names / sizeof *names) ? names[mode] : "";
}

typedef struct owner {
  dls_solvable answer;  // first: what the caller holds
  dls_arena *arena;
} owner;

void dls_solvable_free(dls_solvable *solvable)
{
  if (!solvable) return;
  owner *o = (owner *)(void *)solvable;
  dls_arena_free(o->arena);
  free(o);
}

enum { LARGE = 5000 };  // rows and dof from which on one proof is enough

static dls_status decide(dls_solvable_data *s)
{
  bool done = false;
  dls_status status = dls_solvable_at_rest(s, &done);
  if (status != DLS_OK) return status;
  const dls_solvable rest = *s->out;
  const bool rests = done;
  // velocities strictly inside the cones say more than v = 0, but they cost a program
  if (done && s->rows + s->dof > LARGE) return DLS_OK;
  if (!done && s->rows + s->dof > s->options.max_rows) {
    s->out->by = "too large: the programs were not tried";
    return DLS_OK;
  }
  done = false;
  if (s->options.watch && s->options.watch(s->options.self, 0)) return DLS_ERR_STOPPED;
  status = dls_solvable_velocity(s, &done);
  if (status == DLS_OK && rests && !done) {
    *s->out = rest;
    done = true;
  }
  if (status == DLS_OK && !done) status = dls_solvable_cases(s, &done);
  return status;
}

dls_status dls_incremental_solvable(const dls_incremental *problem,
                                    const dls_solvable_options *options, dls_solvable **out,
                                    dls_message *message)
{
  if (!out) return DLS_ERR_ARGUMENT;
  *out = NULL;
  dls_message unread;
  dls_status status =
      problem ? dls_incremental_validate(problem, message ? message : &unread) : DLS_ERR_ARGUMENT;
  if (status != DLS_OK) return status;
  owner *o = dls_alloc(1, sizeof *o);
  if (!o) return DLS_ERR_MEMORY;
  o->arena = dls_arena_create();
  dls_solvable_data s = {.options = options ? *options : dls_solvable_defaults(),
                         .arena = o->arena,
                         .out = &o->answer};
  o->answer = (dls_solvable){.answer = DLS_UNDECIDED,
                             .by = "the conic programs gave no clear answer",
                             .margin = NAN,
                             .bound = NAN,
                             .contacts = problem->contacts,
                             .rows = dls_incremental_rows(problem),
                             .dof = problem->global ? problem->dof : 0};
  if (!o->arena) status = DLS_ERR_MEMORY;
  const bool cones = dls_incremental_laws(problem) == DLS_LAW_BIT(DLS_LAW_CONE);
  if (!cones) o->answer.by = "some contact has another law than the friction cone";
  if (status == DLS_OK && cones) status = dls_solvable_scale(problem, &s);
  if (status == DLS_OK && cones) status = decide(&s);
  dls_solvable_data_free(&s);
  if (status == DLS_OK) *out = &o->answer;
  else dls_solvable_free(&o->answer);
  return status;
}
