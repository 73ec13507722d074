// Follows the path of the smoothed problem, smoothing_map.h, from tau = 1 towards tau = 0, where it
// ends at solutions. As long as the path goes down, tau is lowered and Newton's method follows. But
// Coulomb's problem is not monotone, and on hard problems the path turns back (folds) and goes up
// before it goes down again: there it is followed by arc length, predicting along the tangent and
// correcting across it,                                                              eq (pth.5)
//
//   dPhi/dz dz + dPhi/dL dL = -Phi,   <t, (dz, dL)> = 0,   L = log tau,
//
// in the metric |dz_i|^2 / (m f_i^2) summed over contacts, plus dL^2. The sign of the determinant
// times that of dL stays the same along a path: it tells when a step has jumped to another one.
#include "solve/smoothing.h"

#include "base/memory.h"
#include "solve/smoothing_map.h"

#include <math.h>
#include <string.h>

enum { KEPT = 12 };  // points to which the method can go back

// Newton's method on the map of one tau: until |Phi| is below a part of tau, in so many steps, none
// shorter than a part of the whole. At the start, on the way down, and back on the path.
typedef struct newton_rule {
  double goal, shortest;
  int steps;
} newton_rule;
static const newton_rule at_start = {.goal = 0.1, .shortest = 1e-6, .steps = 60};
static const newton_rule on_way = {.goal = 0.1, .shortest = 0.02, .steps = 8};
static const newton_rule on_path = {.goal = 1e-7, .shortest = 1e-3, .steps = 12};
static const double descent = 1e-4;  // part of |Phi| that a step must bring (Armijo)

// Lowering tau: to a part of it, at first and after an arc; to less where Newton's method takes few
// steps, to more where many, and after failures. So many of these, and a part above `arc_ratio`,
// call for an arc.
static const double first_ratio = 0.2, ratio_after_arc = 0.5, arc_ratio = 0.5, least_ratio = 0.01;
static const double most_ratio = 0.7, most_ratio_failed = 0.8, failed_power = 0.4;
static const double last_tau = 1e-13;   // where there is nothing left to be smoothed
static const double beyond_turn = 0.3;  // of tau, to which an arc leads
enum { FEW_STEPS = 3, MANY_STEPS = 6, FAILURES = 2 };

// Arcs: steps h along the tangent, with a |Phi| below a part of tau. A step is good when it takes
// few corrections, which converge at some rate or go far below the goal, and does not turn much.
enum { CORRECTIONS = 5, FEW_CORRECTIONS = 2, SETTLING = 4, SETTLE_AFTER = 2 };
static const double arc_goal = 1e-6, far_below = 1e-3;  // of tau; of that
static const double first_h = 0.2, least_h = 1e-8, most_h = 1000;
static const double trusted_h = 1e-7;  // below it a turn is none of the step's
static const double quick_rate = 0.05, slow_rate = 0.5, diverging = 2;
static const double most_change = 3, most_settling = 0.5;               // of log tau
static const double same_side = 0.5, least_turn = 0.3, straight = 0.9;  // cosines
static const double shortened = 0.4, lengthened = 2, longer = 1.2, shorter = 0.6;

typedef struct place {
  double *z, *centre, L;
} place;

typedef struct path {
  dls_smoothing_map map;
  dls_run *run;
  double *z, L;
  double *trial, *step, *a, *b;  // padded
  double *weight, *next_weight;  // per contact: 1 / (m f^2)
  double *tangent, *next, t, next_t;
  place kept[KEPT];
  int keeping;
  int budget;  // factorizations of the stage
} path;

static dls_status create(dls_run *run, void **self)
{
  path *p = dls_arena_alloc(run->arena, 1, sizeof *p);
  if (!p) return DLS_ERR_MEMORY;
  *self = p;
  p->run = run;
  double **vectors[] = {&p->z,      &p->trial,       &p->step,    &p->a,   &p->b,
                        &p->weight, &p->next_weight, &p->tangent, &p->next};
  bool good = true;
  for (ptrdiff_t k = 0; k < dls_count_of(vectors); k++)
    good = (*vectors[k] = dls_run_vector(run)) && good;
  for (int k = 0; k < KEPT; k++)
    good =
        (p->kept[k].z = dls_run_vector(run)) && (p->kept[k].centre = dls_run_vector(run)) && good;
  dls_status status = good ? dls_smoothing_map_create(run, &p->map) : DLS_ERR_MEMORY;
  return status == DLS_OK ? dls_run_plan(run) : status;
}

