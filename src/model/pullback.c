#include "model/pullback.h"

#include "model/mechanics.h"
#include "base/message.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// One product of a sum: out[to] += J[a] J[b] in[from]; b is -1 where there is one factor.
typedef struct product {
  int to, from, a, b;
} product;

typedef struct products {
  product *item;
  int count;
  ptrdiff_t capacity;
} products;

// A pattern in the making: places (column, row).
typedef struct place {
  int column, row;
} place;

typedef struct places {
  place *item;
  int count;
  ptrdiff_t capacity;
} places;

typedef struct matrix {
  dls_pattern pattern;
  int *p, *i;
  products products;
  int *copy;  // where entry k of the inner system's goes
} matrix;

struct dls_pullback {
  dls_instance *instance;
  const dls_system *inner;
  dls_body_markers *markers;
  dls_system text;  // sizes and patterns of the text alone, in z
  dls_values *value, *bound;
  dls_values *inner_value, *inner_bound;
  int inner_m, inner_tangents;
  int n;
  matrix M, G, H;
  dls_contact_info *info;
  int m, tangents;
  int *of, *slip_of;        // contacts and slips: 2 * number + (1: of the text)
  int *text_contact;        // contacts: of the text, -1
  int *first_text_tangent;  // m of the text
  int *first_inner_tangent;
};

// ---- patterns -----------------------------------------------------------------------------------

static bool add_place(places *list, int column, int row)
{
  void *items = list->item;
  if (dls_grow(&items, &list->capacity, (ptrdiff_t)list->count + 1, sizeof *list->item))
    return false;
  list->item = items;
  list->item[list->count++] = (place){column, row};
  return true;
}

static bool add_product(products *list, product p)
{
  void *items = list->item;
  if (dls_grow(&items, &list->capacity, (ptrdiff_t)list->count + 1, sizeof *list->item))
    return false;
  list->item = items;
  list->item[list->count++] = p;
  return true;
}

