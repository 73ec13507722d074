// The numbers of a mechanism, to where they are used.
#include "body/assembly.h"

#include "base/message.h"
#include "body/pose.h"

// ---- structure ----------------------------------------------------------------------------------

static unsigned char bits(bool limited, double friction, double armature, bool resists)
{
  return (unsigned char)((limited ? DLS_HAS_LIMITS : 0) | (friction > 0 ? DLS_HAS_FRICTION : 0) |
                         (armature != 0 ? DLS_HAS_ARMATURE | DLS_HAS_RESISTANCE : 0) |
                         (resists ? DLS_HAS_RESISTANCE : 0));
}

unsigned char dls_joint_has(const dls_joint *x)
{
  const bool single = x->kind == DLS_JOINT_HINGE || x->kind == DLS_JOINT_SLIDE;
  return bits(single && x->limited, x->friction, x->armature,
              x->damping != 0 || (single && x->stiffness != 0));
}

unsigned char dls_closure_has(const dls_closure *x)
{
  if (x->kind != DLS_CLOSURE_HINGE && x->kind != DLS_CLOSURE_SLIDE &&
      x->kind != DLS_CLOSURE_CYLINDRICAL)
    return 0;
  return bits(x->limited, x->friction, x->armature, x->damping != 0 || x->stiffness != 0);
}

unsigned char dls_tendon_has(const dls_tendon *x)
{
  return bits(x->limited, x->friction, 0, x->damping != 0 || x->stiffness != 0);
}

// FNV-1a.
static void mix(uint64_t *digest, const void *data, size_t size)
{
  const unsigned char *byte = data;
  for (size_t k = 0; k < size; k++) *digest = (*digest ^ byte[k]) * 0x100000001b3u;
}

static void mix_int(uint64_t *digest, int x)
{
  mix(digest, &x, sizeof x);
}

static void mix_name(uint64_t *digest, const char *name)
{
  mix(digest, name, strlen(name) + 1);
}

// Of everything that may not change: what is there, its kinds, names and places.
static uint64_t structure_of(const dls_mechanism *m)
{
  uint64_t d = 0xcbf29ce484222325u;
  const int counts[] = {m->bodies, m->joints,  m->closures, m->solids,
                        m->rules,  m->tendons, m->actuators};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) mix_int(&d, counts[k]);
  for (int b = 0; b < m->bodies; b++) mix_name(&d, m->body[b].name), mix_int(&d, m->body[b].parent);
  for (int j = 0; j < m->joints; j++)
    mix_name(&d, m->joint[j].name), mix_int(&d, m->joint[j].body),
        mix_int(&d, (int)m->joint[j].kind);
  for (int c = 0; c < m->closures; c++) {
    const dls_closure *x = m->closure + c;
    mix_name(&d, x->name), mix_int(&d, (int)x->kind);
    mix(&d, x->kind == DLS_CLOSURE_JOINTS ? x->joint : x->body, 2 * sizeof(int));
  }
  for (int t = 0; t < m->tendons; t++) {
    mix_name(&d, m->tendon[t].name), mix_int(&d, m->tendon[t].terms);
    mix(&d, m->tendon[t].joint, dls_bytes(m->tendon[t].terms, sizeof(int)));
  }
  for (int a = 0; a < m->actuators; a++)
    mix_name(&d, m->actuator[a].name), mix_int(&d, (int)m->actuator[a].kind),
        mix_int(&d, m->actuator[a].of);
  for (int s = 0; s < m->solids; s++) {
    const dls_solid *x = m->solid + s;
    const int numbers[] = {x->body, (int)x->kind, x->vertices, x->faces};
    mix_name(&d, x->name), mix(&d, numbers, sizeof numbers);
  }
  for (int r = 0; r < m->rules; r++)
    mix(&d, m->rule[r].body, 2 * sizeof(int)), mix(&d, m->rule[r].solid, 2 * sizeof(int));
  return d;
}

// Limits stay; friction, springs and armature may vanish, but not begin.
static dls_status check_bits(unsigned char before, unsigned char now, const char *name,
                             dls_message *message)
{
  if (((before ^ now) & DLS_HAS_LIMITS) == 0 && (now & ~before) == 0) return DLS_OK;
  return dls_fail(message, DLS_ERR_MODEL,
                  "`%.80s` now has %s, which it did not have: the system must be made anew", name,
                  ((before ^ now) & DLS_HAS_LIMITS)    ? "another kind of range"
                  : (now & ~before & DLS_HAS_FRICTION) ? "friction"
                                                       : "a spring, damping or armature");
}

static dls_status check_structure(dls_assembly *a, const dls_mechanism *m, dls_message *message)
{
  const uint64_t structure = structure_of(m);
  if (a->structure == 0) a->structure = structure;
  if (a->structure != structure)
    return dls_fail(message, DLS_ERR_MODEL,
                    "the mechanism has other parts than that which the system was made of");
  const unsigned char *has = a->has;
  dls_status status = DLS_OK;
  for (int j = 0; j < m->joints && status == DLS_OK; j++)
    status = check_bits(*has++, dls_joint_has(m->joint + j), m->joint[j].name, message);
  for (int c = 0; c < m->closures && status == DLS_OK; c++)
    status = check_bits(*has++, dls_closure_has(m->closure + c), m->closure[c].name, message);
  for (int t = 0; t < m->tendons && status == DLS_OK; t++)
    status = check_bits(*has++, dls_tendon_has(m->tendon + t), m->tendon[t].name, message);
  return status;
}