static double unit(const path *p)  // of |Phi|, per tau
{
  return sqrt(p->map.contacts > 0 ? p->map.contacts : 1);
}

// A factorization at the last evaluation, counted. False when nothing may go on, or it broke down.
static bool factor(path *p)
{
  if (p->run->over || p->map.factorizations >= p->budget) return false;
  if (!dls_run_next(p->run)) return false;
  return dls_smoothing_map_factor(&p->map);
}

static bool spent(const path *p)
{
  return p->run->over || p->map.factorizations >= p->budget;
}

// ---- lowering tau ------------------------------------------------------------------------------

// Newton's method at (z, L) until |Phi| <= goal tau; z is p->trial. Steps are halved until |Phi|
// falls, not below `shortest`. Returns the steps it took, or -1.
static int newton(path *p, double L, newton_rule rule)
{
  dls_smoothing_map *map = &p->map;
  dls_smoothing_map_evaluate(map, p->trial, L);
  int steps = 0;
  while (map->norm > fmax(rule.goal * map->tau * unit(p), map->floor)) {
    const double before = map->norm;
    if (steps == rule.steps || !factor(p)) return -1;
    dls_copy(p->step, map->Phi, p->run->padded);
    if (!dls_smoothing_map_solve(map, p->step)) return -1;
    steps++;
    double a = 1;
    dls_copy(p->a, p->trial, p->run->padded);
    while (a > rule.shortest) {
      for (int i = 0; i < p->run->padded; i++) p->trial[i] = p->a[i] - a * p->step[i];
      dls_smoothing_map_evaluate(map, p->trial, L);
      if (map->norm <= (1 - descent * a) * before) break;
      a /= 2;
    }
    if (!(a > rule.shortest)) return -1;
    dls_smoothing_map_try(map, p->trial);
    if (p->run->best <= p->run->goal) return steps;
  }
  return steps;
}

static void keep(path *p)
{
  if (p->keeping == KEPT) {  // the oldest goes
    const place oldest = p->kept[0];
    dls_move(p->kept, p->kept + 1, KEPT - 1);
    p->kept[--p->keeping] = oldest;
  }
  place *k = &p->kept[p->keeping++];
  dls_copy(k->z, p->z, p->run->padded);
  dls_copy(k->centre, p->map.centre, p->run->padded);
  k->L = p->L;
}

// The centre of the proximal term moves to where the path is.
static void recentre(path *p)
{
  dls_smoothing_map_evaluate(&p->map, p->z, p->L);
  dls_copy(p->map.centre, p->map.x, p->run->padded);
}

static bool begin(path *p)
{
  static const double start[] = {0, 1, 2.5, 5};
  for (ptrdiff_t k = 0; k < dls_count_of(start); k++) {
    dls_clear(p->trial, p->run->padded);
    if (newton(p, start[k], at_start) < 0) {
      if (spent(p)) return false;
      continue;
    }
    dls_copy(p->z, p->trial, p->run->padded);
    p->L = start[k];
    return true;
  }
  return false;
}

// ---- by arc length -----------------------------------------------------------------------------

static double dot(const path *p, const double *weight, const double *x, const double *y)
{
  const int d = p->run->d;
  double sum = 0;
  for (int i = 0; i < p->run->blocks; i++) {
    double part = 0;
    for (int k = 0; k < d; k++) part += x[d * i + k] * y[d * i + k];
    sum += weight[i] * part;
  }
  dls_operator_sum(p->run->op, 1, &sum);
  return sum;
}

static void weigh(const path *p, double *weight)
{
  const double *f = p->map.f, m = p->map.contacts > 0 ? p->map.contacts : 1;
  for (int i = 0; i < p->run->contacts; i++) {
    const double smaller = fmin(f[2 * i], f[2 * i + 1]);
    weight[i] = 1 / (m * smaller * smaller);
  }
  for (int i = p->run->contacts; i < p->run->blocks; i++) weight[i] = 1 / m;
}

// The tangent at the last evaluation with the last factors, turned to the side of the old one.
// Returns the sign that a path keeps; *turn: the cosine with the old tangent.
static int tangent(path *p, const double *old, double old_t, double *turn)
{
  weigh(p, p->next_weight);
  dls_smoothing_map_slope(&p->map, p->next);
  dls_smoothing_map_solve(&p->map, p->next);
  for (int i = 0; i < p->run->padded; i++) p->next[i] = -p->next[i];
  const double size = sqrt(dot(p, p->next_weight, p->next, p->next) + 1);
  const double old_size = sqrt(dot(p, p->next_weight, old, old) + old_t * old_t);
  const double cosine = (dot(p, p->next_weight, p->next, old) + old_t) / (size * old_size);
  const double side = cosine >= 0 ? 1 : -1;
  for (int i = 0; i < p->run->padded; i++) p->next[i] *= side / size;
  p->next_t = side / size;
  *turn = fabs(cosine);
  return dls_smoothing_map_sign(&p->map) * (side > 0 ? 1 : -1);
}

