// Do the contacts hold an object? eq (clo.1), (clo.2)
#ifndef DLS_CERTIFY_CLOSURE_H
#define DLS_CERTIFY_CLOSURE_H

#include "certify/context.h"

// form_closure and force_closure of the object of the options.
dls_status dls_certify_closure(dls_context *x);

#endif
