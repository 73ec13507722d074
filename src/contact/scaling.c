#include "contact/scaling.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/union_find.h"
#include "contact/tolerances.h"
#include "linalg/dense_internal.h"
#include "linalg/power_of_two.h"

#include <math.h>
#include <stdlib.h>

// A massless coordinate has no unit of its own: it takes the one in which its largest entry in a
// gradient of known length becomes 1. Lengths and units spread from the massive coordinates along
// the gradients, and then along slips, which need not be lengths of anything; what is not connected
// to any starts from 1.
typedef struct spread {
  const dls_problem *p;
  const int *group;
  double *D;     // n, 0 where not known yet
  double *unit;  // m_b + m_u: 1 / length of the gradient over known coordinates, 0 if none
  bool slips;    // along these, too
} spread;

static double entry(const dls_problem *p, int i, int j)
{
  const ptrdiff_t n = p->n, row = i;
  return j < p->m_b ? p->G_b[row + n * j] : p->G_u[row + n * (j - p->m_b)];
}

static int find_units(spread *s)
{
  int found = 0;
  for (int j = 0; j < s->p->m_b + s->p->m_u; j++) {
    const bool slip = s->group && s->group[j] != j;
    if (s->unit[j] > 0 || (slip && !s->slips)) continue;
    double largest = 0;
    for (int i = 0; i < s->p->n; i++) {
      const double x = s->D[i] * fabs(entry(s->p, i, j));
      if (x > largest) largest = x;
    }
    if (largest > 0 && isfinite(1 / largest))
      s->unit[j] = dls_nearest_power(1 / largest), found = 1;
  }
  // slips are measured like the gap of their contact
  for (int j = 0; s->group && s->slips && j < s->p->m_b + s->p->m_u; j++)
    for (int k = 0; s->unit[j] == 0 && k < s->p->m_b + s->p->m_u; k++)
      if (s->group[k] == s->group[j] && s->unit[k] > 0) s->unit[j] = s->unit[k], found = 1;
  return found;
}

static int find_massless(spread *s)
{
  int found = 0;
  for (int i = 0; i < s->p->n; i++) {
    if (s->D[i] > 0) continue;
    double largest = 0;
    for (int j = 0; j < s->p->m_b + s->p->m_u; j++) {
      const double x = s->unit[j] * fabs(entry(s->p, i, j));
      if (x > largest) largest = x;
    }
    if (largest > 0 && isfinite(1 / largest)) s->D[i] = dls_nearest_power(1 / largest), found = 1;
  }
  return found;
}

static bool spread_along(spread *s, bool slips)
{
  s->slips = slips;
  return find_units(s) && find_massless(s);
}

// Starts a component without any mass: its first coordinate keeps the user's unit.
static int start_component(spread *s)
{
  for (int i = 0; i < s->p->n; i++) {
    if (s->D[i] > 0) continue;
    s->D[i] = 1;
    return 1;
  }
  return 0;
}

static double column_length(const dls_problem *p, const double *D, const double *column)
{
  double largest = 0, sum = 0;
  for (int i = 0; i < p->n; i++) largest = fmax(largest, fabs(D[i] * column[i]));
  if (largest == 0 || !isfinite(largest)) return 0;
  for (int i = 0; i < p->n; i++) sum += pow(D[i] * column[i] / largest, 2);
  return largest * sqrt(sum);
}

static void normalise(const dls_problem *p, const double *D, const double *G, int m, double *C)
{
  for (int j = 0; j < m; j++) {
    const double length = column_length(p, D, G + (ptrdiff_t)p->n * j);
    C[j] = length > 0 && isfinite(1 / length) ? dls_nearest_power(1 / length) : 1;
  }
}

// 1 or 2, such that the root of x over it has the same bits in all units that are powers of two.
static double unit_of(double x)
{
  int exponent;
  frexp(x, &exponent);
  return exponent % 2 ? 1 : 2;  // x = 1 has the exponent 1
}

