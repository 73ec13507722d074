// JSON text that people can read too: what fits on a line stands on one line.
#ifndef DLS_IO_JSON_PRINT_H
#define DLS_IO_JSON_PRINT_H

#include "base/text.h"

#include <jansson.h>

// The value, which it takes over, and a newline as a text to be freed; keys in their order, numbers
// with 17 digits. DLS_ERR_MEMORY unless it is good.
dls_status dls_json_text(json_t *value, bool good, char **text);

#endif
