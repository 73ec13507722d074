#include "body/measure.h"

#include "base/memory.h"

#include <stdlib.h>

// ---- adding -------------------------------------------------------------------------------------

static bool grow(void **array, ptrdiff_t *room, ptrdiff_t needed, size_t size)
{
  return dls_grow(array, room, needed, size) == 0;
}

int dls_measures_add_pair(dls_measure_set *all, const int body[2])
{
  int common = 0;
  const ptrdiff_t begin = all->pair_velocities,
                  end = begin + dls_pair_velocities(all->tree, body, NULL, NULL, &common);
  if (end > INT32_MAX ||
      !grow((void **)&all->pair, &all->pair_room, (ptrdiff_t)all->pairs + 1, sizeof(dls_pair)) ||
      !grow((void **)&all->pair_velocity, &all->pair_velocity_room, end + 1, sizeof(int)) ||
      !grow((void **)&all->side, &all->side_room, end + 1, 1))
    return -1;
  dls_pair *pair = all->pair + all->pairs;
  *pair = (dls_pair){.body = {body[0], body[1]},
                     .frame = {{.quaternion = {1}}, {.quaternion = {1}}},
                     .first = (int)begin};
  dls_pair_velocities(all->tree, body, all->pair_velocity + begin, all->side + begin,
                      &pair->common);
  pair->count = (int)(end - begin) - pair->common;
  all->pair_velocities = end;
  return all->pairs++;
}

static int add_reading(dls_measure_set *all, dls_reading reading, int gradients)
{
  if (all->reading_gradients + gradients > INT32_MAX ||
      !grow((void **)&all->reading, &all->reading_room, (ptrdiff_t)all->readings + 1,
            sizeof(dls_reading)))
    return -1;
  reading.place = (int)all->reading_gradients;
  all->reading_gradients += gradients;
  all->reading[all->readings] = reading;
  return all->readings++;
}

int dls_measures_add_row(dls_measure_set *all, int pair, dls_joint_row row)
{
  if (pair < 0) return -1;
  return add_reading(all, (dls_reading){.velocity = -1, .pair = pair, .row = row},
                     all->pair[pair].count);
}

int dls_measures_add_coordinate(dls_measure_set *all, int velocity)
{
  return add_reading(all, (dls_reading){.velocity = velocity, .pair = -1}, 1);
}

static const int *velocities_of(const dls_measure_set *all, const dls_reading *reading, int *count)
{
  *count = reading->pair < 0 ? 1 : all->pair[reading->pair].count;
  return reading->pair < 0 ? &reading->velocity
                           : all->pair_velocity + all->pair[reading->pair].first;
}

