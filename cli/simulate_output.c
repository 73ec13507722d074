// The outputs of the model, row by row.
#include "simulate.h"

#include <delassus/output.h>

#include <math.h>
#include <stdlib.h>

bool simulate_outputs_create(simulate_outputs *o, const dls_system *system, int impulses)
{
  o->count = dls_model_output_count(dls_system_model(system));
  if (o->count == 0) return true;
  o->impulses = system->find ? 0 : impulses;  // contacts that come and go have no names in outputs
  o->value = calloc((size_t)o->count, sizeof *o->value);
  o->force = calloc((size_t)impulses + 1, sizeof *o->force);
  if (!o->value || !o->force) return false;
  for (int k = 0; k < impulses; k++) o->force[k] = (double)NAN;
  return true;
}

void simulate_outputs_free(simulate_outputs *o)
{
  free(o->value);
  free(o->force);
  *o = (simulate_outputs){0};
}

// A force is the mean since the row before. A row without time since then, such as that behind a
// jump, keeps it: a percussion is no force.
void simulate_outputs_row(simulate_outputs *o, const dls_system *system, dls_sample *row)
{
  if (o->count == 0) return;
  const double time = row->t - o->t;
  if (o->any && time > 0)
    for (int k = 0; k < o->impulses; k++) o->force[k] = row->impulse[k] / time;
  o->t = row->t;
  o->any = true;
  (void)dls_model_outputs(system, row->t, row->q, row->v, o->force, o->value);
  row->outputs = o->count;
  row->output = o->value;
}

void simulate_outputs_end(simulate_outputs *o, const dls_system *system, const dls_sample *last)
{
  if (o->count > 0 && last->t != o->t)
    (void)dls_model_outputs(system, last->t, last->q, last->v, o->force, o->value);
}
