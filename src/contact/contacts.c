#include "contact/contacts.h"

#include "base/message.h"
#include "contact/law.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 1 << 28 };  // rows, and entries of J

// The set, and what its arrays have room for.
typedef struct owned_contacts {
  dls_contacts set;
  int *p, *i;  // of J
  double *x;
  ptrdiff_t count_room, row_room, entry_room;
} owned_contacts;

dls_status dls_contacts_create(int nv, dls_contacts **out)
{
  *out = NULL;
  if (nv < 1) return DLS_ERR_ARGUMENT;
  owned_contacts *o = dls_alloc(1, sizeof *o);
  if (!o) return DLS_ERR_MEMORY;
  o->set.first = dls_alloc(1, sizeof *o->set.first);
  o->p = dls_alloc(1, sizeof *o->p);
  if (!o->set.first || !o->p) {
    dls_contacts_free(&o->set);
    return DLS_ERR_MEMORY;
  }
  dls_contacts_clear(&o->set, nv);
  *out = &o->set;
  return DLS_OK;
}

void dls_contacts_free(dls_contacts *c)
{
  if (!c) return;
  owned_contacts *o = (owned_contacts *)c;
  free(c->law), free(c->id), free(c->name), free(c->first);
  free(c->gap), free(c->mu), free(c->mu_s), free(c->e), free(c->bound);
  free(c->rate), free(c->w), free(c->b), free(c->direction);
  free(o->p), free(o->i), free(o->x);
  free(o);
}

static void show_matrix(owned_contacts *o)
{
  dls_contacts *c = &o->set;
  c->J = (dls_matrix_view){{c->nv, c->rows, o->p, o->i}, o->x};
}

void dls_contacts_clear(dls_contacts *c, int nv)
{
  c->nv = nv, c->count = c->rows = 0;
  show_matrix((owned_contacts *)c);
}

// All arrays of one kind grow together; *room tells what all of them have.
static bool grow_all(void **const *array, const size_t *size, ptrdiff_t arrays, ptrdiff_t extra,
                     ptrdiff_t *room, ptrdiff_t needed)
{
  if (needed <= *room) return true;
  const ptrdiff_t wanted = 2 * needed;
  for (ptrdiff_t k = 0; k < arrays; k++) {
    void *larger = realloc(*array[k], dls_bytes(wanted + extra, size[k]));
    if (!larger) return false;
    *array[k] = larger;
  }
  *room = wanted;
  return true;
}

static bool make_room(owned_contacts *o, ptrdiff_t count, ptrdiff_t rows, ptrdiff_t entries)
{
  dls_contacts *c = &o->set;
  void **const of_contacts[] = {(void **)&c->law,   (void **)&c->id,    (void **)&c->name,
                                (void **)&c->first, (void **)&c->gap,   (void **)&c->mu,
                                (void **)&c->e,     (void **)&c->bound, (void **)&c->mu_s};
  static const size_t contact_size[] = {1,
                                        sizeof(uint64_t),
                                        sizeof(char *),
                                        sizeof(int),
                                        sizeof(double),
                                        sizeof(double),
                                        sizeof(double),
                                        sizeof(double),
                                        sizeof(double)};
  void **const of_rows[] = {(void **)&o->p, (void **)&c->rate, (void **)&c->w, (void **)&c->b,
                            (void **)&c->direction};
  static const size_t row_size[] = {sizeof(int), sizeof(double), sizeof(double), sizeof(double),
                                    sizeof(double)};
  void **const of_entries[] = {(void **)&o->i, (void **)&o->x};
  static const size_t entry_size[] = {sizeof(int), sizeof(double)};
  return grow_all(of_contacts, contact_size, 9, 1, &o->count_room, count) &&
         grow_all(of_rows, row_size, 5, 1, &o->row_room, rows) &&
         grow_all(of_entries, entry_size, 2, 0, &o->entry_room, entries);
}

static dls_status check_row(const dls_contacts *c, const dls_contact_row *row, dls_message *message)
{
  if (row->entries < 0 || (row->entries > 0 && (!row->i || !row->x)))
    return dls_fail(message, DLS_ERR_ARGUMENT, "a row of the contact has no entries");
  for (int e = 0; e < row->entries; e++) {
    if (row->i[e] < (e > 0 ? row->i[e - 1] + 1 : 0) || row->i[e] >= c->nv)
      return dls_fail(message, DLS_ERR_ARGUMENT, "indices of a row must increase and stay below %d",
                      c->nv);
    if (!isfinite(row->x[e]))
      return dls_fail(message, DLS_ERR_NUMBER, "an entry of a row is not finite");
  }
  if (!isfinite(row->rate) || !isfinite(row->w) || !isfinite(row->b) || !isfinite(row->direction))
    return dls_fail(message, DLS_ERR_NUMBER, "a velocity of the contact is not finite");
  return DLS_OK;
}

