// Complementarity problems as JSON: {"M": [[...], ...], "q": [...], "free": k}, M by rows. Other
// keys may be there.
#include "base/message.h"
#include "io/lcp_file.h"
#include "base/file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

dls_lcp_file *dls_lcp_file_create(int n, double **M, double **q)
{
  dls_arena *arena = dls_arena_create();
  dls_lcp_file *file = arena ? dls_arena_alloc(arena, 1, sizeof *file) : NULL;
  *M = file ? dls_arena_alloc(arena, (ptrdiff_t)n * n, sizeof **M) : NULL;
  *q = *M ? dls_arena_alloc(arena, n, sizeof **q) : NULL;
  if (!*q) {
    dls_arena_free(arena);
    return NULL;
  }
  *file = (dls_lcp_file){.problem = {.n = n, .M = *M, .q = *q}, .arena = arena};
  return file;
}

const dls_mlcp *dls_lcp_file_problem(const dls_lcp_file *file)
{
  return &file->problem;
}

void dls_lcp_file_free(dls_lcp_file *file)
{
  if (file) dls_arena_free(file->arena);
}

// ---- the entries -------------------------------------------------------------------------------

// "M[3]"; row < 0: "q".
typedef struct entry_name {
  char text[30];
} entry_name;

static entry_name name_of(const char *name, int row)
{
  entry_name full;
  if (row < 0) snprintf(full.text, sizeof full.text, "%s", name);
  else snprintf(full.text, sizeof full.text, "%s[%d]", name, row);
  return full;
}

static dls_status check_length(const json_t *array, const char *path, entry_name name, int n,
                               dls_message *message)
{
  if (!json_is_array(array))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: %s is not a list of numbers", path, name.text);
  if (json_array_size(array) != (size_t)n)
    return dls_fail(message, DLS_ERR_FILE, "%.400s: %s has %zu numbers, expected %d", path,
                    name.text, json_array_size(array), n);
  return DLS_OK;
}

// n numbers, to out[0], out[step], ...
static dls_status take_numbers(const json_t *array, const char *path, entry_name name, int n,
                               size_t step, double *out, dls_message *message)
{
  const dls_status status = check_length(array, path, name, n, message);
  if (status != DLS_OK) return status;
  for (size_t k = 0; k < (size_t)n; k++) {
    const json_t *value = json_array_get(array, k);
    if (!json_is_number(value))
      return dls_fail(message, DLS_ERR_FILE, "%.400s: %s[%zu] is not a number", path, name.text, k);
    out[k * step] = json_number_value(value);
  }
  return DLS_OK;
}

// The number of equations; 0 when it is not there.
static dls_status take_free(const json_t *root, const char *path, int n, int *out,
                            dls_message *message)
{
  const json_t *value = json_object_get(root, "free");
  const double number = value ? json_number_value(value) : 0;
  if ((value && !json_is_number(value)) || !(number >= 0 && number <= n) || floor(number) != number)
    return dls_fail(message, DLS_ERR_FILE, "%.400s: free is not a whole number from 0 to %d", path,
                    n);
  *out = (int)number;
  return DLS_OK;
}

static dls_status take_problem(const json_t *root, const char *path, dls_lcp_file **out,
                               dls_message *message)
{
  const json_t *rows = json_object_get(root, "M");
  if (!json_is_object(root) || !json_is_array(rows))
    return dls_fail(message, DLS_ERR_FILE,
                    "%.400s: expected {\"M\": [[...], ...], \"q\": [...]}, but there is no list M",
                    path);
  const size_t count = json_array_size(rows);
  if (count == 0) return dls_fail(message, DLS_ERR_FILE, "%.400s: M is empty", path);
  if (count > DLS_LCP_FILE_LARGEST)
    return dls_fail(message, DLS_ERR_LIMIT, "%.400s: M has %zu rows, more than %d", path, count,
                    (int)DLS_LCP_FILE_LARGEST);
  // all rows must have their numbers before the memory for them is taken
  const int n = (int)count;
  dls_status status = DLS_OK;
  for (int i = 0; status == DLS_OK && i < n; i++)
    status = check_length(json_array_get(rows, (size_t)i), path, name_of("M", i), n, message);
  if (status != DLS_OK) return status;
  double *M, *q;
  dls_lcp_file *file = dls_lcp_file_create(n, &M, &q);
  if (!file) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  status = take_free(root, path, n, &file->problem.free, message);
  for (int i = 0; status == DLS_OK && i < n; i++)
    status = take_numbers(json_array_get(rows, (size_t)i), path, name_of("M", i), n, (size_t)n,
                          M + i, message);
  if (status == DLS_OK)
    status = take_numbers(json_object_get(root, "q"), path, name_of("q", -1), n, 1, q, message);
  if (status == DLS_OK) *out = file;
  else dls_lcp_file_free(file);
  return status;
}

dls_status dls_lcp_read_json(const char *path, dls_lcp_file **out, dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = 0;
  char *text;
  size_t length;
  dls_status status =
      dls_file_read(path, (size_t)DLS_LCP_FILE_MEBIBYTES << 20, &text, &length, message);
  if (status != DLS_OK) return status;
  json_error_t error = {0};
  // whole numbers of any length are numbers here
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  free(text);
  // without memory jansson mostly says nothing at all
  if (!root && (json_error_code(&error) == json_error_out_of_memory || !error.text[0]))
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  if (!root)
    return dls_fail(message, DLS_ERR_FILE, "%.400s:%d:%d: %s", path, error.line, error.column,
                    error.text);
  status = take_problem(root, path, out, message);
  json_decref(root);
  return status;
}
