#include "model/native.h"

#include "base/memory.h"
#include "base/message.h"
#include "model/native_text.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

typedef void function(double *slot);

struct dls_native {
  const dls_tape *tape;
  void *library;
  function *const *functions;
  int stages, *run, *first;
  double *slot, *output;  // output: behind the tape's slots
};

void dls_native_free(dls_native *native)
{
  if (!native) return;
  if (native->library) dlclose(native->library);
  free(native->run);
  free(native->first);
  free(native->slot);
  free(native);
}

static dls_status load(dls_native *native, const dls_native_cache *cache,
                       const dls_native_text *text, dls_message *message)
{
  const dls_status status =
      dls_native_cache_load(cache, text->text.data, text->text.length, &native->library, message);
  if (status != DLS_OK) return status;
  native->functions = dlsym(native->library, DLS_NATIVE_TABLE);
  return native->functions ? DLS_OK
                           : dls_fail(message, DLS_ERR_FILE, "what was compiled has no functions");
}

dls_status dls_native_create(const dls_tape *tape, const dls_native_cache *cache, dls_native **out,
                             dls_message *message)
{
  *out = NULL;
  dls_native *native = dls_alloc(1, sizeof *native);
  dls_native_text text = {0};
  dls_status status = native ? dls_native_write(tape, &text) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    native->tape = tape;
    native->stages = text.stages;
    native->run = text.run, native->first = text.first;
    text.run = text.first = NULL;
    native->slot = dls_alloc(dls_native_slots(tape), sizeof *native->slot);
    native->output = native->slot + tape->slots;
    if (!native->slot) status = DLS_ERR_MEMORY;
  }
  if (status != DLS_OK) dls_fail(message, status, "out of memory");
  else status = load(native, cache, &text, message);
  dls_native_text_free(&text);
  if (status == DLS_OK) *out = native;
  else dls_native_free(native);
  return status;
}

void dls_native_start(dls_native *native, const double *parameters)
{
  const dls_tape *tape = native->tape;
  dls_tape_start(tape, parameters, native->slot);
  for (int k = 0; k < tape->outputs; k++)
    if (!dls_native_varies(tape, k)) native->output[k] = native->slot[tape->output[k]];
}

bool dls_native_input(dls_native *native, int first, int count, const double *x)
{
  return dls_tape_input(native->tape, first, count, x, native->slot);
}

bool dls_native_run(dls_native *native, double t, const double *q, const double *v)
{
  if (!dls_tape_place(native->tape, t, q, v, native->slot)) return false;
  int f = 0;
  for (int stage = 0;; stage++) {
    for (; f < native->first[stage + 1]; f++) native->functions[f](native->slot);
    if (stage == native->stages) return true;
    dls_tape_run_one(native->tape, native->run[stage], native->slot);
  }
}

// A sum of finite numbers that is finite has finite terms, and no other has: that is quicker than
// to look at each. Where it is not, each is looked at.
static bool copy_finite(const double *restrict from, double *restrict to, int count)
{
  enum { LANES = 8 };
  double sum[LANES] = {0}, rest = 0;
  int k = 0;
  for (; k + LANES <= count; k += LANES)
    for (int j = 0; j < LANES; j++) {
      to[k + j] = from[k + j];
      sum[j] += from[k + j];
    }
  for (; k < count; k++) {
    to[k] = from[k];
    rest += from[k];
  }
  for (int j = 0; j < LANES; j++) rest += sum[j];
  bool finite = true;
  if (!isfinite(rest))
    for (k = 0; k < count; k++) finite = finite && isfinite(to[k]);
  return finite;
}

bool dls_native_gather(const dls_native *native, int first, int count, double *out)
{
  return copy_finite(native->output + first, out, count);
}

bool dls_native_gather_groups(const dls_native *native, int groups, const int *first,
                              double *const *out)
{
  bool finite = true;
  for (int g = 0; g < groups; g++)
    finite = dls_native_gather(native, first[g], first[g + 1] - first[g], out[g]) && finite;
  return finite;
}
