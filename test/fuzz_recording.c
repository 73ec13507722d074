// libFuzzer entry for recordings: rows of finite numbers, or a message; and a run goes on from what
// was read. The first byte chooses form and scheme. The rest is tried as a file, behind the
// beginning that such a file has, and as changes of a recording that a run has made: bytes that are
// others, and an end that is missing. Whatever is cut off comes again, the same to the last byte.
// Changed rows are refused, by their checks; with checks and counts that were computed anew, as a
// forger would, they are read, and must be rows of finite numbers from which a run goes on or not.
#define _GNU_SOURCE
#include "io/recording.h"

#include <delassus/delassus.h>

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 16, COORDINATES = 2, STEPS = 6, SECONDS = 5 };
static const double step = 0.125;

static const char text[] = "coordinate x, y = 0.25\nvelocity x = 1\n"
                           "kinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                           "unilateral floor: y >= 0 { slip x'; friction 0.5; restitution 0.5 }\n";

static void require(int holds)
{
  if (!holds) abort();
}

// What a run is made with; made once for each scheme.
typedef struct subject {
  dls_system *system;
  dls_integrator *integrator;
  dls_recording_about about;
  double q[COORDINATES], v[COORDINATES];
  // what the run writes, and the beginning of that: by form
  unsigned char whole[2][LARGEST];
  size_t whole_size[2], head_size[2];
} subject;

static char path[2][400];

static void name_files(void)
{
  const char *folder = getenv("TMPDIR");
  for (int form = 0; form < 2; form++)
    snprintf(path[form], sizeof path[form], "%.350s/fuzz-recording-%d.%s",
             folder ? folder : P_tmpdir, (int)getpid(), form ? "h5" : "csv");
}

static void put(const char *file, const void *data, size_t size)
{
  FILE *f = fopen(file, "wb");
  require(f != NULL);
  require(fwrite(data, 1, size, f) == size);
  require(fclose(f) == 0);
}

static void store(unsigned char *place, uint64_t value)
{
  for (int b = 0; b < 8; b++) place[b] = (unsigned char)(value >> 8 * b);
}

static size_t get(const char *file, unsigned char *data)
{
  FILE *f = fopen(file, "rb");
  require(f != NULL);
  const size_t size = fread(data, 1, LARGEST, f);
  require(fclose(f) == 0 && size < LARGEST);
  return size;
}

// ---- runs ---------------------------------------------------------------------------------------

// Steps up to STEPS of them since the start, each into the recording; false when one failed.
static bool make_steps(subject *s, dls_recording *r)
{
  const double until = STEPS * step;
  while (dls_integrator_sample(s->integrator).t < until) {
    dls_failure failure = DLS_FAILURE_NONE;
    const clock_t start = clock();
    const dls_status status = dls_integrator_advance(s->integrator, until, &failure, NULL);
    require(clock() - start < SECONDS * CLOCKS_PER_SEC);
    if (status != DLS_OK || failure != DLS_FAILURE_NONE) return false;
    const dls_sample m = dls_integrator_sample(s->integrator);
    for (int i = 0; i < m.n; i++) require(isfinite(m.q[i]) && isfinite(m.v[i]));
    if (r) require(dls_recording_append(r, &m, NULL) == DLS_OK);
    if (dls_integrator_restart(s->integrator, &m, NULL) != DLS_OK) return false;
  }
  return true;
}

static void start_again(subject *s)
{
  dls_integrator_options how = dls_integrator_defaults();
  const dls_state start = {0, s->q, s->v};
  dls_integrator_free(s->integrator);
  how.scheme = s->about.scheme, how.step = step;
  require(dls_integrator_create(s->system, &start, &how, &s->integrator, NULL) == DLS_OK);
}

static void record(subject *s, int form)
{
  dls_recording *r = NULL;
  start_again(s);
  require(dls_recording_create(path[form], &s->about, &r, NULL) == DLS_OK);
  require(dls_recording_flush(r, NULL) == DLS_OK);
  s->head_size[form] = get(path[form], s->whole[form]);
  const dls_sample m = dls_integrator_sample(s->integrator);
  require(dls_recording_append(r, &m, NULL) == DLS_OK && make_steps(s, r));
  require(dls_recording_close(r, NULL) == DLS_OK);
  s->whole_size[form] = get(path[form], s->whole[form]);
}

static subject *open_subject(int scheme)
{
  static subject *all[64];
  if (all[scheme]) return all[scheme];
  subject *s = all[scheme] = calloc(1, sizeof *s);
  require(s != NULL);
  dls_model *model = NULL;  // the system needs it: both stay
  dls_diagnostics diagnostics;
  dls_state start = {0, s->q, s->v};
  require(dls_model_parse(text, sizeof text - 1, &model, &diagnostics) == DLS_OK);
  require(dls_model_system(model, &s->system) == DLS_OK);
  require(dls_model_differentiate(s->system, NULL) == DLS_OK);
  require(dls_model_state(s->system, NULL, &start, NULL) == DLS_OK);
  s->about = (dls_recording_about){.system = s->system,
                                   .model = text,
                                   .model_length = sizeof text - 1,
                                   .scheme = dls_scheme_info_at(scheme)->name,
                                   .step = step};
  start_again(s);
  s->about.scheme_state_size = dls_integrator_sample(s->integrator).scheme_state_size;
  for (int form = 0; form < 2; form++) record(s, form);
  return s;
}

// ---- what was read ------------------------------------------------------------------------------

static bool is_good(const dls_sample *row)
{
  bool good = isfinite(row->t) && isfinite(row->next_step) && row->next_step >= 0;
  for (int i = 0; i < row->n; i++) good = good && isfinite(row->q[i]) && isfinite(row->v[i]);
  for (int i = 0; i < row->impulses; i++) good = good && isfinite(row->impulse[i]);
  for (int i = 0; i < row->scheme_state_size; i++) good = good && isfinite(row->scheme_state[i]);
  for (int j = 0; j < row->m; j++) good = good && row->status[j] <= DLS_STICKING;
  return good;
}

// Goes on from the last row that ends a step, when the file is one that can be read; with
// `writing` into the file.
static bool go_on(subject *s, int form, bool writing)
{
  dls_recorded *r = NULL;
  dls_message message = {""};
  if (dls_recorded_open(path[form], &s->about, &r, &message) != DLS_OK) {
    require(!r && message.text[0]);
    return false;
  }
  long last = -1;
  const long count = dls_recorded_count(r);
  dls_sample row;
  for (long k = 0; k < count && k < 1000; k++) {
    if (dls_recorded_row(r, k, &row, &message) != DLS_OK) continue;
    require(is_good(&row));
    if (row.next_step > 0) last = k;
  }
  bool taken = last >= 0 && dls_recorded_row(r, last, &row, NULL) == DLS_OK;
  if (taken) {
    dls_recording *grown = NULL;
    start_again(s);
    taken = dls_integrator_restart(s->integrator, &row, &message) == DLS_OK;
    // what nobody vouches for may be far from the end
    const bool near = row.t >= 0 && row.next_step >= step / 1024;
    if (taken && writing) require(dls_recording_continue(r, last + 1, &grown, NULL) == DLS_OK);
    if (taken && near) make_steps(s, grown);
    require(dls_recording_close(grown, NULL) == DLS_OK);
  }
  dls_recorded_free(r);
  return taken;
}

// ---- rows that fit ------------------------------------------------------------------------------

// The lines behind the head, each with the check that belongs to it in place of its last column.
static size_t settle_csv(const subject *s, const unsigned char *from, size_t size,
                         unsigned char *to, size_t room)
{
  size_t used = s->head_size[0];
  uint64_t check = dls_about_check(&s->about);
  memcpy(to, from, used);
  for (size_t at = used; at < size;) {
    const unsigned char *line = from + at, *end = memchr(line, '\n', size - at);
    if (!end) break;
    const unsigned char *comma = memrchr(line, ',', (size_t)(end - line));
    const size_t covered = (size_t)((comma ? comma : end) - line);
    if (used + covered + 32 > room) break;
    memcpy(to + used, line, covered);
    check = dls_row_check(check, (const char *)line, covered);
    used += covered;
    used += (size_t)snprintf((char *)to + used, 32, ",%" PRIu64 "\n", check);
    at = (size_t)(end - from) + 1;
  }
  return used;
}

// The whole rows behind the head with their checks, and their number where HDF5 has it.
static size_t settle_hdf5(const subject *s, const unsigned char *from, size_t size,
                          unsigned char *to)
{
  const dls_system *system = s->system;
  const dls_row_shape shape = {.nq = system->n,
                               .n = system->n,
                               .m = system->m,
                               .impulses = system->m + system->tangents,
                               .scheme_state_size = s->about.scheme_state_size};
  dls_recording_head head = {0};
  require(dls_recording_hdf5.head(&s->about, &shape, &head, NULL) == DLS_OK);
  const size_t first = s->head_size[1], row = dls_recording_hdf5.row_max(&shape);
  const size_t count = size > first ? (size - first) / row : 0;
  uint64_t check = dls_about_check(&s->about);
  memcpy(to, from, first + count * row);
  for (size_t k = 0; k < count; k++) {
    unsigned char *at = to + first + k * row;
    check = dls_row_check(check, (const char *)at, row - 8);
    store(at + row - 8, check);
  }
  store(to + head.end, first + count * row), store(to + head.size, count * row);
  store(to + head.count, count);
  dls_text_free(&head.bytes);
  return first + count * row;
}

// The file as it is, and with checks that fit; what fits must at least be read.
static void try_file(subject *s, int form, const unsigned char *bytes, size_t size)
{
  static unsigned char fits[4 * LARGEST];
  put(path[form], bytes, size);
  go_on(s, form, false);
  if (size < s->head_size[form] || memcmp(bytes, s->whole[form], form ? 8 : s->head_size[0]) != 0)
    return;
  const size_t settled =
      form ? settle_hdf5(s, bytes, size, fits) : settle_csv(s, bytes, size, fits, sizeof fits);
  put(path[form], fits, settled);
  go_on(s, form, false);
}

// The run without its end, taken up again.
static void cut(subject *s, int form, size_t place)
{
  static unsigned char again[LARGEST];
  put(path[form], s->whole[form], place % (s->whole_size[form] + 1));
  if (!go_on(s, form, true)) return;
  require(get(path[form], again) == s->whole_size[form]);
  require(memcmp(again, s->whole[form], s->whole_size[form]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static unsigned char changed[2 * LARGEST];
  if (!path[0][0]) name_files();
  if (size < 4 || size > LARGEST) return 0;
  const int form = data[0] & 1;
  subject *s = open_subject((data[0] >> 1) % dls_scheme_count());
  put(path[form], data + 1, size - 1);
  go_on(s, form, false);

  memcpy(changed, s->whole[form], s->head_size[form]);
  memcpy(changed + s->head_size[form], data + 1, size - 1);
  try_file(s, form, changed, s->head_size[form] + size - 1);

  // places in the rows only, as another head is refused at once; then anywhere
  const size_t head = size % 4 ? s->head_size[form] : 0, most = s->whole_size[form] - head;
  memcpy(changed, s->whole[form], s->whole_size[form]);
  for (size_t k = 1; k + 2 < size && k < 60; k += 3)
    changed[head + ((size_t)data[k] << 8 | data[k + 1]) % most] = data[k + 2];
  try_file(s, form, changed, s->whole_size[form]);

  cut(s, form, (size_t)data[1] << 8 | data[2]);
  unlink(path[form]);
  return 0;
}