// ---- numbers ------------------------------------------------------------------------------------

// Frames whose z axes are that of the joint, and which coincide at the reference. Of what the
// forest knows they are those of the bodies.
static void read_joint_frames(dls_assembly *a, const dls_joint *joint, int j)
{
  dls_joint_frames *to = a->joint_frame + j;
  dls_pose *own = &to->frame[1];
  *own = (dls_pose){.quaternion = {1}};
  to->frame[0] = *own, to->kind = joint->kind, to->reference = joint->reference;
  if (a->expanded.joint_of_tree[j] >= 0) return;
  if (joint->kind != DLS_JOINT_SLIDE) dls_copy(own->position, joint->anchor, 3);
  if (joint->kind != DLS_JOINT_BALL) dls_quaternion_to_axis(joint->axis, own->quaternion);
  to->frame[0] = dls_pose_product(&a->expanded.mount[j], own);
}

static void read_measures(dls_assembly *a, const dls_mechanism *m)
{
  dls_measure_set *all = &a->measures;
  for (int j = 0; j < m->joints; j++) {
    read_joint_frames(a, m->joint + j, j);
    if (a->joint_pair[j] >= 0)
      dls_copy(all->pair[a->joint_pair[j]].frame, a->joint_frame[j].frame, 2);
    if (a->joint_measure[j] < 0 || a->expanded.joint_of_tree[j] >= 0) continue;
    const int term = all->measure[a->joint_measure[j]].first_term;
    all->reading[all->term[term].reading].offset = m->joint[j].reference;
  }
  for (int c = 0; c < m->closures; c++)
    if (a->closure_pair[c] >= 0)
      dls_copy(all->pair[a->closure_pair[c]].frame, m->closure[c].frame, 2);
  for (int t = 0; t < m->tendons; t++) {
    if (a->tendon_measure[t] < 0) continue;
    const int first = all->measure[a->tendon_measure[t]].first_term;
    for (int k = 0; k < m->tendon[t].terms; k++) all->term[first + k].gear = m->tendon[t].gear[k];
  }
}

static void read_coupling(dls_assembly *a, const dls_mechanism *m, const dls_body_row *row)
{
  const dls_closure *closure = m->closure + row->of;
  dls_measure *measure = a->measures.measure + row->measure;
  dls_copy(measure->polynomial, closure->polynomial, 5);
  for (int k = 0; k < 2; k++)
    measure->reference[k] = closure->joint[k] < 0 ? 0 : m->joint[closure->joint[k]].reference;
}

static void read_row(dls_assembly *a, const dls_mechanism *m, dls_body_row *row)
{
  const dls_joint *joint = m->joint + row->of;
  const dls_closure *closure = m->closure + row->of;
  const dls_tendon *tendon = m->tendon + row->of;
  const double *range;
  if (row->kind == DLS_BODY_ROW_CLOSURE) {
    if (row->part == DLS_PART_CLOSURE && closure->kind == DLS_CLOSURE_JOINTS)
      read_coupling(a, m, row);
    return;
  }
  if (row->part == DLS_PART_JOINT)
    row->friction = joint->friction, row->restitution = joint->restitution, range = joint->range;
  else if (row->part == DLS_PART_CLOSURE)
    row->friction = closure->friction, row->restitution = closure->restitution,
    range = closure->range;
  else
    row->friction = tendon->friction, row->restitution = tendon->restitution, range = tendon->range;
  row->end = range[row->kind == DLS_BODY_ROW_HIGH];
}

static void read_element(const dls_mechanism *m, dls_element *x)
{
  const dls_joint *joint = m->joint + x->of;
  const dls_closure *closure = m->closure + x->of;
  const dls_tendon *tendon = m->tendon + x->of;
  if (x->part == DLS_PART_JOINT) {
    const bool single = joint->kind == DLS_JOINT_HINGE || joint->kind == DLS_JOINT_SLIDE;
    x->armature = joint->armature, x->damping = joint->damping;
    x->stiffness = single ? joint->stiffness : 0, x->rest[0] = x->rest[1] = joint->rest;
  } else if (x->part == DLS_PART_CLOSURE) {
    x->armature = closure->armature, x->damping = closure->damping;
    x->stiffness = closure->stiffness, x->rest[0] = x->rest[1] = closure->rest;
  } else {
    x->damping = tendon->damping, x->stiffness = tendon->stiffness;
    dls_copy(x->rest, tendon->rest, 2);
  }
}

dls_status dls_assembly_read(dls_assembly *a, const dls_mechanism *m, dls_message *message)
{
  const dls_status status = check_structure(a, m, message);
  if (status != DLS_OK) return status;
  read_measures(a, m);
  for (int k = 0; k < a->rows; k++) read_row(a, m, a->row + k);
  for (int k = 0; k < a->elements; k++) read_element(m, a->element + k);
  for (int k = 0; k < a->drives; k++) {
    a->drive[k].numbers = m->actuator[a->drive[k].actuator];
    a->drive[k].numbers.name = NULL;
  }
  return DLS_OK;
}