static int compare_int(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// The union of the terms' velocities, at the end of the list. Returns how many, or -1.
static int gather(dls_measure_set *all, int terms, const int *reading)
{
  ptrdiff_t total = 0;
  for (int t = 0, count; t < terms; t++)
    velocities_of(all, all->reading + reading[t], &count), total += count;
  if (all->velocities + total > INT32_MAX || all->places + total > INT32_MAX ||
      !grow((void **)&all->velocity, &all->velocity_room, all->velocities + total + 1,
            sizeof(int)) ||
      !grow((void **)&all->place, &all->place_room, all->places + total + 1, sizeof(int)))
    return -1;
  int *list = all->velocity + all->velocities, length = 0, kept = 0;
  for (int t = 0, count; t < terms; t++) {
    const int *from = velocities_of(all, all->reading + reading[t], &count);
    for (int i = 0; i < count; i++) list[length++] = from[i];
  }
  qsort(list, (size_t)length, sizeof *list, compare_int);
  for (int i = 0; i < length; i++)
    if (kept == 0 || list[kept - 1] != list[i]) list[kept++] = list[i];
  return kept;
}

int dls_measures_add(dls_measure_set *all, int terms, const int *reading)
{
  for (int t = 0; t < terms; t++)
    if (reading[t] < 0) return -1;
  const int count = gather(all, terms, reading);
  if (count < 0 ||
      !grow((void **)&all->measure, &all->measure_room, (ptrdiff_t)all->measures + 1,
            sizeof(dls_measure)) ||
      !grow((void **)&all->term, &all->term_room, (ptrdiff_t)all->terms + terms,
            sizeof(dls_measure_term)))
    return -1;
  dls_measure *measure = all->measure + all->measures;
  *measure = (dls_measure){
      .first_term = all->terms, .terms = terms, .first = (int)all->velocities, .count = count};
  const int *list = all->velocity + all->velocities;
  for (int t = 0, own; t < terms; t++) {
    all->term[all->terms++] = (dls_measure_term){reading[t], 1, (int)all->places};
    const int *from = velocities_of(all, all->reading + reading[t], &own);
    for (int i = 0, at = 0; i < own; i++) {  // both increase
      while (list[at] != from[i]) at++;
      all->place[all->places++] = at;
    }
  }
  all->velocities += count;
  return all->measures++;
}

bool dls_measures_finish(dls_measure_set *all)
{
  all->state = dls_alloc(all->pairs, sizeof *all->state);
  all->reading_gradient = dls_alloc(all->reading_gradients, sizeof *all->reading_gradient);
  all->gradient = dls_alloc(all->velocities, sizeof *all->gradient);
  all->gear = dls_alloc(all->terms, sizeof *all->gear);
  all->slope = dls_alloc(2 * all->pair_velocities, sizeof *all->slope);
  all->row_slope = dls_alloc(all->readings, sizeof *all->row_slope);
  all->reading_rate = dls_alloc(3 * all->reading_gradients, sizeof(double));
  all->rate_by_x = dls_alloc(3 * all->velocities, sizeof(double));
  if (!all->state || !all->reading_gradient || !all->gradient || !all->gear || !all->slope ||
      !all->row_slope || !all->reading_rate || !all->rate_by_x)
    return false;
  all->reading_by_x = all->reading_rate + all->reading_gradients;
  all->reading_by_v = all->reading_by_x + all->reading_gradients;
  all->by_x = all->rate_by_x + all->velocities, all->by_v = all->by_x + all->velocities;
  return true;
}

void dls_measures_free(dls_measure_set *all)
{
  free(all->pair), free(all->reading), free(all->term), free(all->measure);
  free(all->pair_velocity), free(all->side), free(all->velocity), free(all->place);
  free(all->state), free(all->reading_gradient), free(all->gradient), free(all->gear);
  free(all->slope), free(all->row_slope), free(all->reading_rate), free(all->rate_by_x);
  *all = (dls_measure_set){0};
}

// ---- at a state ---------------------------------------------------------------------------------

static void read_coordinate(dls_measure_set *all, dls_reading *r)
{
  double x, rate, acceleration;
  dls_tree_coordinate(all->tree, r->velocity, &x, &rate, &acceleration);
  r->value = dls_exactly(x), r->rate = dls_exactly(rate), r->bias = dls_exactly(acceleration);
  all->reading_gradient[r->place] = dls_exactly(1);
}

static dls_status read_row(dls_measure_set *all, dls_reading *r, bool bounds)
{
  const dls_pair_state *at = all->state + r->pair;
  const dls_solid_motion_error *error_a = bounds ? &at->error[0] : NULL,
                               *error_b = bounds ? &at->error[1] : NULL;
  const dls_status status = dls_row_evaluate(r->row, &at->motion[0], error_a, &at->motion[1],
                                             error_b, &r->W, &r->W_error);
  r->value = (dls_bounded){r->W.value, r->W_error.value};
  if (r->offset != 0) r->value = dls_plus(r->value, dls_exactly(r->offset));
  r->rate = (dls_bounded){r->W.rate, r->W_error.rate};
  r->bias = (dls_bounded){r->W.bias, r->W_error.bias};
  return status;
}

// The gradients of all rows of a pair: each velocity moves one of its frames.
static void read_gradients(dls_measure_set *all, int p, int first, int end, bool bounds)
{
  const dls_pair *pair = all->pair + p;
  for (int i = 0; i < pair->count; i++) {
    const int side = all->side[pair->first + i];
    const dls_pair_column column = dls_pair_column_of(
        all->tree, pair, all->state + p, all->pair_velocity[pair->first + i], side, bounds);
    for (int k = first; k < end; k++) {
      const dls_reading *r = all->reading + k;
      dls_bounded wrench[6];
      for (int c = 0; c < 6; c++)
        wrench[c] = (dls_bounded){r->W.wrench[6 * side + c], r->W_error.wrench[6 * side + c]};
      all->reading_gradient[r->place + i] = dls_column_power(&column, wrench);
    }
  }
}

// p, p' and p'' at z
static void polynomial(const double *c, dls_bounded z, dls_bounded out[3])
{
  out[0] = dls_exactly(c[4]), out[1] = out[2] = dls_exactly(0);
  for (int k = 3; k >= 0; k--) {
    out[2] = dls_plus(dls_times(out[2], z), dls_scale(2, out[1]));
    out[1] = dls_plus(dls_times(out[1], z), out[0]);
    out[0] = dls_plus(dls_times(out[0], z), dls_exactly(c[k]));
  }
}

static void measure_curved(dls_measure_set *all, dls_measure *m)
{
  const dls_measure_term *term = all->term + m->first_term;
  const dls_reading *y = all->reading + term[0].reading,
                    *z = m->terms > 1 ? all->reading + term[1].reading : NULL;
  dls_bounded p[3], at = dls_exactly(0), rate = dls_exactly(0), bias = dls_exactly(0);
  if (z) at = dls_minus(z->value, dls_exactly(m->reference[1])), rate = z->rate, bias = z->bias;
  polynomial(m->polynomial, at, p);
  m->value = dls_minus(dls_minus(y->value, dls_exactly(m->reference[0])), p[0]);
  m->rate = dls_minus(y->rate, dls_times(p[1], rate));
  m->bias =
      dls_minus(y->bias, dls_plus(dls_times(p[1], bias), dls_times(p[2], dls_times(rate, rate))));
  all->gear[m->first_term] = dls_exactly(1);
  if (z) all->gear[m->first_term + 1] = dls_scale(-1, p[1]);
}

static void measure_sum(dls_measure_set *all, dls_measure *m)
{
  m->value = m->rate = m->bias = dls_exactly(0);
  for (int t = m->first_term; t < m->first_term + m->terms; t++) {
    const dls_reading *r = all->reading + all->term[t].reading;
    const dls_bounded gear = all->gear[t] = dls_exactly(all->term[t].gear);
    m->value = dls_plus(m->value, dls_times(gear, r->value));
    m->rate = dls_plus(m->rate, dls_times(gear, r->rate));
    m->bias = dls_plus(m->bias, dls_times(gear, r->bias));
  }
}

static void measure_gradient(dls_measure_set *all, const dls_measure *m)
{
  dls_bounded *J = all->gradient + m->first;
  for (int i = 0; i < m->count; i++) J[i] = dls_exactly(0);
  for (int t = m->first_term; t < m->first_term + m->terms; t++) {
    const dls_measure_term *term = all->term + t;
    const dls_reading *r = all->reading + term->reading;
    int count;
    velocities_of(all, r, &count);
    for (int i = 0; i < count; i++) {
      dls_bounded *to = J + all->place[term->place + i];
      *to = dls_plus(*to, dls_times(all->gear[t], all->reading_gradient[r->place + i]));
    }
  }
}

dls_status dls_measures_evaluate(dls_measure_set *all, bool bounds)
{
  dls_status status = DLS_OK;
  for (int p = 0; p < all->pairs; p++)
    dls_pair_move(all->tree, all->pair + p, bounds, all->state + p);
  for (int k = 0, end; k < all->readings && status == DLS_OK; k = end) {
    const int pair = all->reading[k].pair;
    for (end = k; end < all->readings && all->reading[end].pair == pair; end++) {
      dls_reading *r = all->reading + end;
      if (pair < 0) read_coordinate(all, r);
      else if (status == DLS_OK) status = read_row(all, r, bounds);
    }
    if (pair >= 0 && status == DLS_OK) read_gradients(all, pair, k, end, bounds);
  }
  for (int k = 0; k < all->measures && all->reading && status == DLS_OK; k++) {
    dls_measure *m = all->measure + k;
    if (m->curved) measure_curved(all, m);
    else measure_sum(all, m);
    measure_gradient(all, m);
  }
  return status;
}
