// Which measures a mechanism needs, and what is about them.
#include "body/assembly.h"

#include "base/message.h"

#include <stdio.h>

typedef struct builder {
  dls_assembly *a;
  const dls_mechanism *mechanism;
  bool failed;  // out of memory
} builder;

static const char *suffixed(builder *b, const char *name, const char *suffix)
{
  const size_t length = strlen(name) + strlen(suffix) + 1;
  char *text = dls_arena_alloc(b->a->arena, (ptrdiff_t)length + 1, 1);
  if (text) snprintf(text, length + 1, *suffix ? "%s.%s" : "%s%s", name, suffix);
  else b->failed = true;
  return text;
}

// ---- rows of joints -----------------------------------------------------------------------------

typedef struct named_row {
  dls_joint_row row;
  const char *name;
} named_row;

static const named_row along_x = {{DLS_ROW_ALONG, 0}, "x"}, along_y = {{DLS_ROW_ALONG, 1}, "y"},
                       along_z = {{DLS_ROW_ALONG, 2}, "z"}, turn_x = {{DLS_ROW_TURN, 0}, "rx"},
                       turn_y = {{DLS_ROW_TURN, 1}, "ry"}, turn_z = {{DLS_ROW_TURN, 2}, "rz"},
                       tilt_x = {{DLS_ROW_TILT, 0}, "rx"}, tilt_y = {{DLS_ROW_TILT, 1}, "ry"},
                       skew = {{DLS_ROW_SKEW, 0}, "rz"};
static const dls_joint_row angle = {DLS_ROW_ANGLE, 2}, way = {DLS_ROW_ALONG, 2};

// The rows of a closure, in their order. Returns how many.
static int rows_of(dls_closure_kind kind, named_row out[6])
{
  const named_row *const weld[] = {&along_x, &along_y, &along_z, &turn_x, &turn_y, &turn_z};
  const named_row *const ball[] = {&along_x, &along_y, &along_z};
  const named_row *const hinge[] = {&along_x, &along_y, &along_z, &tilt_x, &tilt_y};
  const named_row *const slide[] = {&along_x, &along_y, &turn_x, &turn_y, &turn_z};
  const named_row *const universal[] = {&along_x, &along_y, &along_z, &skew};
  const named_row *const cylindrical[] = {&along_x, &along_y, &tilt_x, &tilt_y};
  const named_row *const planar[] = {&along_z, &tilt_x, &tilt_y};
  const struct {
    const named_row *const *row;
    int count;
  } all[] = {[DLS_CLOSURE_WELD] = {weld, 6},           [DLS_CLOSURE_BALL] = {ball, 3},
             [DLS_CLOSURE_HINGE] = {hinge, 5},         [DLS_CLOSURE_SLIDE] = {slide, 5},
             [DLS_CLOSURE_UNIVERSAL] = {universal, 4}, [DLS_CLOSURE_CYLINDRICAL] = {cylindrical, 4},
             [DLS_CLOSURE_PLANAR] = {planar, 3}};
  for (int k = 0; k < all[kind].count; k++) out[k] = *all[kind].row[k];
  return all[kind].count;
}

static dls_closure_kind closure_of(dls_joint_kind kind)
{
  return kind == DLS_JOINT_BALL    ? DLS_CLOSURE_BALL
         : kind == DLS_JOINT_HINGE ? DLS_CLOSURE_HINGE
                                   : DLS_CLOSURE_SLIDE;
}

// ---- measures -----------------------------------------------------------------------------------

static int measure_of_row(builder *b, int pair, dls_joint_row row)
{
  const int reading = dls_measures_add_row(&b->a->measures, pair, row);
  return dls_measures_add(&b->a->measures, 1, &reading);
}

static int pair_of_joint(builder *b, int j)
{
  dls_assembly *a = b->a;
  const int body[2] = {a->expanded.joint_parent[j], a->expanded.joint_body[j]};
  if (a->joint_pair[j] < 0) a->joint_pair[j] = dls_measures_add_pair(&a->measures, body);
  b->failed |= a->joint_pair[j] < 0;
  return a->joint_pair[j];
}