static dls_status check(const dls_contacts *c, const dls_contact_data *d, dls_message *message)
{
  if (!dls_law_name((int)d->law) || d->rows < 1 || d->rows > 3)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a contact needs a law, and 1 to 3 rows");
  if (!isfinite(d->gap) || !(d->mu >= 0) || !isfinite(d->mu) || !(d->e >= 0) || !isfinite(d->e) ||
      !(d->bound >= 0) || !isfinite(d->bound) || !(d->mu_s >= 0) || !isfinite(d->mu_s))
    return dls_fail(message, DLS_ERR_NUMBER,
                    "gap, friction, restitution and bound are finite, the last three >= 0");
  dls_status status = DLS_OK;
  for (int k = 0; k < d->rows && status == DLS_OK; k++) status = check_row(c, &d->row[k], message);
  return status;
}

static void put_row(owned_contacts *o, const dls_contact_row *row, int at)
{
  dls_contacts *c = &o->set;
  const int begin = o->p[at];
  for (int e = 0; e < row->entries; e++) {
    o->i[begin + e] = row->i[e];
    o->x[begin + e] = row->x[e];
  }
  o->p[at + 1] = begin + row->entries;
  c->rate[at] = row->rate, c->w[at] = row->w, c->b[at] = row->b;
  c->direction[at] = row->direction;
}

dls_status dls_contacts_add(dls_contacts *c, const dls_contact_data *d, dls_message *message)
{
  owned_contacts *o = (owned_contacts *)c;
  if (message) message->text[0] = 0;
  const dls_status status = check(c, d, message);
  if (status != DLS_OK) return status;
  ptrdiff_t entries = o->p[c->rows];
  for (int k = 0; k < d->rows; k++) entries += d->row[k].entries;
  if (entries > LARGEST || c->rows > LARGEST - 3)
    return dls_fail(message, DLS_ERR_LIMIT, "more contacts than a set may have");
  if (!make_room(o, (ptrdiff_t)c->count + 1, (ptrdiff_t)c->rows + d->rows, entries))
    return DLS_ERR_MEMORY;
  const int k = c->count;
  c->law[k] = (unsigned char)d->law, c->id[k] = d->id, c->name[k] = d->name;
  c->gap[k] = d->gap, c->mu[k] = d->mu, c->e[k] = d->e, c->bound[k] = d->bound;
  c->mu_s[k] = fmax(d->mu, d->mu_s);
  for (int row = 0; row < d->rows; row++) put_row(o, &d->row[row], c->rows + row);
  c->first[k + 1] = c->rows += d->rows;
  c->count++;
  show_matrix(o);
  return DLS_OK;
}

bool dls_contacts_bilateral(const dls_contacts *c, int contact)
{
  const int law = c->law[contact];
  return law == DLS_LAW_EQUATION || law == DLS_LAW_BILATERAL_CONE ||
         law == DLS_LAW_BILATERAL_SLIDING || law == DLS_LAW_BILATERAL_BOUNDED;
}

// ---- steps --------------------------------------------------------------------------------------

dls_status dls_contacts_step(const dls_contacts *c, const dls_matrix_view *M, const double *f,
                             const double *w, dls_incremental *out, dls_message *message)
{
  const int dimension = c->count > 0 ? c->first[1] : 3;
  bool cones = true, slides = false, bounded = false;
  for (int k = 0; k < c->count; k++) {
    if (c->first[k + 1] - c->first[k] != dimension || dimension < 2)
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "contact %d has another number of rows than the first, or one alone", k);
    cones = cones && c->law[k] == DLS_LAW_CONE;
    bounded = bounded || dls_law_is_bounded((dls_law)c->law[k]);
    slides = slides || c->law[k] == DLS_LAW_SLIDING || c->law[k] == DLS_LAW_BILATERAL_SLIDING;
  }
  if (slides)
    return dls_fail(message, DLS_ERR_ARGUMENT, "directions of sliding are those of accelerations");
  *out = (dls_incremental){.dimension = dimension,
                           .contacts = c->count,
                           .mu = c->mu,
                           .global = true,
                           .dof = c->nv,
                           .M = *M,
                           .H = c->J,
                           .f = f,
                           .w = w,
                           .law = cones ? NULL : c->law,
                           .bound = bounded ? c->bound : NULL};
  return DLS_OK;
}
