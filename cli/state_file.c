#include "state_file.h"

#include "files.h"
#include "message.h"

#include <delassus/recording.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The part of a text before its last @, when that is the name of a recording; 0 otherwise.
static size_t recording_length(const char *at)
{
  static const char *const endings[] = {".csv", ".h5", ".hdf5"};
  const char *sign = strrchr(at, '@');
  for (int k = 0; sign && k < 3; k++) {
    const size_t length = (size_t)(sign - at), letters = strlen(endings[k]);
    if (length > letters && strncmp(sign - letters, endings[k], letters) == 0) return length;
  }
  return 0;
}

// Whether --at names a recording and a time, such as run.h5@0.05.
static bool names_recording(const char *at)
{
  return recording_length(at) > 0;
}

static int read_time(const char *at, double *t)
{
  const char *text = at + recording_length(at) + 1;
  char *end = NULL;
  *t = strtod(text, &end);
  if (end != text && !*end && isfinite(*t)) return 0;
  return complain("--at %s: expected FILE@TIME, such as run.h5@0.05", at);
}

int state_file_call(const options *given)
{
  const char *at = options_value(given, "--at", 0), *file = options_value(given, "--state", 0);
  double t;
  if (at && file) return complain("--at and --state both give a state: one of them, please");
  if (file && !ends_in(file, ".json"))
    return complain("--state %s: expected a file of JSON, such as state.json", file);
  return at && names_recording(at) ? read_time(at, &t) : 0;
}

// The values of --set in the settings of a recording, or "".
static const char *values_of(char *settings)
{
  char *found = strstr(settings, " set ");
  const size_t length = strlen(settings);
  if (length > 0 && settings[length - 1] == '"') settings[length - 1] = 0;  // a name in quotes
  return found ? found : "";
}

// A state of another model, or one with other parameters, may be just what is wanted; but it is
// said. Files that are no recordings of this program say nothing.
static void compare_origin(const char *path, const options *given, const char *source,
                           size_t length)
{
  bool same;
  char settings[4000];
  buffer set = {0};
  if (dls_recorded_model(path, source, length, &same, NULL) != DLS_OK) return;
  if (!same) {
    complain("%s is a recording of another model: its coordinates have the same names", path);
    return;
  }
  const char *value;
  for (int i = 0; (value = options_value(given, "--set", i)); i++)
    buffer_add(&set, " set %s", value);
  if (dls_recorded_settings(path, settings, sizeof settings, NULL) == DLS_OK && !set.failed &&
      strcmp(values_of(settings), set.text ? set.text : "") != 0)
    complain("%s is a recording with other values of --set", path);
  buffer_free(&set);
}

static int read_recording(const char *at, const options *given, const char *source, size_t length,
                          const dls_system *system, dls_state *state)
{
  double t = 0;
  buffer path = {0};
  dls_message message = {0};
  int wrong = read_time(at, &t);
  buffer_add(&path, "%.*s", (int)recording_length(at), at);
  if (!wrong && path.failed) wrong = complain("out of memory");
  if (!wrong) {
    const dls_status status = dls_recorded_state(path.text, system, t, state, &message);
    if (status != DLS_OK)
      wrong = complain("--at %s: %s", at, message.text[0] ? message.text : dls_status_text(status));
    else if (fabs(state->t - t) > 1e-9 * fabs(t))
      complain("%s has no row at t = %.9g: taking the one before, t = %.9g", path.text, t,
               state->t);
    if (status == DLS_OK) compare_origin(path.text, given, source, length);
  }
  buffer_free(&path);
  return wrong;
}

static void add_assignments(buffer *out, const dls_system *s, const dls_state *state)
{
  buffer_add(out, "t = %.17g", state->t);
  for (int i = 0; i < dls_system_nq(s); i++)
    buffer_add(out, ", %s = %.17g", dls_configuration_names(s)[i], state->q[i]);
  for (int i = 0; i < s->n; i++) buffer_add(out, ", %s' = %.17g", s->coordinates[i], state->v[i]);
}

int state_file_read(const options *given, const char *source, size_t length,
                    const dls_system *system, buffer *assignments, dls_state *told)
{
  const char *at = options_value(given, "--at", 0), *file = options_value(given, "--state", 0);
  if (!file && !(at && names_recording(at))) return 0;
  const size_t nq = (size_t)dls_system_nq(system) + 1, n = (size_t)system->n + 1;
  dls_message message = {0};
  dls_state state = {.q = calloc(nq, sizeof(double)), .v = calloc(n, sizeof(double))};
  int wrong = state.q && state.v ? 0 : complain("out of memory");
  if (!wrong && !file) wrong = read_recording(at, given, source, length, system, &state);
  if (!wrong && file) {
    const dls_status status = dls_state_read(file, system, &state, &message);
    if (status != DLS_OK)
      wrong = complain("--state %s", message.text[0] ? message.text : dls_status_text(status));
  }
  if (!wrong) add_assignments(assignments, system, &state);
  if (assignments->failed) wrong = complain("out of memory");
  if (!wrong) {
    *told = state;
    return 0;
  }
  free(state.q);
  free(state.v);
  return wrong;
}