// The coordinate of a hinge or slide.
static int measure_of_joint(builder *b, int j)
{
  dls_assembly *a = b->a;
  if (a->joint_measure[j] >= 0) return a->joint_measure[j];
  const int of_tree = a->expanded.joint_of_tree[j];
  if (of_tree >= 0) {
    const int reading = dls_measures_add_coordinate(&a->measures, a->tree->joint_v[of_tree]);
    a->joint_measure[j] = dls_measures_add(&a->measures, 1, &reading);
  } else {
    a->joint_measure[j] = measure_of_row(
        b, pair_of_joint(b, j), b->mechanism->joint[j].kind == DLS_JOINT_HINGE ? angle : way);
  }
  b->failed |= a->joint_measure[j] < 0;
  return a->joint_measure[j];
}

// The angular velocity of a ball or a free body about an axis of its own.
static int measure_of_spin(builder *b, int j, int axis)
{
  const int measure = measure_of_row(b, pair_of_joint(b, j), (dls_joint_row){DLS_ROW_SPIN, axis});
  b->failed |= measure < 0;
  return measure;
}

static int reading_of(const dls_assembly *a, int measure)
{
  return measure < 0 ? -1 : a->measures.term[a->measures.measure[measure].first_term].reading;
}

static int measure_of_tendon(builder *b, int t)
{
  dls_assembly *a = b->a;
  const dls_tendon *tendon = b->mechanism->tendon + t;
  if (a->tendon_measure[t] >= 0) return a->tendon_measure[t];
  int *reading = dls_arena_alloc(a->arena, tendon->terms, sizeof *reading);
  for (int k = 0; reading && k < tendon->terms; k++)
    reading[k] = reading_of(a, measure_of_joint(b, tendon->joint[k]));
  a->tendon_measure[t] = reading ? dls_measures_add(&a->measures, tendon->terms, reading) : -1;
  b->failed |= a->tendon_measure[t] < 0;
  return a->tendon_measure[t];
}

// ---- rows ---------------------------------------------------------------------------------------

static void add_row(builder *b, dls_body_row row, const char *name, const char *suffix)
{
  dls_assembly *a = b->a;
  if (b->failed || row.measure < 0 || !(row.name = suffixed(b, name, suffix)) ||
      dls_grow((void **)&a->row, &a->row_room, (ptrdiff_t)a->rows + 1, sizeof row) != 0) {
    b->failed = true;
    return;
  }
  a->row[a->rows++] = row;
}

static void add_closure_rows(builder *b, dls_body_part part, int of, int pair,
                             dls_closure_kind kind, const char *name)
{
  named_row row[6];
  for (int k = 0; k < 6; k++) row[k] = (named_row){.name = ""};
  const int count = rows_of(kind, row);
  for (int k = 0; k < count && !b->failed; k++)
    add_row(b,
            (dls_body_row){.kind = DLS_BODY_ROW_CLOSURE,
                           .measure = measure_of_row(b, pair, row[k].row),
                           .part = part,
                           .of = of},
            name, row[k].name);
}

static void add_coupling(builder *b, int c)
{
  const dls_closure *closure = b->mechanism->closure + c;
  const int terms = closure->joint[1] < 0 ? 1 : 2;
  int reading[2] = {-1, -1};
  for (int k = 0; k < terms; k++)
    reading[k] = reading_of(b->a, measure_of_joint(b, closure->joint[k]));
  const int measure = dls_measures_add(&b->a->measures, terms, reading);
  if (measure >= 0) b->a->measures.measure[measure].curved = true;
  add_row(b,
          (dls_body_row){
              .kind = DLS_BODY_ROW_CLOSURE, .measure = measure, .part = DLS_PART_CLOSURE, .of = c},
          closure->name, "");
}

static void add_closures(builder *b)
{
  dls_assembly *a = b->a;
  const dls_mechanism *m = b->mechanism;
  for (int j = 0; j < m->joints && !b->failed; j++)
    if (a->expanded.joint_of_tree[j] < 0)
      add_closure_rows(b, DLS_PART_JOINT, j, pair_of_joint(b, j), closure_of(m->joint[j].kind),
                       m->joint[j].name);
  for (int c = 0; c < m->closures && !b->failed; c++) {
    const dls_closure *closure = m->closure + c;
    if (closure->kind == DLS_CLOSURE_JOINTS) {
      add_coupling(b, c);
      continue;
    }
    int body[2];
    for (int s = 0; s < 2; s++)
      body[s] = closure->body[s] < 0 ? DLS_WORLD : a->expanded.body[closure->body[s]];
    a->closure_pair[c] = dls_measures_add_pair(&a->measures, body);
    if (a->closure_pair[c] < 0) b->failed = true;
    else add_closure_rows(b, DLS_PART_CLOSURE, c, a->closure_pair[c], closure->kind, closure->name);
  }
}

