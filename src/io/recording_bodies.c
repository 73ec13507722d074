// The columns of bodies in a recording of contacts that come and go: poses of all bodies, and of
// contacts of solids where they are, along what, and their forces.
#include "base/memory.h"
#include "io/recording.h"

#include <delassus/mechanism.h>
#include <delassus/output.h>

#include <math.h>
#include <stdlib.h>

// A row of the stream, taken apart.
typedef struct reader {
  const dls_system *system;
  dls_row row;
  dls_pose *pose;              // bodies
  dls_solid_contact *contact;  // m
  bool *known;                 // m
  ptrdiff_t room[2];
  double before;  // t of the last row; NaN
} reader;

static void free_reader(reader *r)
{
  free(r->row.numbers), free(r->row.status), free(r->row.id), free(r->row.first);
  free(r->pose), free(r->contact), free(r->known);
}

static bool make_room(reader *r)
{
  dls_row *row = &r->row;
  const ptrdiff_t m = (ptrdiff_t)row->shape.m + 1;
  return dls_grow((void **)&row->numbers, &row->room[0], dls_row_numbers(&row->shape),
                  sizeof *row->numbers) == 0 &&
         dls_grow((void **)&row->status, &row->room[1], m, 1) == 0 &&
         dls_grow((void **)&row->id, &row->room[2], m, sizeof *row->id) == 0 &&
         dls_grow((void **)&row->first, &row->room[3], m, sizeof *row->first) == 0 &&
         dls_grow((void **)&r->contact, &r->room[0], m, sizeof *r->contact) == 0 &&
         dls_grow((void **)&r->known, &r->room[1], m, sizeof *r->known) == 0;
}

static bool put_numbers(dls_text *out, const double *x, int count)
{
  for (int i = 0; i < count; i++) {
    uint64_t bits;
    char bytes[8];
    memcpy(&bits, &x[i], sizeof bits);
    for (int b = 0; b < 8; b++) bytes[b] = (char)(unsigned char)(bits >> 8 * b);
    dls_text_put(out, bytes, sizeof bytes);
  }
  return !out->failed;
}

static bool put_poses(reader *r, const double *q, bool turns, dls_text *out)
{
  if (dls_mechanism_poses(r->system, q, r->pose) != DLS_OK) return false;
  for (int b = 0; b < r->row.shape.bodies; b++)
    put_numbers(out, turns ? r->pose[b].quaternion : r->pose[b].position, turns ? 4 : 3);
  return !out->failed;
}

// Ends of ranges and constraints are contacts, too, and no contacts of solids.
static void describe(reader *r, const double *q)
{
  const int m = r->row.shape.m;
  int bilateral = 0;
  while (bilateral < m && r->row.id[bilateral] == 0) bilateral++;
  for (int j = 0; j < bilateral; j++) r->known[j] = false;
  const bool all = dls_mechanism_contacts(r->system, q, m - bilateral, r->row.id + bilateral,
                                          r->contact + bilateral) == DLS_OK;
  for (int j = bilateral; j < m; j++)
    r->known[j] =
        all || dls_mechanism_contacts(r->system, q, 1, r->row.id + j, r->contact + j) == DLS_OK;
}

// The mean force on A since the row before, in the world.
static void force_of(const reader *r, int j, double time, double force[3])
{
  const dls_row_shape *s = &r->row.shape;
  const int first = r->row.first[j], slips = r->row.first[j + 1] - first;
  const double *impulse = r->row.numbers + 1 + s->nq + s->n + j + first;
  const dls_solid_contact *c = &r->contact[j];
  for (int i = 0; i < 3; i++) {
    force[i] = impulse[0] * c->normal[i];
    for (int k = 0; k < slips; k++) force[i] += impulse[1 + k] * c->tangent[k][i];
    force[i] = time > 0 ? force[i] / time : 0;
  }
}

static void put_contacts(reader *r, const double *q, dls_recording_column column, double time,
                         dls_text *out)
{
  const double none[] = {NAN, NAN, NAN};
  describe(r, q);
  for (int j = 0; j < r->row.shape.m; j++) {
    double force[3];
    const dls_solid_contact *c = &r->contact[j];
    if (r->known[j] && column == DLS_COLUMN_FORCE) force_of(r, j, time, force);
    put_numbers(out,
                !r->known[j]                  ? none
                : column == DLS_COLUMN_POINT  ? c->point
                : column == DLS_COLUMN_NORMAL ? c->normal
                                              : force,
                3);
  }
}

bool dls_stream_bodies(const char *rows, size_t size, const dls_row_shape *shape,
                       const dls_system *bodies, dls_recording_column column, dls_text *out,
                       uint64_t *count)
{
  reader r = {.system = bodies, .before = NAN};
  r.row.shape = *shape;
  r.pose = dls_alloc(shape->bodies, sizeof *r.pose);
  bool good = r.pose != NULL;
  uint64_t contacts = 0, all = 0;
  for (size_t at = 0; good && at < size; all++) {
    const size_t length = dls_recording_stream.measure(rows + at, size - at, &r.row.shape);
    good = length > 0 && make_room(&r) &&
           dls_recording_stream.read((char *)rows + at, length - 8, &r.row);
    if (!good) break;
    const double t = r.row.numbers[0], *q = r.row.numbers + 1;
    if (column == DLS_COLUMN_POSITION || column == DLS_COLUMN_QUATERNION)
      good = put_poses(&r, q, column == DLS_COLUMN_QUATERNION, out);
    else put_contacts(&r, q, column, t - r.before, out);
    contacts += (uint64_t)r.row.shape.m, r.before = t, at += length;
  }
  *count = column == DLS_COLUMN_POSITION || column == DLS_COLUMN_QUATERNION ? all : contacts;
  free_reader(&r);
  return good && !out->failed;
}

bool dls_stream_output(const char *rows, size_t size, const dls_row_shape *shape,
                       const dls_system *system, int index, dls_text *out)
{
  reader r = {.row.shape = *shape};
  double *value = dls_alloc(shape->outputs, sizeof *value);
  bool good = value != NULL;
  for (size_t at = 0; good && at < size;) {
    const size_t length = dls_recording_stream.measure(rows + at, size - at, &r.row.shape);
    good = length > 0 && make_room(&r) &&
           dls_recording_stream.read((char *)rows + at, length - 8, &r.row);
    if (!good) break;
    const double *t = r.row.numbers, *q = t + 1, *v = q + shape->nq;
    good = dls_model_outputs(system, *t, q, v, NULL, value) == DLS_OK &&
           put_numbers(out, &value[index], 1);
    at += length;
  }
  free(value);
  free_reader(&r);
  return good && !out->failed;
}
