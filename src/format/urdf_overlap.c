// Links whose shapes overlap where all joints stand at zero pass through one another: collision
// shapes of robots are made larger than what they stand for, and a URDF file has no word for such
// pairs.
#include "format/urdf_read.h"

#include "base/memory.h"

#include <delassus/mechanism.h>

#include <stdlib.h>

static const double overlap = 1e-9;  // a length: less is a touch

static bool is_known(const dls_draft *draft, const int body[2])
{
  for (int k = 0; k < draft->rules; k++) {
    const int *b = draft->rule[k].body;
    if ((b[0] == body[0] && b[1] == body[1]) || (b[0] == body[1] && b[1] == body[0])) return true;
  }
  return false;
}

static void part(dls_file_reading *r, dls_draft *draft, const int body[2])
{
  if (is_known(draft, body)) return;
  dls_contact_rule *rule = DLS_READING_ADD(r, draft, rule);
  if (!rule) return;
  *rule = (dls_contact_rule){.body = {body[0], body[1]},
                             .solid = {DLS_ANY, DLS_ANY},
                             .none = true,
                             .friction = -1,
                             .restitution = -1};
  dls_reading_note(r, true, 1, "contact of links that overlap at zero");
}

// The contacts of the reference configuration, one by one: ends of ranges are among them.
static dls_status look(dls_file_reading *r, dls_draft *draft, const dls_system *s, double *q)
{
  const ptrdiff_t nq = dls_system_nq(s);
  double *x = q + nq, *x_dot = x + s->n;
  const uint64_t *id = NULL;
  int count = 0;
  dls_mechanism_reference(s, q);
  dls_status status = s->chart->centre(s->self, q, NULL);
  if (status == DLS_OK) status = s->chart->enter(s->self, q, x_dot, x, x_dot);
  if (status == DLS_OK) status = s->find(s->self, 0, x, x_dot, 0, 0, &count, &id, NULL);
  for (int k = 0; k < count && status == DLS_OK && !r->status; k++) {
    dls_solid_contact c;
    if (dls_mechanism_contacts(s, q, 1, &id[k], &c) == DLS_OK && c.gap < -overlap)
      part(r, draft, c.body);
  }
  return status;
}

// What is wrong with the mechanism itself is said by those who use it.
void dls_urdf_part_overlaps(dls_file_reading *r, dls_draft *draft)
{
  const dls_import *import = draft->solids > 1 ? dls_draft_finish(r, draft) : NULL;
  dls_system *s = NULL;
  if (!import || dls_mechanism_system(&import->mechanism, DLS_REDUCED, &s, NULL) != DLS_OK) return;
  if (s->find && s->chart) {
    double *q = dls_alloc(dls_system_nq(s) + 2 * (ptrdiff_t)s->n, sizeof *q);
    if (!q || look(r, draft, s, q) == DLS_ERR_MEMORY) dls_reading_fail_memory(r);
    free(q);
  }
  dls_system_free(s);
}