// Of the free axis.
static int measure_of_closure(builder *b, int c)
{
  int *measure = b->a->closure_measure + c;
  if (*measure < 0)
    *measure = measure_of_row(b, b->a->closure_pair[c],
                              b->mechanism->closure[c].kind == DLS_CLOSURE_HINGE ? angle : way);
  return *measure;
}

// What is the same of joints, free axes of closures, and tendons.
typedef struct axis {
  dls_body_part part;
  int of;
  const char *name;
  unsigned char has;
  bool known;  // springs, dampers and armature are those of the forest
} axis;

static void add_element(builder *b, dls_element element)
{
  dls_assembly *a = b->a;
  if (element.measure < 0 || dls_grow((void **)&a->element, &a->element_room,
                                      (ptrdiff_t)a->elements + 1, sizeof element) != 0)
    b->failed = true;
  else a->element[a->elements++] = element;
}

// pass 0: friction, 1: limits, 2: springs
static void add_axis(builder *b, const axis *x, int (*measure)(builder *, int), int pass)
{
  dls_body_row row = {.part = x->part, .of = x->of};
  if (pass == 0 && (x->has & DLS_HAS_FRICTION)) {
    row.kind = DLS_BODY_ROW_DRY, row.measure = measure(b, x->of);
    add_row(b, row, x->name, "friction");
  }
  if (pass == 1 && (x->has & DLS_HAS_LIMITS)) {
    row.measure = measure(b, x->of);
    row.kind = DLS_BODY_ROW_LOW;
    add_row(b, row, x->name, "low");
    row.kind = DLS_BODY_ROW_HIGH;
    add_row(b, row, x->name, "high");
  }
  if (pass == 2 && (x->has & DLS_HAS_RESISTANCE) && !x->known)
    add_element(b, (dls_element){.measure = measure(b, x->of),
                                 .part = x->part,
                                 .of = x->of,
                                 .inert = (x->has & DLS_HAS_ARMATURE) != 0});
}

// Balls and free bodies: each velocity has the same.
static void add_turning(builder *b, int j, int pass)
{
  static const char *const names[] = {"x.friction",  "y.friction",  "z.friction",
                                      "rx.friction", "ry.friction", "rz.friction"};
  dls_assembly *a = b->a;
  const dls_joint *joint = b->mechanism->joint + j;
  const bool free = joint->kind == DLS_JOINT_FREE;
  const unsigned char has = a->has[j];
  const bool resists = a->expanded.joint_of_tree[j] < 0 && (has & DLS_HAS_RESISTANCE);
  if (!(pass == 0 && (has & DLS_HAS_FRICTION)) && !(pass == 2 && resists)) return;
  for (int c = free ? 0 : 3; c < 6 && !b->failed; c++) {
    int measure;
    if (c < 3) {
      const int reading = dls_measures_add_coordinate(
          &a->measures, a->tree->joint_v[a->expanded.joint_of_tree[j]] + c);
      measure = dls_measures_add(&a->measures, 1, &reading);
    } else {
      measure = measure_of_spin(b, j, c - 3);
    }
    if (pass == 0)
      add_row(b,
              (dls_body_row){
                  .kind = DLS_BODY_ROW_DRY, .measure = measure, .part = DLS_PART_JOINT, .of = j},
              joint->name, names[c]);
    else
      add_element(b, (dls_element){.measure = measure,
                                   .part = DLS_PART_JOINT,
                                   .of = j,
                                   .inert = (has & DLS_HAS_ARMATURE) != 0});
  }
}

