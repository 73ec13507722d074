// What contacts of solids are, at a configuration.
#include "body/assembly.h"

#include "body/pose.h"

#include <stdlib.h>

static void place_solid(const dls_body_solid *solid, const dls_pose *bodies, dls_solid_motion *out)
{
  dls_pose at = solid->pose;
  if (solid->given >= 0) at = dls_pose_product(bodies + solid->given, &solid->pose);
  memset(out, 0, sizeof *out);
  dls_quaternion_axes(at.quaternion, out->R);
  dls_copy(out->p, at.position, 3);
}

static dls_status describe(const dls_touching *all, const dls_pose *bodies, uint64_t id,
                           dls_solid_contact *out)
{
  dls_touch_id touch;
  if (!dls_touching_decode(all, id, out->solid, &touch)) return DLS_ERR_ARGUMENT;
  const int feature[2] = {touch.a, touch.b};
  dls_solid_motion motion[2];
  for (int s = 0; s < 2; s++) {
    const dls_body_solid *solid = all->solid + out->solid[s];
    out->body[s] = solid->given;
    dls_form_feature_name(solid->form, feature[s], out->feature[s], sizeof out->feature[s]);
    place_solid(solid, bodies, &motion[s]);
  }
  dls_touch_values v;
  const dls_status status =
      dls_touch_evaluate(all->solid[out->solid[0]].form, &motion[0], NULL,
                         all->solid[out->solid[1]].form, &motion[1], NULL, touch, &v, NULL);
  if (status != DLS_OK) return status;
  out->gap = v.gap;
  dls_copy(out->point, v.point, 3), dls_copy(out->normal, v.normal, 3);
  dls_copy(out->tangent, v.tangent, 2);
  return DLS_OK;
}

dls_status dls_mechanism_contacts(const dls_system *system, const double *q, int count,
                                  const uint64_t *id, dls_solid_contact *out)
{
  assert(system->evaluate == dls_assembly_evaluate);
  const dls_assembly *a = system->self;
  dls_pose *pose = dls_alloc(a->expanded.bodies, sizeof *pose);
  if (!pose) return DLS_ERR_MEMORY;
  dls_status status = dls_mechanism_poses(system, q, pose);
  for (int k = 0; k < count && status == DLS_OK; k++)
    status = describe(&a->touching, pose, id[k], out + k);
  free(pose);
  return status;
}
