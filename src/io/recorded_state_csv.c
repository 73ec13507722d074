// The state of a CSV file at a time: columns are found by their names, in whatever order they are.
#include "contact/chart.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/decimal.h"
#include "io/recording.h"

#include <stdlib.h>
#include <string.h>

// What a column is: t, q[i], v[i], or nothing that is asked for.
typedef struct reading {
  const char *path;
  const dls_system *system;
  int columns;
  int *target;  // of each column: an index into numbers, -1 for others
  ptrdiff_t room;
  double *numbers;  // t, q, v
  dls_message *message;
} reading;

// Takes the next field off a line, without the quotes of RFC 4180; NULL when there is none. The
// line ends in a zero byte.
static char *next_field(char **rest)
{
  char *field = *rest, *out = field, *in = field;
  if (!field) return NULL;
  if (*in == '"') {
    for (in++; *in && (*in != '"' || in[1] == '"'); in++) {
      if (*in == '"') in++;
      *out++ = *in;
    }
    if (*in) in++;
    while (*in && *in != ',') in++;
  } else {
    while (*in && *in != ',') in++;
    out = in;
  }
  *rest = *in ? in + 1 : NULL;
  *out = 0;
  return field;
}

static int target_of(const dls_system *s, const char *name)
{
  if (strcmp(name, "t") == 0) return 0;
  for (int i = 0; i < dls_system_nq(s); i++)
    if (strcmp(name, dls_configuration_names(s)[i]) == 0) return 1 + i;
  for (int i = 0; i < s->n; i++) {
    const size_t length = strlen(s->coordinates[i]);
    if (strncmp(name, s->coordinates[i], length) == 0 && strcmp(name + length, "'") == 0)
      return 1 + dls_system_nq(s) + i;
  }
  return -1;
}

static dls_status check_columns(const reading *r)
{
  const int n = r->system->n, nq = dls_system_nq(r->system);
  for (int k = 0; k < 1 + nq + n; k++) {
    const char *name = k == 0    ? "t"
                       : k <= nq ? dls_configuration_names(r->system)[k - 1]
                                 : r->system->coordinates[k - 1 - nq];
    const char *prime = k > nq ? "'" : "";
    int found = 0;
    for (int c = 0; c < r->columns; c++) found += r->target[c] == k;
    if (found != 1)
      return dls_fail(r->message, DLS_ERR_FILE, "%.400s: its first line has %s column %s%s",
                      r->path, found ? "more than one" : "no", name, prime);
  }
  return DLS_OK;
}

static dls_status read_header(reading *r, char *line)
{
  char *rest = line;
  for (char *name; (name = next_field(&rest));) {
    void *target = r->target;
    if (dls_grow(&target, &r->room, r->columns + 1, sizeof *r->target)) return DLS_ERR_MEMORY;
    r->target = target;
    r->target[r->columns++] = target_of(r->system, name);
  }
  return check_columns(r);
}

// The numbers of a line that are asked for, or only t.
static dls_status read_line(const reading *r, char *line, long number, bool only_t)
{
  char *rest = line;
  for (int c = 0; c < r->columns; c++) {
    const char *field = next_field(&rest);
    const int target = r->target[c];
    if (field && (target < 0 || (only_t && target > 0))) continue;
    if (!field || !dls_decimal_read(field, &r->numbers[target < 0 ? 0 : target]))
      return dls_fail(r->message, DLS_ERR_FILE, "%.400s:%ld: column %d has no number", r->path,
                      number, c + 1);
  }
  return DLS_OK;
}

// Ends the line that begins at `place` by a zero byte, and returns the place of the next; 0 when it
// is cut off.
static size_t end_line(char *bytes, size_t size, size_t place)
{
  char *end = place < size ? memchr(bytes + place, '\n', size - place) : NULL;
  if (!end) return 0;
  *end = 0;
  if (end > bytes + place && end[-1] == '\r') end[-1] = 0;
  return (size_t)(end - bytes) + 1;
}

static dls_status choose(reading *r, char *bytes, size_t size, size_t first, double t,
                         dls_row_choice *choice, size_t *place)
{
  *choice = dls_row_choice_begin(t);
  dls_text line = {0};
  dls_status status = DLS_OK;
  for (size_t at = first, next; status == DLS_OK && (next = end_line(bytes, size, at)); at = next) {
    const long row = choice->row;
    line.length = 0;
    dls_text_put(&line, bytes + at, next - at);  // fields are cut in it
    status = line.failed ? DLS_ERR_MEMORY : read_line(r, line.data, choice->offered + 2, true);
    if (status != DLS_OK) break;
    dls_row_offer(choice, r->numbers[0]);
    if (choice->row != row) *place = at;
  }
  dls_text_free(&line);
  return status;
}

static dls_status read_state(reading *r, char *bytes, size_t size, double t, dls_state *state,
                             dls_row_choice *choice)
{
  const ptrdiff_t n = r->system->n, nq = dls_system_nq(r->system);
  const size_t first = end_line(bytes, size, 0);
  size_t place = 0;
  r->numbers = dls_alloc(1 + nq + n, sizeof *r->numbers);
  if (!r->numbers) return DLS_ERR_MEMORY;
  if (first == 0)
    return dls_fail(r->message, DLS_ERR_FILE, "%.400s: it has no whole line", r->path);
  dls_status status = read_header(r, bytes);
  if (status == DLS_OK) status = choose(r, bytes, size, first, t, choice, &place);
  if (status == DLS_OK) status = dls_row_choice_check(r->path, choice, r->message);
  if (status == DLS_OK) status = read_line(r, bytes + place, choice->row + 2, false);
  if (status != DLS_OK) return status;
  state->t = r->numbers[0];
  dls_copy(state->q, r->numbers + 1, nq);
  dls_copy(state->v, r->numbers + 1 + nq, n);
  return DLS_OK;
}

dls_status dls_state_csv(const char *path, char *bytes, size_t size, const dls_system *system,
                         double t, dls_state *state, dls_message *message)
{
  reading r = {.path = path, .system = system, .message = message};
  dls_row_choice choice;
  const dls_status status = read_state(&r, bytes, size, t, state, &choice);
  free(r.target);
  free(r.numbers);
  return status == DLS_ERR_MEMORY ? dls_fail(message, status, "out of memory") : status;
}
