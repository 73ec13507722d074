#include "io/report_touch.h"

#include <delassus/mechanism.h>
#include <delassus/model.h>

static const char *body_name(const dls_mechanism *m, int body)
{
  return body < 0 ? "world" : m->body[body].name;
}

void dls_build_touch(dls_build *b, json_t *contact, int i)
{
  const dls_contact_state *s = b->report->contact_state;
  const dls_system *bodies = b->report->system ? dls_model_bodies(b->report->system) : NULL;
  const dls_contact *c = &s->contacts[i];
  dls_solid_contact touch;
  if (!bodies || c->kind != DLS_UNILATERAL || c->dry) return;
  const dls_status status = dls_mechanism_contacts(bodies, s->q, 1, &c->id, &touch);
  if (status == DLS_ERR_ARGUMENT) return;  // the end of a range, a contact of the text
  b->failed = b->failed || status == DLS_ERR_MEMORY;
  if (status != DLS_OK) return;
  const dls_mechanism *m = dls_model_mechanism(b->report->system);
  json_t *body = json_array(), *feature = json_array(), *tangents = json_array();
  for (int side = 0; side < 2; side++) {
    dls_build_append(b, body, dls_build_string(b, body_name(m, touch.body[side])));
    dls_build_append(b, feature, dls_build_string(b, touch.feature[side]));
    dls_build_append(b, tangents, dls_build_numbers(b, touch.tangent[side], 3));
  }
  dls_build_put(b, contact, "bodies", body);
  dls_build_put(b, contact, "features", feature);
  dls_build_put(b, contact, "point", dls_build_numbers(b, touch.point, 3));
  dls_build_put(b, contact, "normal", dls_build_numbers(b, touch.normal, 3));
  if (c->tangents == 2) dls_build_put(b, contact, "tangents", tangents);
  else json_decref(tangents);
}
