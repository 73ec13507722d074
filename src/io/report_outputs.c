// The outputs of the model at the state of a report.
#include "io/report_outputs.h"

#include "base/memory.h"

#include <delassus/output.h>

#include <math.h>
#include <stdlib.h>

int dls_report_output_count(const dls_report *report)
{
  const dls_system *system = report->system;
  return system ? dls_model_output_count(dls_system_model(system)) : 0;
}

// One solution, with one set of forces.
static bool forces_known(const dls_report *report)
{
  const dls_check *c = report->check;
  const dls_answer forces = c->verdict[DLS_FORCES_UNIQUE].answer;
  return !report->contact_state->impact && c->solutions > 0 && c->solution_count == 1 &&
         (forces == DLS_YES || forces == DLS_NOT_ASKED);
}

// Where the forces of a contact begin.
static int entry_of(const dls_system *s, int contact)
{
  int entry = contact;
  for (int j = 0; j < contact; j++) entry += s->contacts[j].tangents;
  return entry;
}

// An open contact has none; those of closed ones may not be known.
static void set_forces(const dls_report *report, double *force)
{
  const dls_contact_state *s = report->contact_state;
  for (int i = 0; i < dls_report_force_count(report); i++) {
    const int contact = (int)(dls_report_contact(report, i) - s->contacts);
    double *place = force + entry_of(report->system, contact);
    const int tangents = report->system->contacts[contact].tangents;
    for (int k = 0; k <= tangents; k++) place[k] = (double)NAN;
    if (!forces_known(report)) continue;
    const dls_report_force f = dls_report_force_at(report, &report->check->solution[0], i);
    place[0] = f.normal;
    for (int k = 0; k < tangents; k++) place[1 + k] = k < f.tangents ? f.tangential[k] : 0;
  }
}

bool dls_report_outputs(const dls_report *report, double *out)
{
  const dls_system *s = report->system;
  const dls_contact_state *state = report->contact_state;
  if (dls_report_output_count(report) == 0) return true;
  double *force = dls_alloc((ptrdiff_t)s->m + s->tangents + 1, sizeof *force);
  if (!force) return false;
  set_forces(report, force);
  const dls_status status = dls_model_outputs(s, state->t, state->q, state->v, force, out);
  free(force);
  return status == DLS_OK;
}
