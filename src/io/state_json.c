// A state as JSON: {"q": [...], "v": [...], "t": 0}. Other keys may be there.
#include "base/message.h"
#include "base/file.h"

#include <delassus/recording.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static dls_status read_numbers(const json_t *object, const char *path, const char *key, int n,
                               double *x, dls_message *message)
{
  const json_t *list = json_object_get(object, key);
  if (!json_is_array(list))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: it has no list \"%s\"", path, key);
  if (json_array_size(list) != (size_t)n)
    return dls_fail(message, DLS_ERR_FILE,
                    "%.400s: \"%s\" has %zu numbers, and the model %d coordinates", path, key,
                    json_array_size(list), n);
  for (int i = 0; i < n; i++) {
    const json_t *number = json_array_get(list, (size_t)i);
    if (!json_is_number(number) || !isfinite(json_number_value(number)))
      return dls_fail(message, DLS_ERR_FILE, "%.400s: %s[%d] is not a number", path, key, i);
    x[i] = json_number_value(number);
  }
  return DLS_OK;
}

static dls_status read_state(const json_t *object, const char *path, int nq, int n,
                             dls_state *state, dls_message *message)
{
  const json_t *t = json_object_get(object, "t");
  if (!json_is_object(object))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: not an object {\"q\": [...], \"v\": [...]}",
                    path);
  if (t && !json_is_number(t))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: \"t\" is not a number", path);
  dls_status status = read_numbers(object, path, "q", nq, state->q, message);
  if (status == DLS_OK) status = read_numbers(object, path, "v", n, state->v, message);
  state->t = t ? json_number_value(t) : 0;
  return status;
}

dls_status dls_state_read(const char *path, const dls_system *system, dls_state *state,
                          dls_message *message)
{
  static const size_t largest = (size_t)1 << 28;
  if (message) message->text[0] = 0;
  if (!path || !system || !state || !state->q || !state->v)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a state needs a file, a system and room");
  char *text = NULL;
  size_t length = 0;
  json_error_t error;
  dls_status status = dls_file_read(path, largest, &text, &length, message);
  if (status != DLS_OK) return status;
  json_t *object =
      json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  free(text);
  if (!object)
    return dls_fail(message, DLS_ERR_FILE, "%.400s:%d:%d: %s", path, error.line, error.column,
                    error.text);
  status = read_state(object, path, dls_system_nq(system), system->n, state, message);
  json_decref(object);
  return status;
}
