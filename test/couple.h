// Two free bodies with a solid each, and where verify sees them. Comes behind <cmocka.h>.
#ifndef TEST_COUPLE_H
#define TEST_COUPLE_H

#include "numbers.h"
#include "verify/posture.h"
#include "verify/seen_feature.h"
#include "verify/seen_named.h"

#include <string.h>

typedef struct couple {
  dls_mechanism mechanism;
  dls_rigid_body body[2];
  dls_joint joint[2];
  dls_solid solid[2];
  double q[14], v[12];
  dls_arena *arena;
  dls_pool pool;
  dls_posture_plan plan;
  dls_posture posture;
} couple;

static const double couple_vertex[] = {0.5, 0.4,  -0.3, -0.6, 0.3, -0.2,
                                       0.1, -0.5, -0.3, 0.05, 0.1, 0.7};
static const int couple_first[] = {0, 3, 6, 9, 12},
                 couple_face[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

static inline dls_solid a_solid(dls_solid_kind kind, int body)
{
  dls_solid s = {.name = "", .body = body, .kind = kind, .type = 1, .affinity = 1};
  for (int i = 0; i < 3; i++) s.size[i] = 0.6 + 0.3 * uniform();
  s.pose.position[0] = 0.1 * uniform(), s.pose.position[2] = 0.2 * uniform();
  for (int i = 0; i < 4; i++) s.pose.quaternion[i] = uniform();
  if (kind == DLS_SOLID_HULL) {
    s.vertices = 4, s.faces = 4;
    s.vertex = couple_vertex, s.first = couple_first, s.face = couple_face;
  }
  return s;
}

static inline void random_couple(couple *c, dls_solid_kind a, dls_solid_kind b)
{
  memset(c, 0, sizeof *c);
  const dls_solid_kind kind[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    c->body[k] = (dls_rigid_body){.name = k ? "b" : "a",
                                  .parent = DLS_WORLD,
                                  .pose.quaternion = {1},
                                  .mass = 1,
                                  .inertia = {1, 1, 1}};
    c->joint[k] = (dls_joint){.name = k ? "jb" : "ja", .body = k, .kind = DLS_JOINT_FREE};
    c->solid[k] = a_solid(kind[k], k);
    for (int i = 0; i < 3; i++) c->q[7 * k + i] = 1.5 * uniform();
    for (int i = 3; i < 7; i++) c->q[7 * k + i] = uniform();
  }
  for (int i = 0; i < 12; i++) c->v[i] = uniform();
  c->mechanism = (dls_mechanism){
      .bodies = 2, .joints = 2, .solids = 2, .body = c->body, .joint = c->joint, .solid = c->solid};
}

static inline void place_couple(couple *c)
{
  c->arena = dls_arena_create();
  assert_int_equal(dls_posture_plan_create(&c->mechanism, DLS_REDUCED, c->arena, &c->plan, NULL),
                   DLS_OK);
  dls_pool_init(&c->pool, dls_posture_bits(&c->plan));
  assert_true(dls_posture_create(&c->plan, c->q, NULL, c->v, &c->pool, c->arena, &c->posture));
}

static inline void forget_couple(couple *c)
{
  dls_pool_clear(&c->pool);
  dls_arena_free(c->arena);
}

static inline bool features_of(couple *c, const char *const name[2], dls_seen_feature f[2])
{
  return dls_seen_feature_named(&c->posture, &c->solid[0], name[0], &f[0]) &&
         dls_seen_feature_named(&c->posture, &c->solid[1], name[1], &f[1]);
}

#endif
