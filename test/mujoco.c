#include "mujoco.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_MUJOCO
#include <mujoco/mujoco.h>

struct mujoco {
  mjModel *model;
  mjData *data;
  double *M;
  mujoco_numbers numbers;
};

bool mujoco_is_there(void)
{
  return true;
}

const char *mujoco_version(void)
{
  return mj_versionString();
}

static void ignore(const char *text)
{
  (void)text;
}

mujoco *mujoco_load(const char *path, char *error, int size)
{
  mju_user_warning = ignore;
  error[0] = 0;
  mjModel *model = mj_loadXML(path, NULL, error, size);
  if (!model) return NULL;
  mujoco *m = calloc(1, sizeof *m);
  m->model = model;
  model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  m->data = mj_makeData(model);
  m->M = calloc((size_t)(model->nv * model->nv) + 1, sizeof *m->M);
  return m;
}

void mujoco_free(mujoco *m)
{
  if (!m) return;
  mj_deleteData(m->data);
  mj_deleteModel(m->model);
  free(m->M);
  free(m);
}

const mujoco_numbers *mujoco_at(mujoco *m, const double *q, const double *v, const double *control)
{
  mjModel *model = m->model;
  mjData *data = m->data;
  mj_resetData(model, data);
  if (q) memcpy(data->qpos, q, (size_t)model->nq * sizeof *q);
  if (v) memcpy(data->qvel, v, (size_t)model->nv * sizeof *v);
  if (control) memcpy(data->ctrl, control, (size_t)model->nu * sizeof *control);
  mj_forward(model, data);
  mj_fullM(model, m->M, data->qM);
  m->numbers = (mujoco_numbers){
      .nq = model->nq,
      .nv = model->nv,
      .nu = model->nu,
      .bodies = model->nbody - 1,
      .keys = model->nkey,
      .reference = model->qpos0,
      .M = m->M,
      .bias = data->qfrc_bias,
      .passive = data->qfrc_passive,
      .actuator = data->qfrc_actuator,
      .position = data->xpos + 3,
      .axes = data->xmat + 9,
      .mass = model->body_mass + 1,
      .key_q = model->key_qpos,
      .key_v = model->key_qvel,
      .key_control = model->key_ctrl,
      .equality = data->efc_pos,
      .equalities = data->ne,
  };
  return &m->numbers;
}

#else

bool mujoco_is_there(void)
{
  return false;
}

const char *mujoco_version(void)
{
  return "";
}

mujoco *mujoco_load(const char *path, char *error, int size)
{
  (void)path, (void)size;
  error[0] = 0;
  return NULL;
}

void mujoco_free(mujoco *m)
{
  (void)m;
}

const mujoco_numbers *mujoco_at(mujoco *m, const double *q, const double *v, const double *control)
{
  (void)m, (void)q, (void)v, (void)control;
  return NULL;
}

#endif
