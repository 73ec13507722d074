// MuJoCo, where it is installed, as it reads and evaluates a file.
#ifndef TEST_MUJOCO_H
#define TEST_MUJOCO_H

#include <stdbool.h>

typedef struct mujoco mujoco;

bool mujoco_is_there(void);
const char *mujoco_version(void);
// NULL with what it says against the file.
mujoco *mujoco_load(const char *path, char *error, int size);
void mujoco_free(mujoco *m);

// What it has at a state, and what its model says.
typedef struct mujoco_numbers {
  int nq, nv, nu, bodies, keys;
  const double *reference;                  // qpos0
  const double *M;                          // nv x nv
  const double *bias, *passive, *actuator;  // forces
  const double *position;                   // of the bodies after the world, 3 each
  const double *axes;                       // 9 each, row by row
  const double *mass;
  const double *key_q, *key_v, *key_control;  // keys of them
  const double *equality;                     // errors of active equality constraints
  int equalities;
} mujoco_numbers;

// Flags off: contacts, limits and friction do not belong to it. Good until the next call.
const mujoco_numbers *mujoco_at(mujoco *m, const double *q, const double *v, const double *control);

#endif
