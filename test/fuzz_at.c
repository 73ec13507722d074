// libFuzzer entry for what comes with a call. The first line is a state (--at), each further line
// `name = value` sets a parameter (--set). Whatever they are: no crash, and only finite numbers.
#include <delassus/contact.h>
#include <delassus/model.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 3 };

static const char model_text[] = "parameter m = 1, L = 2*m, mu = 0.3, β = sqrt(L)\n"
                                 "let l = L/2\n"
                                 "coordinate x = l*sin(a), y = l*cos(a), a = pi/4\n"
                                 "velocity a = 1\n"
                                 "kinetic m/2*(x'^2 + y'^2) + m*L^2/24*a'^2\n"
                                 "potential m*9.81*y\n"
                                 "bilateral side: x - l*sin(a) = 0\n"
                                 "unilateral floor: y - l*cos(a) >= 0 { slip x'; friction mu }\n"
                                 "state down: a = 1, x' = a'\n"
                                 "state late: t = 2, a = β\n";

static void require(int holds)
{
  if (!holds) abort();
}

// States are given or refused with a message; a refused one leaves the numbers alone.
static void try_state(const dls_system *system, const char *at)
{
  double q[N] = {7, 7, 7}, v[N] = {7, 7, 7};
  dls_state state = {.t = 7, .q = q, .v = v};
  dls_message message;
  const dls_status status = dls_model_state(system, at, &state, &message);
  if (status != DLS_OK) {
    require(message.text[0] && memchr(message.text, 0, sizeof message.text) != NULL);
    require(state.t == 7 && q[0] == 7 && v[N - 1] == 7);
    return;
  }
  require(isfinite(state.t));
  for (int i = 0; i < N; i++) require(isfinite(q[i]) && isfinite(v[i]));
  dls_contact_state *contacts;
  dls_projection moved;
  if (dls_contact_state_create(system, &state, NULL, &contacts, &message) == DLS_OK)
    dls_contact_state_free(contacts);
  else require(message.text[0] != 0);
  dls_state_project(system, &state, NULL, &moved, &message);
  for (int i = 0; i < N; i++) require(isfinite(q[i]) && isfinite(v[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  dls_model *model;
  dls_system *system;
  require(dls_model_parse(model_text, strlen(model_text), &model, NULL) == DLS_OK);
  require(dls_model_system(model, &system) == DLS_OK);
  char *text = calloc(size + 1, 1);
  require(text != NULL);
  memcpy(text, data, size);

  char *line = strchr(text, '\n');
  if (line) *line++ = 0;
  try_state(system, text);
  while (line) {
    char *end = strchr(line, '\n'), *value = line;
    if (end) *end++ = 0;
    value += strcspn(line, "=");
    if (*value) *value++ = 0;
    dls_message message;
    if (dls_model_set(system, line, value, &message) != DLS_OK) require(message.text[0] != 0);
    line = end;
  }
  try_state(system, text);
  free(text);
  dls_system_free(system);
  dls_model_free(model);
  return 0;
}