// That of the first mass; 0 where there is none.
static double unit_of_mass(const dls_problem *p)
{
  for (ptrdiff_t i = 0; i < p->n; i++) {
    const double mass = p->M[i * ((ptrdiff_t)p->n + 1)];
    if (mass > 0 && isfinite(mass)) return unit_of(mass);
  }
  return 0;
}

static dls_status find_units_of_coordinates(const dls_problem *problem, const int *group,
                                            dls_scaling *out)
{
  const int n = problem->n, m = problem->m_b + problem->m_u;
  spread s = {.p = problem, .group = group, .D = out->D, .unit = dls_alloc(m, sizeof(double))};
  if (!s.unit) return DLS_ERR_MEMORY;
  out->mass = unit_of_mass(problem);
  for (int i = 0; i < n; i++) {
    const double mass = problem->M[i * ((ptrdiff_t)n + 1)];
    out->D[i] = mass > 0 ? dls_nearest_power(1 / sqrt(mass / out->mass)) : 0;
  }
  do {
    while (spread_along(&s, false) || spread_along(&s, true)) {
    }
  } while (start_component(&s));
  free(s.unit);
  normalise(problem, out->D, problem->G_b, problem->m_b, out->C_b);
  normalise(problem, out->D, problem->G_u, problem->m_u, out->C_u);
  return DLS_OK;
}

static int first_entry(const dls_problem *p, int j)
{
  int i = 0;
  while (i < p->n && entry(p, i, j) == 0) i++;
  return i;
}

// The parts of the system that masses and constraints couple, as a forest over the coordinates.
static void find_parts(const dls_problem *p, const int *group, int *parent)
{
  const ptrdiff_t n = p->n;
  for (int i = 0; i < p->n; i++) parent[i] = i;
  for (int j = 0; j < p->n; j++)
    for (int i = 0; i < j; i++)
      if (p->M[i + n * j] != 0) dls_unite(parent, i, j);
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    int first = -1;
    for (int i = 0; i < p->n; i++) {
      if (entry(p, i, j) == 0) continue;
      if (first >= 0) dls_unite(parent, first, i);
      first = i;
    }
  }
  // the members of a group, each with the one before
  for (int j = 1; group && j < p->m_b + p->m_u; j++) {
    int k = j - 1;
    while (k >= 0 && group[k] != group[j]) k--;
    const int a = first_entry(p, j), b = k < 0 ? p->n : first_entry(p, k);
    if (a < p->n && b < p->n) dls_unite(parent, a, b);
  }
}

// The constraint itself, or one of its group that has a gradient; -1 when none has.
static int with_gradient(const dls_problem *p, const int *group, int j)
{
  if (first_entry(p, j) < p->n) return j;
  for (int k = 0; group && k < p->m_b + p->m_u; k++)
    if (group[k] == group[j] && first_entry(p, k) < p->n) return k;
  return -1;
}

// Which part a constraint belongs to; -1 for one without gradient.
static int part_of(const dls_problem *p, const int *group, int *parent, int j)
{
  const int k = with_gradient(p, group, j);
  return k < 0 ? -1 : dls_class_of(parent, first_entry(p, k));
}

static double *unit_of_constraint(const dls_problem *p, const dls_scaling *out, int j)
{
  return j < p->m_b ? &out->C_b[j] : &out->C_u[j - p->m_b];
}

// Without a gradient of its own a constraint is measured like the others of its group.
static void share_units(const dls_problem *p, const int *group, const dls_scaling *out)
{
  for (int j = 0; group && j < p->m_b + p->m_u; j++) {
    const int k = with_gradient(p, group, j);
    if (k >= 0 && k != j) *unit_of_constraint(p, out, j) = *unit_of_constraint(p, out, k);
  }
}

typedef struct part_load {
  double force, acceleration;  // largest of F^ and of b^
  bool massive;
} part_load;