static void adopt(path *p)
{
  double *swap = p->tangent;
  p->tangent = p->next, p->next = swap, p->t = p->next_t;
  swap = p->weight, p->weight = p->next_weight, p->next_weight = swap;
}

// One correction across the tangent, at the last evaluation: p->step and *dL.
static bool correction(path *p, double *dL)
{
  if (!factor(p)) return false;
  dls_smoothing_map *map = &p->map;
  dls_copy(p->a, map->Phi, p->run->padded);
  dls_smoothing_map_slope(map, p->b);
  if (!dls_smoothing_map_solve(map, p->a) || !dls_smoothing_map_solve(map, p->b)) return false;
  *dL = dot(p, p->weight, p->tangent, p->a) / (p->t - dot(p, p->weight, p->tangent, p->b));
  for (int i = 0; i < p->run->padded; i++) p->step[i] = -p->a[i] - p->b[i] * *dL;
  return isfinite(*dL);
}

// Puts the point accurately on the path and finds its tangent anew.
static bool settle(path *p, int *sign)
{
  dls_smoothing_map *map = &p->map;
  dls_copy(p->trial, p->z, p->run->padded);
  double L = p->L, dL;
  dls_smoothing_map_evaluate(map, p->z, p->L);
  for (int k = 0; k < SETTLING; k++) {
    if (!(map->norm > fmax(far_below * arc_goal * map->tau * unit(p), map->floor))) break;
    const double before = map->norm;
    if (!correction(p, &dL)) return false;
    if (fabs(dL) > most_settling) break;
    for (int i = 0; i < p->run->padded; i++) p->trial[i] += p->step[i];
    dls_smoothing_map_evaluate(map, p->trial, L + dL);
    if (map->norm >= before) break;
    dls_copy(p->z, p->trial, p->run->padded);
    p->L = L += dL;
  }
  dls_smoothing_map_evaluate(map, p->z, p->L);
  double turn;
  if (!factor(p)) return false;
  const int found = tangent(p, p->tangent, p->t, &turn);
  if (found != *sign) {
    if (turn >= same_side) {
      *sign = found;
    } else {
      for (int i = 0; i < p->run->padded; i++) p->next[i] = -p->next[i];
      p->next_t = -p->next_t;
    }
  }
  adopt(p);
  return true;
}

// Predicts by h along the tangent and corrects: p->trial and *L. Returns the corrections, or -1.
static int predict_correct(path *p, double h, double *L)
{
  dls_smoothing_map *map = &p->map;
  for (int i = 0; i < p->run->padded; i++) p->trial[i] = p->z[i] + h * p->tangent[i];
  *L = p->L + h * p->t;
  dls_smoothing_map_evaluate(map, p->trial, *L);
  double rate = 1, dL;
  for (int k = 0;; k++) {
    const double size = arc_goal * map->tau * unit(p) * fmin(1, h), before = map->norm;
    const double enough = fmax(far_below * size, map->floor);
    if (k > 0 && ((before <= size && rate <= quick_rate) || before <= enough)) return k;
    if (k == CORRECTIONS || !correction(p, &dL) || fabs(*L + dL - p->L) > most_change) return -1;
    for (int i = 0; i < p->run->padded; i++) p->trial[i] += p->step[i];
    *L += dL;
    dls_smoothing_map_evaluate(map, p->trial, *L);
    if (!(map->norm < INFINITY)) return -1;
    if (map->norm > enough &&
        (map->norm > diverging * before || (map->norm > slow_rate * before && k >= 1)))
      return -1;
    rate = before > 0 ? map->norm / before : 0;
  }
}

