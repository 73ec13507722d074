// The table of schemes: a new scheme is one file and one line here.
#include "step/scheme.h"

#include <string.h>

static const dls_scheme *const schemes[] = {
    &dls_scheme_moreau,
    &dls_scheme_moreau_projected,
    &dls_scheme_schatzman_paoli,
    &dls_scheme_moreau_adaptive,
    &dls_scheme_moreau_variable_order,
    &dls_scheme_lcp,
    &dls_scheme_radau3,
    &dls_scheme_radau5,
    &dls_scheme_lobatto2,
    &dls_scheme_lobatto4,
    &dls_scheme_lobatto6,
    &dls_scheme_herk2,
    &dls_scheme_herk3,
    &dls_scheme_herk4,
    &dls_scheme_herk5,
    &dls_scheme_herk8,
};

enum { COUNT = sizeof schemes / sizeof *schemes };

int dls_scheme_count(void)
{
  return COUNT;
}

const dls_scheme *dls_scheme_at(int index)
{
  return index >= 0 && index < COUNT ? schemes[index] : NULL;
}

const dls_scheme_info *dls_scheme_info_at(int index)
{
  const dls_scheme *scheme = dls_scheme_at(index);
  return scheme ? &scheme->info : NULL;
}

const dls_scheme_info *dls_scheme_find(const char *name)
{
  for (int k = 0; name && k < COUNT; k++)
    if (strcmp(schemes[k]->info.name, name) == 0) return &schemes[k]->info;
  return NULL;
}
