// unique_for_every_load, and the limits of friction below which it holds.
#ifndef DLS_CERTIFY_LOAD_H
#define DLS_CERTIFY_LOAD_H

#include "certify/context.h"

dls_status dls_certify_load(dls_context *x);

#endif
