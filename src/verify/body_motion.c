// Particles of mass dm at x have velocities u = sum v_k (a_k x x + c_k), and so        eq (enc.3)
//
//   M_ij = sum over bodies  int (a_i x x + c_i) (a_j x x + c_j) dm
//   F_i  = sum over bodies  int (a_i x x + c_i) (x'' - g) dm
//
// where x'' is that with v' = 0. What is integrated is linear or quadratic in x: mass, first and
// second moments are all that is needed, and no inertia tensor turns.
#include "verify/body_motion.h"

// ---- moments -----------------------------------------------------------------------------------

typedef struct moments {
  dls_jet mass;
  dls_jet3 first;          // int x
  dls_jet3 second[3];      // int x x^T, by columns
  dls_jet3 force, torque;  // int x'' - g, int x x (x'' - g)
} moments;

static moments no_moments(const dls_pool *p)
{
  const dls_jet3 none = dls_jet3_zero(p);
  return (moments){none.x[0], none, {none, none, none}, none, none};
}

static void add_moments(dls_pool *p, moments *to, const moments *from)
{
  to->mass = dls_jet_add(p, to->mass, from->mass);
  to->first = dls_jet3_add(p, to->first, from->first);
  for (int i = 0; i < 3; i++) to->second[i] = dls_jet3_add(p, to->second[i], from->second[i]);
  to->force = dls_jet3_add(p, to->force, from->force);
  to->torque = dls_jet3_add(p, to->torque, from->torque);
}

// int xi xi^T about the centre of mass, in the axes of the body: tr(I)/2 - I.
static void spread(dls_pool *p, const dls_rigid_body *b, dls_jet3 S[3])
{
  static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  dls_jet entry[6];
  for (int k = 0; k < 6; k++) entry[k] = dls_jet_data(p, b->inertia[k]);
  dls_jet half = dls_jet_add(p, dls_jet_add(p, entry[0], entry[1]), entry[2]);
  half = dls_jet_scale(p, half, 0.5);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      S[j].x[i] = dls_jet_scale(p, entry[place[i][j]], -1);
      if (i == j) S[j].x[i] = dls_jet_add(p, S[j].x[i], half);
    }
}

static dls_jet3 acceleration(dls_pool *p, dls_jet3 x)
{
  return dls_jet3_now(p, dls_jet3_rate(p, dls_jet3_rate(p, x)));
}

// With x = x_c + R xi: int x x^T = m x_c x_c^T + R S R^T, int x x x'' = m x_c x x_c'' + sum S_kl
// (R e_k) x (R'' e_l).
static moments moments_of(const dls_posture *s, int body)
{
  dls_pool *p = s->pool;
  const dls_rigid_body *b = &s->mechanism->body[body];
  const dls_jet_frame *f = &s->frame[body];
  const dls_jet3 moving = dls_jet_frame_point(p, f, dls_jet3_data(p, b->centre));
  const dls_jet3 centre = dls_jet3_now(p, moving);
  moments out = no_moments(p);
  dls_jet3 S[3], axis[3], swing[3];
  spread(p, b, S);
  out.mass = dls_jet_data(p, b->mass);
  out.first = dls_jet3_mul(p, centre, out.mass);
  const dls_jet carried = dls_jet_mul(p, out.mass, dls_jet_data(p, b->carried));
  const dls_jet3 weight =
      dls_jet3_mul(p, dls_jet3_data(p, s->mechanism->gravity), dls_jet_sub(p, out.mass, carried));
  out.force = dls_jet3_mul(p, acceleration(p, moving), out.mass);
  out.force = dls_jet3_sub(p, out.force, weight);
  out.torque = dls_jet3_cross(p, centre, out.force);
  for (int i = 0; i < 3; i++) {
    axis[i] = dls_jet3_now(p, f->R.column[i]);
    swing[i] = acceleration(p, f->R.column[i]);
    out.second[i] = dls_jet3_mul(p, out.first, centre.x[i]);
  }
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) {
      const dls_jet3 about = dls_jet3_mul(p, axis[k], S[k].x[l]);
      out.torque = dls_jet3_add(p, out.torque, dls_jet3_cross(p, about, swing[l]));
      for (int i = 0; i < 3; i++)
        out.second[i] = dls_jet3_add(p, out.second[i], dls_jet3_mul(p, about, axis[l].x[i]));
    }
  return out;
}

// ---- M and F -----------------------------------------------------------------------------------