static int compare_places(const void *left, const void *right)
{
  const place *a = left, *b = right;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

static void clear_matrix(matrix *x)
{
  free(x->p);
  free(x->i);
  free(x->copy);
  free(x->products.item);
  *x = (matrix){0};
}

// The pattern of these places.
static bool make_pattern(matrix *x, places *list, int rows, int columns)
{
  if (list->count > 0) qsort(list->item, (size_t)list->count, sizeof *list->item, compare_places);
  x->p = dls_alloc((ptrdiff_t)columns + 1, sizeof *x->p);
  x->i = dls_alloc((ptrdiff_t)list->count + 1, sizeof *x->i);
  if (!x->p || !x->i) return false;
  int used = 0, at = 0;
  for (int j = 0; j < columns; j++) {
    for (; at < list->count && list->item[at].column == j; at++)
      if (used == x->p[j] || x->i[used - 1] != list->item[at].row)
        x->i[used++] = list->item[at].row;
    x->p[j + 1] = used;
  }
  x->pattern = (dls_pattern){rows, columns, x->p, x->i};
  return true;
}

static int find(const dls_pattern *x, int column, int row)
{
  int low = x->p[column], high = x->p[column + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (x->i[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool place_mass(dls_pullback *p, places *list)
{
  const dls_body_markers *k = p->markers;
  const dls_pattern *inner = &p->inner->mass, *text = &p->text.mass;
  bool good = true;
  for (int j = 0; j < inner->cols && good; j++)
    for (int e = inner->p[j]; e < inner->p[j + 1] && good; e++)
      good = add_place(list, j, inner->i[e]);
  for (int j = 0; j < text->cols; j++)
    for (int e = text->p[j]; e < text->p[j + 1]; e++)
      for (int a = k->first[text->i[e]]; a < k->first[text->i[e] + 1]; a++)
        for (int b = k->first[j]; b < k->first[j + 1] && good; b++)
          good = add_place(list, k->index[b], k->index[a]);
  for (int i = 0; i < p->n && good; i++) good = add_place(list, i, i);
  return good;
}

static bool build_mass(dls_pullback *p)
{
  const dls_body_markers *k = p->markers;
  const dls_pattern *inner = &p->inner->mass, *text = &p->text.mass;
  places list = {0};
  bool good = place_mass(p, &list) && make_pattern(&p->M, &list, p->n, p->n);
  free(list.item);
  p->M.copy = good ? dls_alloc((ptrdiff_t)inner->p[inner->cols] + 1, sizeof(int)) : NULL;
  if (!p->M.copy) return false;
  const dls_pattern *whole = &p->M.pattern;
  for (int j = 0; j < inner->cols; j++)
    for (int e = inner->p[j]; e < inner->p[j + 1]; e++) p->M.copy[e] = find(whole, j, inner->i[e]);
  for (int j = 0; j < text->cols; j++)
    for (int e = text->p[j]; e < text->p[j + 1]; e++)
      for (int a = k->first[text->i[e]]; a < k->first[text->i[e] + 1]; a++)
        for (int b = k->first[j]; b < k->first[j + 1] && good; b++)
          good = add_product(&p->M.products,
                             (product){find(whole, k->index[b], k->index[a]), e, a, b});
  return good;
}

// Columns of G or H: `of` says where each comes from.
static bool build_columns(dls_pullback *p, matrix *x, const dls_pattern *inner,
                          const dls_pattern *text, const int *of, int columns)
{
  const dls_body_markers *k = p->markers;
  places list = {0};
  bool good = true;
  for (int c = 0; c < columns; c++) {
    const dls_pattern *from = of[c] % 2 ? text : inner;
    const int j = of[c] / 2;
    for (int e = from->p[j]; e < from->p[j + 1]; e++) {
      if (from == inner) {
        good = good && add_place(&list, c, from->i[e]);
        continue;
      }
      for (int a = k->first[from->i[e]]; a < k->first[from->i[e] + 1]; a++)
        good = good && add_place(&list, c, k->index[a]);
    }
  }
  good = good && make_pattern(x, &list, p->n, columns);
  free(list.item);
  x->copy = good ? dls_alloc((ptrdiff_t)inner->p[inner->cols] + 1, sizeof(int)) : NULL;
  if (!x->copy) return false;
  for (int c = 0; c < columns; c++) {
    const dls_pattern *from = of[c] % 2 ? text : inner;
    const int j = of[c] / 2;
    for (int e = from->p[j]; e < from->p[j + 1]; e++) {
      if (from == inner) {
        x->copy[e] = find(&x->pattern, c, from->i[e]);
        continue;
      }
      for (int a = k->first[from->i[e]]; good && a < k->first[from->i[e] + 1]; a++)
        good = add_product(&x->products, (product){find(&x->pattern, c, k->index[a]), e, a, -1});
    }
  }
  return good;
}

// ---- life ---------------------------------------------------------------------------------------

static void clear_contacts(dls_pullback *p)
{
  clear_matrix(&p->G);
  clear_matrix(&p->H);
  dls_values_free(p->inner_value);
  dls_values_free(p->inner_bound);
  p->inner_value = p->inner_bound = NULL;
  free(p->info);
  free(p->of);
  p->info = NULL, p->of = NULL;
}

void dls_pullback_free(dls_pullback *p)
{
  if (!p) return;
  clear_contacts(p);
  clear_matrix(&p->M);
  dls_values_free(p->value);
  dls_values_free(p->bound);
  free(p->first_text_tangent);
  free(p);
}

dls_status dls_pullback_create(dls_instance *instance, const dls_system *inner,
                               dls_body_markers *markers, dls_pullback **out)
{
  *out = NULL;
  dls_pullback *p = dls_alloc(1, sizeof *p);
  if (!p) return DLS_ERR_MEMORY;
  p->instance = instance, p->inner = inner, p->markers = markers;
  p->n = inner->n + markers->own;
  dls_mechanics_describe(instance->equations->mechanics, &p->text);
  dls_status status = dls_values_create(&p->text, &p->value);
  if (status == DLS_OK) status = dls_values_create(&p->text, &p->bound);
  p->first_text_tangent = dls_alloc((ptrdiff_t)p->text.m + 1, sizeof *p->first_text_tangent);
  if (status == DLS_OK && !p->first_text_tangent) status = DLS_ERR_MEMORY;
  for (int j = 0; j < p->text.m && status == DLS_OK; j++)
    p->first_text_tangent[j + 1] = p->first_text_tangent[j] + p->text.contacts[j].tangents;
  if (status == DLS_OK && !build_mass(p)) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) *out = p;
  else dls_pullback_free(p);
  return status;
}

// ---- contacts -----------------------------------------------------------------------------------

static void take(dls_pullback *p, const dls_contact_info *from, int number, int first_tangent,
                 int text)
{
  p->info[p->m] = *from;
  p->text_contact[p->m] = text ? number : -1;
  p->of[p->m++] = 2 * number + text;
  for (int d = 0; d < from->tangents; d++)
    p->slip_of[p->tangents++] = 2 * (first_tangent + d) + text;
}

static void take_inner(dls_pullback *p, dls_contact_kind kind)
{
  int tangent = 0;
  for (int j = 0; j < p->inner->m; j++) {
    const dls_contact_info *info = &p->inner->contacts[j];
    if (info->kind == kind) take(p, info, j, tangent, 0);
    tangent += info->tangents;
  }
}

dls_status dls_pullback_select(dls_pullback *p, int count, const int *contact, dls_system *system)
{
  const ptrdiff_t most = (ptrdiff_t)p->inner->m + p->text.m + 1;
  const ptrdiff_t slips = (ptrdiff_t)p->inner->tangents + p->text.tangents + 1;
  clear_contacts(p);
  p->m = p->tangents = 0;
  p->info = dls_alloc(most, sizeof *p->info);
  p->of = dls_alloc(2 * most + slips, sizeof *p->of);
  if (!p->info || !p->of) return DLS_ERR_MEMORY;
  p->text_contact = p->of + most, p->slip_of = p->text_contact + most;
  take_inner(p, DLS_BILATERAL);
  for (int j = 0; j < p->text.m; j++)
    if (p->text.contacts[j].kind == DLS_BILATERAL)
      take(p, &p->text.contacts[j], j, p->first_text_tangent[j], 1);
  take_inner(p, DLS_UNILATERAL);
  for (int k = 0; k < count; k++)
    take(p, &p->text.contacts[contact[k]], contact[k], p->first_text_tangent[contact[k]], 1);
  dls_status status = dls_values_create(p->inner, &p->inner_value);
  if (status == DLS_OK) status = dls_values_create(p->inner, &p->inner_bound);
  if (status != DLS_OK) return status;
  if (!build_columns(p, &p->G, &p->inner->normal, &p->text.normal, p->of, p->m) ||
      !build_columns(p, &p->H, &p->inner->tangent, &p->text.tangent, p->slip_of, p->tangents))
    return DLS_ERR_MEMORY;
  system->m = p->m, system->tangents = p->tangents, system->contacts = p->info;
  system->mass = p->M.pattern, system->normal = p->G.pattern, system->tangent = p->H.pattern;
  return DLS_OK;
}

void dls_pullback_name(dls_pullback *p, uint64_t first)
{
  for (int c = 0; c < p->m; c++)
    if (p->text_contact[c] >= 0 && p->info[c].kind == DLS_UNILATERAL)
      p->info[c].id = first + (uint64_t)p->text_contact[c];
}

const int *dls_pullback_contacts(const dls_pullback *p)
{
  return p->text_contact;
}

// ---- values -------------------------------------------------------------------------------------

// A number with a bound of its error.
typedef struct bounded {
  double x, e;
} bounded;

static bounded times(bounded a, bounded b)
{
  const double x = a.x * b.x;
  return (bounded){x, fabs(a.x) * b.e + a.e * (fabs(b.x) + b.e) + DBL_EPSILON * fabs(x)};
}

static void add(double *sum, double *error, int at, bounded b)
{
  sum[at] += b.x;
  if (error) error[at] += b.e + DBL_EPSILON * (fabs(sum[at]) + fabs(b.x));
}

static bounded entry(const double *x, const double *e, int at)
{
  return (bounded){x[at], e ? e[at] : 0};
}

static void multiply(const dls_pullback *p, const products *list, const double *in,
                     const double *in_error, double *out, double *out_error)
{
  const dls_body_markers *k = p->markers;
  const double *J_error = out_error ? k->J_error : NULL;
  for (int i = 0; i < list->count; i++) {
    const product *o = &list->item[i];
    bounded b = times(entry(k->J, J_error, o->a), entry(in, in_error, o->from));
    if (o->b >= 0) b = times(b, entry(k->J, J_error, o->b));
    add(out, out_error, o->to, b);
  }
}

static void fill(const dls_pullback *p, const matrix *x, const dls_pattern *inner,
                 const double *own, const double *in, double *out, const double *own_error,
                 const double *in_error, double *out_error)
{
  const ptrdiff_t size = x->p[x->pattern.cols];
  dls_clear(out, size);
  if (out_error) dls_clear(out_error, size);
  for (int e = 0; e < inner->p[inner->cols]; e++) {
    out[x->copy[e]] = own[e];
    if (out_error) out_error[x->copy[e]] = own_error[e];
  }
  multiply(p, &x->products, in, in_error, out, out_error);
}

// F = F_b + J^T (F_z + M_z c)
static void fill_force(const dls_pullback *p, const dls_values *v, const dls_values *e)
{
  const dls_body_markers *k = p->markers;
  const dls_pattern *M = &p->text.mass;
  const double *J_error = e ? k->J_error : NULL, *c_error = e ? k->c_error : NULL;
  for (int i = 0; i < p->n; i++) {
    v->F[i] = i < p->inner->n ? p->inner_value->F[i] : 0;
    if (e) e->F[i] = i < p->inner->n ? p->inner_bound->F[i] : 0;
  }
  for (int j = 0; j < M->cols; j++) {
    // M_z is symmetric: its column is its row
    double f = p->value->F[j], f_error = e ? p->bound->F[j] : 0;
    for (int a = M->p[j]; a < M->p[j + 1]; a++)
      add(&f, e ? &f_error : NULL, 0,
          times(entry(p->value->M, e ? p->bound->M : NULL, a), entry(k->c, c_error, M->i[a])));
    for (int a = k->first[j]; a < k->first[j + 1]; a++)
      add(v->F, e ? e->F : NULL, k->index[a],
          times(entry(k->J, J_error, a), (bounded){f, f_error}));
  }
}

// b = b_z + G_z^T c of column j.
static double bias_of(const dls_pullback *p, const dls_pattern *G, const double *g,
                      const double *g_error, int j, double b, double *error)
{
  const dls_body_markers *k = p->markers;
  for (int a = G->p[j]; a < G->p[j + 1]; a++)
    add(&b, error, 0, times(entry(g, g_error, a), entry(k->c, error ? k->c_error : NULL, G->i[a])));
  return b;
}

static void fill_contacts(const dls_pullback *p, const dls_values *v, const dls_values *e)
{
  for (int c = 0; c < p->m; c++) {
    const int j = p->of[c] / 2;
    const bool text = p->of[c] % 2;
    const dls_values *pairs[2][2] = {{v, text ? p->value : p->inner_value},
                                     {e, text ? p->bound : p->inner_bound}};
    for (int k = 0; k < (e ? 2 : 1); k++) {
      const dls_values *to = pairs[k][0], *from = pairs[k][1];
      to->h[c] = from->h[j], to->h_dot[c] = from->h_dot[j], to->b_n[c] = from->b_n[j];
      to->friction[c] = from->friction[j], to->restitution[c] = from->restitution[j];
      to->friction_force[c] = from->friction_force[j];
      to->static_friction[c] = from->static_friction[j];
    }
    if (text)
      v->b_n[c] = bias_of(p, &p->text.normal, p->value->G, e ? p->bound->G : NULL, j, v->b_n[c],
                          e ? &e->b_n[c] : NULL);
  }
  for (int c = 0; c < p->tangents; c++) {
    const int j = p->slip_of[c] / 2;
    const bool text = p->slip_of[c] % 2;
    const dls_values *from = text ? p->value : p->inner_value;
    const dls_values *error = text ? p->bound : p->inner_bound;
    v->slip[c] = from->slip[j], v->b_t[c] = from->b_t[j];
    if (e) e->slip[c] = error->slip[j], e->b_t[c] = error->b_t[j];
    if (text)
      v->b_t[c] = bias_of(p, &p->text.tangent, p->value->H, e ? p->bound->H : NULL, j, v->b_t[c],
                          e ? &e->b_t[c] : NULL);
  }
}

dls_status dls_pullback_evaluate(dls_pullback *p, double t, const double *x, const double *x_dot,
                                 const dls_values *v, const dls_values *e, dls_message *message)
{
  dls_body_markers *k = p->markers;
  const dls_system *inner = p->inner;
  dls_status status =
      inner->evaluate(inner->self, t, x, x_dot, p->inner_value, e ? p->inner_bound : NULL, message);
  if (status == DLS_OK) status = dls_body_markers_evaluate(k, x, x_dot, e != NULL);
  if (status != DLS_OK) return status;
  status = dls_instance_choose_branches(p->instance, t, k->z, k->z_dot, message);
  if (status != DLS_OK) return status;
  dls_mechanics_set_errors(p->instance->work, k->own, k->z_error, k->z_dot_error);
  status = dls_mechanics_evaluate(p->instance->work, t, k->z, k->z_dot, p->value,
                                  e ? p->bound : NULL, message);
  if (status != DLS_OK) return status;
  const dls_values *value = p->value, *bound = p->bound;
  fill(p, &p->M, &inner->mass, p->inner_value->M, value->M, v->M, p->inner_bound->M, bound->M,
       e ? e->M : NULL);
  fill(p, &p->G, &inner->normal, p->inner_value->G, value->G, v->G, p->inner_bound->G, bound->G,
       e ? e->G : NULL);
  fill(p, &p->H, &inner->tangent, p->inner_value->H, value->H, v->H, p->inner_bound->H, bound->H,
       e ? e->H : NULL);
  fill_force(p, v, e);
  fill_contacts(p, v, e);
  return DLS_OK;
}