static void add_axes(builder *b, int pass)
{
  const dls_mechanism *m = b->mechanism;
  const dls_expanded *e = &b->a->expanded;
  const unsigned char *has = b->a->has;
  for (int j = 0; j < m->joints && !b->failed; j++) {
    const dls_joint *x = m->joint + j;
    const axis own = {DLS_PART_JOINT, j, x->name, *has++, e->joint_of_tree[j] >= 0};
    if (x->kind == DLS_JOINT_FREE || x->kind == DLS_JOINT_BALL) add_turning(b, j, pass);
    else add_axis(b, &own, measure_of_joint, pass);
  }
  for (int c = 0; c < m->closures && !b->failed; c++) {
    const axis own = {DLS_PART_CLOSURE, c, m->closure[c].name, *has++, false};
    add_axis(b, &own, measure_of_closure, pass);
  }
  for (int t = 0; t < m->tendons && !b->failed; t++) {
    const axis own = {DLS_PART_TENDON, t, m->tendon[t].name, *has++, e->kind == DLS_REDUCED};
    add_axis(b, &own, measure_of_tendon, pass);
  }
}

static void add_drives(builder *b)
{
  dls_assembly *a = b->a;
  const dls_mechanism *m = b->mechanism;
  for (int i = 0; i < m->actuators && !b->failed; i++) {
    const dls_actuator *x = m->actuator + i;
    if (dls_expanded_applies(m, a->expanded.kind, i)) continue;
    dls_drive drive = {.actuator = i, .measures = 1, .reads = true};
    if (x->kind == DLS_ACTUATOR_TENDON) {
      drive.measure[0] = measure_of_tendon(b, x->of);
    } else if (m->joint[x->of].kind != DLS_JOINT_BALL) {
      drive.measure[0] = measure_of_joint(b, x->of);
    } else {
      drive.measures = 3, drive.reads = false;
      for (int c = 0; c < 3; c++) drive.measure[c] = measure_of_spin(b, x->of, c);
    }
    if (dls_grow((void **)&a->drive, &a->drive_room, (ptrdiff_t)a->drives + 1, sizeof drive) != 0)
      b->failed = true;
    else a->drive[a->drives++] = drive;
  }
}

static bool allocate(dls_assembly *a, const dls_mechanism *m)
{
  a->joints = m->joints, a->closures = m->closures;
  a->tendons = m->tendons, a->actuators = m->actuators;
  a->joint_measure = dls_arena_alloc(a->arena, (ptrdiff_t)m->joints + 1, sizeof(int));
  a->joint_pair = dls_arena_alloc(a->arena, (ptrdiff_t)m->joints + 1, sizeof(int));
  a->closure_pair = dls_arena_alloc(a->arena, (ptrdiff_t)m->closures + 1, sizeof(int));
  a->closure_measure = dls_arena_alloc(a->arena, (ptrdiff_t)m->closures + 1, sizeof(int));
  a->joint_frame = dls_arena_alloc(a->arena, (ptrdiff_t)m->joints + 1, sizeof *a->joint_frame);
  a->has = dls_arena_alloc(a->arena, (ptrdiff_t)m->joints + m->closures + m->tendons + 1, 1);
  a->tendon_measure = dls_arena_alloc(a->arena, (ptrdiff_t)m->tendons + 1, sizeof(int));
  if (!a->joint_measure || !a->joint_pair || !a->closure_pair || !a->tendon_measure ||
      !a->closure_measure || !a->joint_frame || !a->has)
    return false;
  unsigned char *has = a->has;
  for (int j = 0; j < m->joints; j++) *has++ = dls_joint_has(m->joint + j);
  for (int c = 0; c < m->closures; c++) *has++ = dls_closure_has(m->closure + c);
  for (int t = 0; t < m->tendons; t++) *has++ = dls_tendon_has(m->tendon + t);
  for (int j = 0; j < m->joints; j++) a->joint_measure[j] = a->joint_pair[j] = -1;
  for (int c = 0; c < m->closures; c++) a->closure_pair[c] = a->closure_measure[c] = -1;
  for (int t = 0; t < m->tendons; t++) a->tendon_measure[t] = -1;
  return true;
}

dls_status dls_assembly_build(dls_assembly *a, const dls_mechanism *mechanism, dls_message *message)
{
  builder b = {.a = a, .mechanism = mechanism};
  a->measures.tree = a->tree;
  b.failed = !allocate(a, mechanism);
  if (!b.failed) add_closures(&b);
  if (!b.failed) add_axes(&b, 0);
  a->bilateral = a->rows;
  for (int pass = 1; pass < 3 && !b.failed; pass++) add_axes(&b, pass);
  if (!b.failed) add_drives(&b);
  b.failed = b.failed || !dls_measures_finish(&a->measures);
  return b.failed ? dls_fail(message, DLS_ERR_MEMORY, "out of memory") : DLS_OK;
}
