// Vectors of a parsed text as numbers.
#ifndef DLS_MODEL_VECTORS_H
#define DLS_MODEL_VECTORS_H

#include "model/error_list.h"
#include "model/source.h"

// Replaces vectors by their parts in every formula, before names are looked up; adds lets. A
// formula with an error is reported and marked broken. DLS_ERR_MEMORY.
dls_status dls_lower_vectors(dls_source *source, dls_names *names, dls_arena *arena,
                             dls_error_list *report);

#endif
