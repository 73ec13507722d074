// The common normal of two features of which at least one is curved: the largest g(n) over the
// sphere, or over the circle at right angles to a line, among the normals that look out of both
// solids. From the best of some directions by Newton's method, held back where g would fall. Where
// the features are apart g has one maximum only.                                       eq (gap.4)
#include "shape/place.h"

#include "base/memory.h"
#include "linalg/vector3.h"

#include <math.h>

enum {
  STEPS = 60,     // of Newton's method; four or five are usual
  HALVINGS = 30,  // of a step
  STARTS = 4,     // of the directions below, and more until there is a maximum
  AROUND = 32     // directions around a line
};

// A normal may look into the solid by so much; rounding and overlap turn it a little.
static const double looks_out = -0.05;

static const double turn = 6.283185307179586;

typedef struct search {
  const dls_feature_place *a, *b;
  double offset[3];  // from the centre of B's feature to that of A's
  double size;       // of what is subtracted: rounding errors are relative to it
  int unknowns;
} search;

// w(n) and g(n) = n.w.
static bool separation(const search *s, const double n[3], double w[3], double *g)
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  double x[3], y[3];
  if (!dls_feature_far(s->a, back, x) || !dls_feature_far(s->b, n, y)) return false;
  for (int i = 0; i < 3; i++) w[i] = x[i] - y[i];
  *g = dls_dot3(n, w);
  return isfinite(*g);
}

static void normalize(double n[3])
{
  const double size = sqrt(dls_dot3(n, n));
  for (int i = 0; i < 3; i++) n[i] /= size;
}

// Any two tangents, or the one at right angles to the line.
static void tangents(const search *s, const double n[3], double t[2][3])
{
  const dls_feature_place *line = s->a->kind == DLS_FEATURE_LINE ? s->a : s->b;
  if (s->unknowns == 1) {
    dls_cross(line->axis, n, t[0]), normalize(t[0]);
    return;
  }
  const int k = fabs(n[0]) < 0.7 ? 0 : 1;
  double e[3] = {0};
  e[k] = 1;
  dls_cross(n, e, t[0]), normalize(t[0]);
  dls_cross(n, t[0], t[1]);
}

// P on the tangents.
static bool curvature(const search *s, const double n[3], double t[2][3], double g, double P[2][2])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  double A[3][3], B[3][3];
  if (!dls_feature_curvature(s->a, back, A) || !dls_feature_curvature(s->b, n, B)) return false;
  // a line has its radius in K but not in w
  const double lines = (s->a->kind == DLS_FEATURE_LINE ? s->a->radius : 0) +
                       (s->b->kind == DLS_FEATURE_LINE ? s->b->radius : 0);
  for (int i = 0; i < s->unknowns; i++)
    for (int j = 0; j < s->unknowns; j++) {
      double sum = i == j ? g - lines : 0;
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) sum += t[i][k] * (A[k][l] + B[k][l]) * t[j][l];
      P[i][j] = sum;
    }
  if (s->unknowns == 1) P[0][1] = P[1][0] = 0, P[1][1] = 1;
  return isfinite(P[0][0] + P[1][1] + P[0][1]);
}

static double least_eigenvalue(double P[2][2], int unknowns)
{
  if (unknowns == 1) return P[0][0];
  const double half = (P[0][0] - P[1][1]) / 2;
  return (P[0][0] + P[1][1]) / 2 - hypot(half, (P[0][1] + P[1][0]) / 2);
}

static bool inverse(double P[2][2], double out[2][2])
{
  const double det = P[0][0] * P[1][1] - P[0][1] * P[1][0];
  out[0][0] = P[1][1] / det, out[1][1] = P[0][0] / det;
  out[0][1] = -P[0][1] / det, out[1][0] = -P[1][0] / det;
  return isfinite(out[0][0] + out[1][1] + out[0][1]);
}

static void turn_by(const double n[3], double t[2][3], int unknowns, const double u[2],
                    double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = n[i] + u[0] * t[0][i] + (unknowns > 1 ? u[1] * t[1][i] : 0);
  normalize(out);
}

static void slope(const search *s, double t[2][3], const double w[3], double F[2])
{
  F[0] = dls_dot3(t[0], w), F[1] = s->unknowns > 1 ? dls_dot3(t[1], w) : 0;
}

// One step uphill from n: 1 made, 0 at the top, -1 nowhere to go.
static int climb(const search *s, double n[3], double *g)
{
  double w[3], t[2][3], F[2], P[2][2], I[2][2], u[2];
  tangents(s, n, t);
  if (!separation(s, n, w, g) || !curvature(s, n, t, *g, P)) return -1;
  slope(s, t, w, F);
  const double size = hypot(F[0], F[1]), noise = 4e-16 * s->size;
  if (size <= noise) return 0;
  const double least = least_eigenvalue(P, s->unknowns);
  const double big = fabs(P[0][0]) + (s->unknowns > 1 ? fabs(P[1][1]) : 0);
  const bool hill = least > 1e-9 * big;
  if (!hill) P[0][0] += 0.1 * big - least, P[1][1] += 0.1 * big - least;
  if (!inverse(P, I)) return -1;
  for (int i = 0; i < 2; i++) u[i] = I[i][0] * F[0] + I[i][1] * F[1];
  const double length = hypot(u[0], u[1]);
  const double longest = length > 0.5 ? 0.5 / length : 1;
  for (int k = 0; k < HALVINGS; k++) {
    const double part = ldexp(longest, -k);
    const double step[2] = {part * u[0], part * u[1]};
    double next[3], w2[3], t2[2][3], F2[2], g2;
    turn_by(n, t, s->unknowns, step, next);
    if (!separation(s, next, w2, &g2)) continue;
    tangents(s, next, t2), slope(s, t2, w2, F2);
    const double rise = 1e-4 * part * (u[0] * F[0] + u[1] * F[1]);
    const bool higher = g2 >= *g + rise;
    const bool flatter = hypot(F2[0], F2[1]) <= 0.5 * size && g2 >= *g - noise;
    if (!higher && !flatter) continue;
    dls_copy(n, next, 3), *g = g2;
    return 1;
  }
  return size <= 1e-9 * s->size ? 0 : -1;
}

