// Derivatives of measures by x and x', with x'' held: of y' and y'' = J x'' + bias.     eq (mea.3)
#include "body/measure.h"

#include "base/memory.h"

// Six numbers of a slope: velocities of the origin first, as rows have them.
static double power(const double *w, const dls_twist *t)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += w[i] * t->shift[i] + w[3 + i] * t->turn[i];
  return sum;
}

static dls_status slope_row(dls_measure_set *all, int k)
{
  const dls_reading *r = all->reading + k;
  const dls_pair *pair = all->pair + r->pair;
  const dls_pair_state *at = all->state + r->pair;
  dls_row_slope *s = all->row_slope + k;
  const dls_status status = dls_row_differentiate(r->row, &at->motion[0], &at->motion[1], s);
  for (int i = 0; i < pair->count; i++) {
    const int side = all->side[pair->first + i], first = 6 * side;
    const dls_motion_slope *m = all->slope + 2 * ((ptrdiff_t)pair->first + i) + side;
    const double *W = r->W.wrench + first;
    all->reading_rate[r->place + i] = power(s->rate_pose + first, &m->x) + power(W, &m->rate_x);
    all->reading_by_x[r->place + i] = power(s->bias_pose + first, &m->x) +
                                      power(s->bias_velocity + first, &m->rate_x) +
                                      power(W, &m->acceleration_x);
    all->reading_by_v[r->place + i] =
        power(s->bias_velocity + first, &m->x) + power(W, &m->acceleration_v);
  }
  return status;
}

int dls_measure_curve(const dls_measure_set *all, int measure, double out[2])
{
  const dls_measure *m = all->measure + measure;
  out[0] = out[1] = 0;
  if (!m->curved || m->terms < 2) return -1;
  const double *c = m->polynomial;
  const double z = all->reading[all->term[m->first_term + 1].reading].value.x - m->reference[1];
  out[0] = 2 * c[2] + z * (6 * c[3] + z * 12 * c[4]);
  out[1] = 6 * c[3] + z * 24 * c[4];
  return m->first_term + 1;
}

// What a polynomial adds: of -p' z' and -p' z'' - p'' z'^2 where p' and p'' change.
static void add_curve(dls_measure_set *all, int k)
{
  const dls_measure *m = all->measure + k;
  double p[2];
  const int t = dls_measure_curve(all, k, p);
  if (t < 0) return;
  const dls_measure_term *term = all->term + t;
  const dls_reading *z = all->reading + term->reading;
  const int count = z->pair < 0 ? 1 : all->pair[z->pair].count;
  const double rate = z->rate.x, bend = z->bias.x;
  for (int i = 0; i < count; i++) {
    const int to = m->first + all->place[term->place + i];
    const double J = all->reading_gradient[z->place + i].x;
    all->rate_by_x[to] -= p[0] * rate * J;
    all->by_x[to] -=
        (p[0] * bend + p[1] * rate * rate) * J + 2 * p[0] * rate * all->reading_rate[z->place + i];
    all->by_v[to] -= 2 * p[0] * rate * J;
  }
}

static void slope_measure(dls_measure_set *all, int k)
{
  const dls_measure *m = all->measure + k;
  dls_clear(all->rate_by_x + m->first, m->count);
  dls_clear(all->by_x + m->first, m->count);
  dls_clear(all->by_v + m->first, m->count);
  for (int t = m->first_term; t < m->first_term + m->terms; t++) {
    const dls_measure_term *term = all->term + t;
    const dls_reading *r = all->reading + term->reading;
    const double gear = all->gear[t].x;
    for (int i = 0; r->pair >= 0 && i < all->pair[r->pair].count; i++) {
      const int to = m->first + all->place[term->place + i];
      all->rate_by_x[to] += gear * all->reading_rate[r->place + i];
      all->by_x[to] += gear * all->reading_by_x[r->place + i];
      all->by_v[to] += gear * all->reading_by_v[r->place + i];
    }
  }
  if (m->curved) add_curve(all, k);
}

dls_status dls_measures_slope(dls_measure_set *all)
{
  dls_status status = DLS_OK;
  for (int p = 0; p < all->pairs; p++) {
    const dls_pair *pair = all->pair + p;
    dls_pair_slopes(all->tree, pair, all->state + p, all->pair_velocity + pair->first,
                    all->side + pair->first, all->slope + 2 * (ptrdiff_t)pair->first);
  }
  for (int k = 0; k < all->readings && status == DLS_OK; k++)
    if (all->reading[k].pair >= 0) status = slope_row(all, k);
  for (int k = 0; k < all->measures && status == DLS_OK; k++) slope_measure(all, k);
  return status;
}
