#include "verify/signs.h"

#include <string.h>

enum { MOST_SIGNS = 10 };

bool dls_has_sign(const dls_data *d, int contact)
{
  return dls_is_bilateral(d, contact) && dls_has_friction(d, contact);
}

bool dls_signs_create(dls_trial *x, dls_signs *s)
{
  const dls_data *d = &x->data;
  *s = (dls_signs){.sign = dls_trial_alloc(x, d->m, sizeof *s->sign)};
  for (int j = 0; j < d->m_b; j++) s->count += dls_has_sign(d, j);
  if (s->count <= MOST_SIGNS)
    s->seen = dls_trial_alloc(x, (ptrdiff_t)1 << s->count, sizeof *s->seen);
  return s->sign && (s->seen || s->count > MOST_SIGNS);
}

bool dls_signs_read(dls_trial *x, dls_finding *f, const json_t *leaf, dls_signs *s)
{
  const dls_data *d = &x->data;
  const json_t *modes = json_object_get(leaf, "modes");
  for (int j = 0; j < d->m; j++) {
    s->sign[j] = 1;
    if (!dls_has_sign(d, j)) continue;
    const json_t *mode = json_object_get(modes, d->contact_name[j]);
    const char *name = json_string_value(mode);
    const bool pulls = name && strcmp(name, "stick pulling") == 0;
    if (mode && !pulls && (!name || strcmp(name, "stick") != 0))
      return dls_fails(x, f, "a leaf does not tell the sign of contact %.60s", d->contact_name[j]);
    s->sign[j] = pulls ? -1 : mode ? 1 : 0;
  }
  return true;
}

void dls_signs_cover(const dls_data *d, dls_signs *s)
{
  for (int pattern = 0; s->seen && pattern < 1 << s->count; pattern++) {
    bool in = true;
    for (int j = 0, bit = 0; j < d->m_b; j++) {
      if (!dls_has_sign(d, j)) continue;
      const double sign = pattern >> bit++ & 1 ? -1 : 1;
      in &= s->sign[j] == 0 || s->sign[j] == sign;
    }
    s->seen[pattern] |= in;
  }
}

bool dls_signs_all(const dls_signs *s)
{
  bool all = s->seen != NULL;
  for (int pattern = 0; all && pattern < 1 << s->count; pattern++) all = s->seen[pattern];
  return all;
}