// From p->z, which lies on the path, until tau is below exp(target). False when the path is lost.
static bool arc(path *p, double target)
{
  double h = first_h, turn, L;
  dls_smoothing_map_evaluate(&p->map, p->z, p->L);
  if (!factor(p)) return false;
  dls_clear(p->tangent, p->run->padded);
  int sign = tangent(p, p->tangent, -1, &turn);
  adopt(p);
  while (p->L > target) {
    bool settled = false;
    int corrections = -1;
    for (int failures = 0;; failures++) {
      if (failures >= SETTLE_AFTER && !settled) {
        settled = true;
        if (!settle(p, &sign)) return false;
      }
      corrections = predict_correct(p, h, &L);
      if (corrections > 0) {
        const int found = tangent(p, p->tangent, p->t, &turn);
        if ((found == sign && turn > least_turn) || h < trusted_h) {
          sign = found;
          break;
        }
      }
      h *= shortened;
      if (h < least_h || spent(p)) return false;
    }
    dls_copy(p->z, p->trial, p->run->padded);
    p->L = L;
    adopt(p);
    dls_smoothing_map_try(&p->map, p->z);
    if (p->run->best <= p->run->goal) return true;
    if (corrections <= FEW_CORRECTIONS && turn > straight) h *= lengthened;
    else if (corrections == FEW_CORRECTIONS + 1) h *= longer;
    else if (corrections >= CORRECTIONS) h *= shorter;
    if (h > most_h) h = most_h;
  }
  return true;
}

// ---- the whole ---------------------------------------------------------------------------------

// Goes back until a point lies on the path, and on from there by arc length.
static bool around(path *p)
{
  const double target = p->L + log(beyond_turn);
  while (p->keeping > 0) {
    const place *k = &p->kept[--p->keeping];
    dls_copy(p->trial, k->z, p->run->padded);
    dls_copy(p->map.centre, k->centre, p->run->padded);
    if (newton(p, k->L, on_path) >= 0) {
      dls_copy(p->z, p->trial, p->run->padded);
      p->L = k->L;
      return arc(p, target);
    }
    if (spent(p)) return false;
  }
  return false;
}

static bool done(const path *p)
{
  return p->run->best <= p->run->goal;
}

// One stage: false when the run is over.
static bool follow(path *p, bool arcs, int budget)
{
  p->budget = p->map.factorizations + budget;
  p->keeping = 0;
  dls_smoothing_map_start(&p->map);
  if (!begin(p)) return !p->run->over;
  keep(p);
  recentre(p);
  double ratio = first_ratio;
  int failures = 0;
  while (!spent(p) && !done(p) && p->L > log(last_tau)) {
    dls_copy(p->trial, p->z, p->run->padded);
    const double L = p->L + log(ratio);
    const int steps = newton(p, L, on_way);
    if (done(p) || spent(p)) break;
    if (steps >= 0) {
      dls_copy(p->z, p->trial, p->run->padded);
      p->L = L;
      failures = 0;
      keep(p);
      recentre(p);
      if (steps <= FEW_STEPS) ratio = fmax(ratio / 2, least_ratio);
      else if (steps >= MANY_STEPS) ratio = fmin(sqrt(ratio), most_ratio);
      continue;
    }
    ratio = fmin(pow(ratio, failed_power), most_ratio_failed);
    if (++failures < FAILURES || ratio <= arc_ratio) continue;
    if (!arcs || !around(p)) break;
    keep(p);
    recentre(p);
    failures = 0, ratio = ratio_after_arc;
  }
  if (done(p)) dls_run_next(p->run);
  return !p->run->over;
}

// How much is smoothed, how strong the proximal term is, and what it may cost: no choice suits all.
static const struct {
  double smooth, proximal;
  bool arcs;
  int budget;
} stages[] = {
    {0.01, 1e-4, false, 150}, {0.1, 1e-4, true, 1200}, {0.1, 1e-3, true, 1200},
    {0.1, 1e-5, true, 1200},  {0.3, 1e-3, true, 1500}, {0.3, 1e-2, true, 1500},
};

const int dls_smoothing_stages = (int)(sizeof stages / sizeof *stages);

bool dls_smoothing_stage(void *self, int stage)
{
  path *p = self;
  p->map.smooth = stages[stage].smooth, p->map.proximal = stages[stage].proximal;
  return follow(p, stages[stage].arcs, stages[stage].budget);
}

static void iterate(dls_run *run, void *self)
{
  if (!dls_run_prepare(run)) return;
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  for (int k = 0; k < dls_smoothing_stages; k++)
    if (!dls_smoothing_stage(self, k)) return;
  dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_smoothing = {
    .info = {"path", "the smoothed problem's path, by arc length where it turns back", true, true,
             false, DLS_LAWS_CONE},
    .max_iterations = 100000,
    .create = create,
    .iterate = iterate,
};