// P = int u, L = int x x u for a velocity of 1, of all that it moves.
static void momentum(dls_pool *p, const dls_freedom *f, const moments *w, dls_jet3 *P, dls_jet3 *L)
{
  *P = dls_jet3_add(p, dls_jet3_mul(p, f->shift, w->mass), dls_jet3_cross(p, f->turn, w->first));
  dls_jet trace = w->second[0].x[0];
  for (int i = 1; i < 3; i++) trace = dls_jet_add(p, trace, w->second[i].x[i]);
  *L = dls_jet3_add(p, dls_jet3_cross(p, w->first, f->shift), dls_jet3_mul(p, f->turn, trace));
  for (int i = 0; i < 3; i++) *L = dls_jet3_sub(p, *L, dls_jet3_mul(p, w->second[i], f->turn.x[i]));
}

static mpfi_ptr work(dls_pool *p, const dls_freedom *f, dls_jet3 force, dls_jet3 torque)
{
  return dls_jet_add(p, dls_jet3_dot(p, f->turn, torque), dls_jet3_dot(p, f->shift, force)).d[0];
}

static void add_body(const dls_posture *s, int body, const moments *w, mpfi_ptr *M, mpfi_ptr *F)
{
  const ptrdiff_t n = s->n;
  for (ptrdiff_t j = s->first[body]; j < s->first[body + 1]; j++) {
    dls_jet3 P, L;
    momentum(s->pool, &s->freedom[j], w, &P, &L);
    F[j] = work(s->pool, &s->freedom[j], w->force, w->torque);
    dls_freedom_walk walk = dls_freedom_first(s, body);
    for (; walk.k >= 0; dls_freedom_next(s, &walk)) {
      if (walk.k > j) continue;
      const ptrdiff_t i = walk.k;
      M[i + n * j] = M[j + n * i] = work(s->pool, &s->freedom[i], P, L);
    }
  }
}

static bool add_bodies(const dls_posture *s, dls_arena *arena, mpfi_ptr *M, mpfi_ptr *F)
{
  const int bodies = s->mechanism->bodies;
  moments *hanging = dls_arena_alloc(arena, bodies, sizeof *hanging);
  if (!hanging) return false;
  for (int b = 0; b < bodies; b++) hanging[b] = moments_of(s, b);
  for (int b = bodies - 1; b >= 0; b--) {
    add_body(s, b, &hanging[b], M, F);
    if (s->parent[b] != DLS_WORLD) add_moments(s->pool, &hanging[s->parent[b]], &hanging[b]);
  }
  return true;
}

// ---- what joints have of their own -------------------------------------------------------------

static int velocities_of(const dls_joint *joint)
{
  return joint->kind == DLS_JOINT_FREE ? 6 : joint->kind == DLS_JOINT_BALL ? 3 : 1;
}

static void add_joint(const dls_posture *s, int j, mpfi_ptr *M, mpfi_ptr *F)
{
  dls_pool *p = s->pool;
  const dls_joint *joint = &s->mechanism->joint[j];
  const int first = s->joint_v[j];
  for (ptrdiff_t k = first; k < first + velocities_of(joint); k++) {
    mpfi_ptr *own = &M[k * (s->n + 1)];
    const mpfi_ptr damping = dls_real_data(p, joint->damping);
    *own = dls_real_add(p, *own, dls_real_data(p, joint->armature));
    F[k] = dls_real_add(p, F[k], dls_real_mul(p, damping, dls_real_data(p, s->v[k])));
  }
  if (joint->kind != DLS_JOINT_HINGE && joint->kind != DLS_JOINT_SLIDE) return;
  const double rest[2] = {joint->rest, joint->rest};
  const mpfi_ptr spring = dls_gauge_resistance(p, s->coordinate[j], 0, joint->stiffness, rest);
  F[first] = dls_real_add(p, F[first], spring);
}

bool dls_body_mass_and_forces(const dls_posture *s, dls_arena *arena, mpfi_ptr *M, mpfi_ptr *F)
{
  for (ptrdiff_t k = 0; k < s->n; k++) F[k] = s->pool->zero;
  for (ptrdiff_t k = 0; k < (ptrdiff_t)s->n * s->n; k++) M[k] = s->pool->zero;
  if (!add_bodies(s, arena, M, F)) return false;
  for (int j = 0; j < s->mechanism->joints; j++)
    if (s->joint_v[j] >= 0) add_joint(s, j, M, F);
  return true;
}