static void measure_parts(const dls_problem *p, const int *group, const dls_scaling *out,
                          int *parent, part_load *load)
{
  for (int i = 0; i < p->n; i++) {
    part_load *part = &load[dls_class_of(parent, i)];
    part->force = fmax(part->force, fabs(out->D[i] * p->F[i]) / (out->mass > 0 ? out->mass : 1));
    part->massive |= p->M[i * ((ptrdiff_t)p->n + 1)] > 0;
  }
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    const int index = part_of(p, group, parent, j);
    if (index < 0) continue;
    part_load *part = &load[index];
    const double b =
        j < p->m_b ? out->C_b[j] * p->b_b[j] : out->C_u[j - p->m_b] * p->b_u[j - p->m_b];
    part->acceleration = fmax(part->acceleration, fabs(b));
  }
}

// Where nothing has mass, forces and accelerations have units of their own: a factor for D brings
// them to the same size. Then one factor brings both to 1.
static void level_part(const part_load *load, double *stretch, double *size)
{
  double force = load->force, acceleration = load->acceleration;
  *stretch = 1;
  if (!load->massive && force > 0 && acceleration > 0) {
    const double ratio = acceleration / force;
    *stretch = dls_nearest_power(ratio > 0 && isfinite(ratio) ? sqrt(ratio)
                                                              : sqrt(acceleration) / sqrt(force));
    force *= *stretch, acceleration /= *stretch;
  }
  const double largest = fmax(force, acceleration);
  *size = largest > 0 && isfinite(largest) ? dls_nearest_power(largest) : 1;
}

// A constraint without gradient is coupled to nothing: only the sign of its b says something, and
// its force, which does nothing, is measured like the others.
static void level_constraint(int part, double b, const double *stretch, const double *size,
                             double *C, double *S)
{
  if (part >= 0) {
    *C /= stretch[part], *S = size[part];
  } else {
    *C = b != 0 ? dls_nearest_power(1 / fabs(b)) : 0, *S = 1;
  }
}

static void level_idle(const dls_problem *p, const dls_scaling *out)
{
  const int m = p->m_b + p->m_u, *part = out->part + p->n;
  double unit = 1;
  for (int j = m - 1; j >= 0; j--)
    if (part[j] >= 0)
      unit = j < p->m_b ? out->C_b[j] * out->S_b[j] : out->C_u[j - p->m_b] * out->S_u[j - p->m_b];
  for (int j = 0; j < m; j++) {
    double *C = unit_of_constraint(p, out, j);
    if (*C == 0) *C = unit;
  }
}

// Without any mass forces have a unit of their own: that of the first part in which they meet
// accelerations.
static void choose_mass(const dls_problem *p, part_load *load, dls_scaling *out)
{
  for (int i = 0; i < p->n && out->mass == 0; i++) {
    const double ratio = load[i].acceleration / load[i].force;
    if (!(ratio > 0) || !isfinite(ratio)) continue;
    out->mass = unit_of(ratio);
    for (int k = 0; k < p->n; k++) load[k].force /= out->mass;
  }
  if (out->mass == 0) out->mass = 1;
}