static bool outward(const search *s, const double n[3])
{
  const double *a = s->a->out, *b = s->b->out;
  return -dls_dot3(n, a) >= looks_out * sqrt(dls_dot3(a, a)) &&
         dls_dot3(n, b) >= looks_out * sqrt(dls_dot3(b, b));
}

// To the top near n; false when there is none that looks out.
static bool summit(const search *s, double n[3], double *g)
{
  int moved = 1;
  for (int k = 0; k < STEPS && moved > 0; k++) moved = climb(s, n, g);
  double t[2][3], P[2][2];
  tangents(s, n, t);
  return moved == 0 && outward(s, n) && curvature(s, n, t, *g, P) &&
         least_eigenvalue(P, s->unknowns) > 0;
}

// ---- where to begin -----------------------------------------------------------------------------

// Directions to begin with: along the centres, and all around.
static int directions(const search *s, double n[][3])
{
  int count = 0;
  if (s->unknowns == 1) {
    const dls_feature_place *line = s->a->kind == DLS_FEATURE_LINE ? s->a : s->b;
    double e[3] = {0}, t[2][3];
    e[fabs(line->axis[0]) < 0.7 ? 0 : 1] = 1;
    dls_cross(line->axis, e, t[0]), normalize(t[0]);
    dls_cross(line->axis, t[0], t[1]);
    for (; count < AROUND; count++)
      for (int i = 0; i < 3; i++)
        n[count][i] = cos(turn / AROUND * count) * t[0][i] + sin(turn / AROUND * count) * t[1][i];
    return count;
  }
  if (dls_dot3(s->offset, s->offset) > 0) dls_copy(n[count], s->offset, 3), normalize(n[count++]);
  for (int k = 0; k < 27; k++) {
    if (k == 13) continue;
    // a little off the axes, where rims have no normal
    const int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1;
    n[count][0] = x + 0.013, n[count][1] = y - 0.017, n[count][2] = z + 0.019;
    normalize(n[count++]);
  }
  return count;
}

// The best g among those not yet taken.
static int best_of(double *g, int count)
{
  int best = -1;
  for (int k = 0; k < count; k++)
    if (isfinite(g[k]) && (best < 0 || g[k] > g[best])) best = k;
  return best;
}

static bool highest(const search *s, double n[3])
{
  double start[AROUND][3], g[AROUND], w[3], best = -INFINITY;
  const int count = directions(s, start);
  for (int k = 0; k < count; k++)
    if (!outward(s, start[k]) || !separation(s, start[k], w, &g[k])) g[k] = -INFINITY;
  bool found = false;
  for (int tries = 0; tries < STARTS || !found; tries++) {
    const int k = best_of(g, count);
    if (k < 0) break;
    g[k] = -INFINITY;
    double top;
    if (!summit(s, start[k], &top) || !(top > best)) continue;
    best = top, found = true;
    dls_copy(n, start[k], 3);
    if (best > 0) break;  // there is no other
  }
  return found;
}

bool dls_common_normal_needed(dls_feature_kind a, dls_feature_kind b)
{
  if (a == DLS_FEATURE_FACE || b == DLS_FEATURE_FACE) return false;
  if (a == DLS_FEATURE_SURFACE || b == DLS_FEATURE_SURFACE) return true;
  if (a == DLS_FEATURE_RIM) return b == DLS_FEATURE_RIM || b == DLS_FEATURE_LINE;
  return b == DLS_FEATURE_RIM && a == DLS_FEATURE_LINE;
}

bool dls_common_normal_find(const dls_feature_place *a, const dls_feature_place *b,
                            dls_common_normal *normal)
{
  search s = {.a = a, .b = b, .unknowns = 2};
  if (a->kind == DLS_FEATURE_LINE || b->kind == DLS_FEATURE_LINE) s.unknowns = 1;
  for (int i = 0; i < 3; i++) {
    s.offset[i] = a->at[i] - b->at[i];
    s.size = fmax(s.size, fabs(a->at[i]) + fabs(b->at[i]));
  }
  for (int k = 0; k < 2; k++) {
    const dls_feature_place *p = k == 0 ? a : b;
    s.size = fmax(s.size, p->radius);
    for (int i = 0; i < 3; i++) s.size = fmax(s.size, sqrt(dls_dot3(p->semi[i], p->semi[i])));
  }
  *normal = (dls_common_normal){.unknowns = s.unknowns};
  if (!highest(&s, normal->n)) return false;
  double w[3], g, P[2][2];
  tangents(&s, normal->n, normal->t);
  return separation(&s, normal->n, w, &g) && curvature(&s, normal->n, normal->t, g, P) &&
         inverse(P, normal->inverse);
}
