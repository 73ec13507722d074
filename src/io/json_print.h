// JSON text that people can read too: what fits on a line stands on one line.
#ifndef DLS_IO_JSON_PRINT_H
#define DLS_IO_JSON_PRINT_H

#include "base/text.h"

#include <jansson.h>

// Adds the value and a newline; keys in their order, numbers with 17 digits.
void dls_json_print(dls_text *text, json_t *value);

// The value, which it takes over, as a text to be freed. DLS_ERR_MEMORY unless it is good.
dls_status dls_json_text(json_t *value, bool good, char **text);

#endif