static dls_status level_loads(const dls_problem *p, const int *group, dls_scaling *out)
{
  const ptrdiff_t n = p->n;
  int *parent = dls_alloc(n, sizeof *parent);
  part_load *load = dls_alloc(n, sizeof *load);
  double *stretch = dls_alloc(2 * n, sizeof *stretch), *size = stretch ? stretch + n : NULL;
  const bool good = parent && load && stretch;
  if (good) {
    find_parts(p, group, parent);
    share_units(p, group, out);
    measure_parts(p, group, out, parent, load);
    choose_mass(p, load, out);
    int *part = out->part;
    for (ptrdiff_t i = 0; i < n; i++) level_part(&load[i], &stretch[i], &size[i]);
    for (int i = 0; i < p->n; i++) {
      *part = dls_class_of(parent, i);
      out->D[i] *= stretch[*part], out->S[i] = size[*part++];
    }
    for (int j = 0; j < p->m_b; j++) {
      *part = part_of(p, group, parent, j);
      level_constraint(*part++, p->b_b[j], stretch, size, &out->C_b[j], &out->S_b[j]);
    }
    for (int j = 0; j < p->m_u; j++) {
      *part = part_of(p, group, parent, p->m_b + j);
      level_constraint(*part++, p->b_u[j], stretch, size, &out->C_u[j], &out->S_u[j]);
    }
    level_idle(p, out);
  }
  free(parent), free(load), free(stretch);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

void dls_scaling_free(dls_scaling *scaling)
{
  free(scaling->D);  // all factors are one block
  free(scaling->part);
  *scaling = (dls_scaling){0};
}

dls_status dls_scaling_create(const dls_problem *problem, dls_scaling *scaling)
{
  return dls_scaling_create_grouped(problem, NULL, scaling);
}

dls_status dls_scaling_create_grouped(const dls_problem *problem, const int *group,
                                      dls_scaling *scaling)
{
  const ptrdiff_t n = problem->n, m_b = problem->m_b, m_u = problem->m_u;
  double *block = dls_alloc(2 * (n + m_b + m_u), sizeof *block);
  int *part = dls_alloc(n + m_b + m_u, sizeof *part);
  *scaling = (dls_scaling){.D = block, .part = part};
  dls_status status = DLS_ERR_MEMORY;
  if (block && part) {
    scaling->S = block + n;
    scaling->C_b = block + 2 * n, scaling->S_b = scaling->C_b + m_b;
    scaling->C_u = scaling->S_b + m_b, scaling->S_u = scaling->C_u + m_u;
    status = find_units_of_coordinates(problem, group, scaling);
  }
  if (status == DLS_OK) status = level_loads(problem, group, scaling);
  if (status != DLS_OK) dls_scaling_free(scaling);
  return status;
}

dls_status dls_problem_validate(const dls_problem *p, dls_message *message)
{
  if (!p) return dls_fail(message, DLS_ERR_ARGUMENT, "no problem given");
  if (p->n < 1 || p->m_b < 0 || p->m_u < 0)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a problem needs at least one coordinate");
  const int limit = 1 << 20;
  if (p->n > limit || p->m_b > limit || p->m_u > limit)
    return dls_fail(message, DLS_ERR_LIMIT, "more than %d coordinates or constraints", limit);
  if (!p->M || !p->F || (p->m_b && (!p->G_b || !p->b_b)) || (p->m_u && (!p->G_u || !p->b_u)))
    return dls_fail(message, DLS_ERR_ARGUMENT, "an array of the problem is missing");

  const ptrdiff_t n = p->n, m_b = p->m_b, m_u = p->m_u;
  const struct {
    const char *name;
    const double *x;
    ptrdiff_t count;
  } arrays[] = {{"M", p->M, n * n},   {"F", p->F, n},           {"G_b", p->G_b, n * m_b},
                {"b_b", p->b_b, m_b}, {"G_u", p->G_u, n * m_u}, {"b_u", p->b_u, m_u}};
  for (ptrdiff_t a = 0; a < dls_count_of(arrays); a++)
    if (arrays[a].count && !dls_finite(arrays[a].count, arrays[a].x))
      return dls_fail(message, DLS_ERR_NUMBER, "%s has an entry that is not a finite number",
                      arrays[a].name);

  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < j; i++) {
      const double a = p->M[i + n * j], b = p->M[j + n * i];
      const double size = sqrt(fabs(p->M[i + n * i])) * sqrt(fabs(p->M[j + n * j]));
      if (fabs(a - b) > symmetry * fmax(fmax(fabs(a), fabs(b)), size))
        return dls_fail(message, DLS_ERR_ARGUMENT,
                        "the mass matrix is not symmetric: entries (%td,%td) %.17g and %.17g",
                        i + 1, j + 1, a, b);
    }
  }
  return DLS_OK;
}
