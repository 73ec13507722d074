// Coordinates of the text that follow from those of bodies.                         eq (pul.1)
#include "model/placement.h"
#include "model/pullback.h"

#include "base/message.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>

void dls_body_markers_free(dls_body_markers *m)
{
  if (!m) return;
  dls_tree_free(m->tree);
  dls_arena_free(m->arena);
  free(m->first);
  free(m->index);
  free(m->J);
  free(m->z);
  free(m->marker);
  free(m->body);
  free(m->place);
  free(m);
}

static int parts_of(const dls_body_marker *marker)
{
  return marker->kind == DLS_MARKER_JOINT ? 1 : 3;
}

// The velocities that move a body, in number, and where they stand.
static int velocities_of(const dls_tree *tree, int body, int *index)
{
  int count = 0;
  if (body < 0) return 0;
  for (int k = tree->last[body]; k >= 0; k = tree->above[k], count++)
    if (index) index[count] = k;
  return count;
}

static bool lay_out(dls_body_markers *m)
{
  ptrdiff_t entries = m->own;
  for (int k = 0; k < m->markers; k++)
    entries += m->marker[k].kind == DLS_MARKER_JOINT
                   ? 1
                   : 3 * (ptrdiff_t)velocities_of(m->tree, m->body[k], NULL);
  m->first = dls_alloc((ptrdiff_t)m->count + 1, sizeof *m->first);
  m->index = dls_alloc(entries + 1, sizeof *m->index);
  m->J = dls_alloc(2 * (entries + 1), sizeof *m->J);
  m->z = dls_alloc(6 * ((ptrdiff_t)m->count + 1), sizeof *m->z);
  if (!m->first || !m->index || !m->J || !m->z || entries > INT_MAX) return false;
  m->J_error = m->J + entries + 1;
  double *const arrays[] = {m->z};
  m->z_dot = arrays[0] + m->count + 1, m->c = m->z_dot + m->count + 1;
  m->z_error = m->c + m->count + 1, m->z_dot_error = m->z_error + m->count + 1;
  m->c_error = m->z_dot_error + m->count + 1;
  int at = 0;
  for (int i = 0; i < m->own; i++, at++) m->first[i] = at, m->index[at] = m->n + i, m->J[at] = 1;
  for (int k = 0; k < m->markers; k++)
    for (int p = 0; p < parts_of(&m->marker[k]); p++) {
      m->first[m->marker[k].coordinate + p] = at;
      if (m->marker[k].kind == DLS_MARKER_JOINT) m->index[at] = m->body[k], m->J[at++] = 1;
      else at += velocities_of(m->tree, m->body[k], m->index + at);
    }
  m->first[m->count] = at;
  return true;
}

void dls_body_markers_update(dls_body_markers *m, const dls_model *model, const dls_made *made,
                             const double *number)
{
  const dls_source *s = &model->source;
  dls_expanded_update(&m->expanded, &made->mechanism);
  dls_tree_update(m->tree, &m->expanded.mechanism);
  for (int k = 0; k < m->markers; k++) {
    const dls_body_marker *marker = &m->marker[k];
    m->place[k] = dls_no_pose;
    double *p = m->place[k].position;
    if (marker->kind == DLS_MARKER_CENTRE && m->body[k] >= 0)
      dls_copy(p, made->mechanism.body[made->body[marker->of]].centre, 3);
    else if (marker->kind == DLS_MARKER_POINT && marker->point >= 0 &&
             s->points.items[marker->point].place.count > 0)
      dls_copy(p, number + s->points.items[marker->point].place.first, 3);
  }
}

static dls_status find_places(dls_body_markers *m, const dls_made *made, dls_coordinates_kind kind,
                              dls_message *message)
{
  for (int k = 0; k < m->markers; k++) {
    const dls_body_marker *marker = &m->marker[k];
    if (marker->kind != DLS_MARKER_JOINT) {
      m->body[k] = marker->of < 0 ? DLS_WORLD : m->expanded.body[made->body[marker->of]];
      continue;
    }
    const int joint = made->first_joint[marker->of];
    if (joint < 0)
      return dls_fail(message, DLS_ERR_MODEL,
                      "a joint that closes a loop has no coordinate that formulas can use");
    if (kind == DLS_MAXIMAL)
      return dls_fail(message, DLS_ERR_MODEL,
                      "in maximal coordinates formulas cannot use the joint `%s`",
                      made->mechanism.joint[joint].name);
    m->body[k] = m->tree->joint_v[m->expanded.joint_of_tree[joint]];
  }
  return DLS_OK;
}

dls_status dls_body_markers_create(const dls_model *model, const dls_made *made,
                                   const double *number, dls_coordinates_kind kind,
                                   dls_body_markers **out, dls_message *message)
{
  const dls_source *s = &model->source;
  dls_body_markers *m = dls_alloc(1, sizeof *m);
  *out = NULL;
  if (!m) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  m->own = s->own, m->count = s->coordinates.count, m->markers = s->markers.count;
  m->marker = dls_alloc((ptrdiff_t)m->markers + 1, sizeof *m->marker);
  m->body = dls_alloc((ptrdiff_t)m->markers + 1, sizeof *m->body);
  m->place = dls_alloc((ptrdiff_t)m->markers + 1, sizeof *m->place);
  dls_status status = m->marker && m->body && m->place ? DLS_OK : DLS_ERR_MEMORY;
  m->arena = dls_arena_create();
  if (!m->arena) status = DLS_ERR_MEMORY;
  if (status == DLS_OK)
    status = dls_expanded_create(&made->mechanism, kind, m->arena, &m->expanded);
  if (status == DLS_OK) status = dls_tree_create(&m->expanded.mechanism, &m->tree, message);
  if (status == DLS_OK) {
    m->n = m->tree->n;
    if (m->markers > 0) dls_copy(m->marker, s->markers.items, m->markers);
    status = find_places(m, made, kind, message);
  }
  if (status == DLS_OK && !lay_out(m)) status = DLS_ERR_MEMORY;
  if (status != DLS_OK) {
    dls_body_markers_free(m);
    return status == DLS_ERR_MEMORY ? dls_fail(message, status, "out of memory") : status;
  }
  dls_body_markers_update(m, model, made, number);
  *out = m;
  return DLS_OK;
}

// ---- at a state ---------------------------------------------------------------------------------

// R^T a, with its error.
static double turned_back(const double R[9], const double *R_error, const double a[3],
                          const double *a_error, int part, double *error)
{
  double sum = 0, bound = 0;
  for (int i = 0; i < 3; i++) {
    const double r = R[3 * i + part];
    sum += r * a[i];
    if (error)
      bound += fabs(r) * a_error[i] + R_error[3 * i + part] * (fabs(a[i]) + a_error[i]) +
               2 * DBL_EPSILON * fabs(r * a[i]);
  }
  if (error) *error = bound;
  return sum;
}

typedef struct motions {
  dls_solid_motion body, point;
  dls_solid_motion_error body_error, point_error;
  double r[3], r_error[3];
  bool bounds;
} motions;

static void move(const dls_body_markers *m, int k, bool bounds, motions *o)
{
  *o = (motions){.bounds = bounds};
  dls_tree_motion(m->tree, m->body[k], NULL, &o->body, bounds ? &o->body_error : NULL);
  dls_tree_motion(m->tree, m->body[k], &m->place[k], &o->point, bounds ? &o->point_error : NULL);
  for (int i = 0; i < 3; i++) {
    o->r[i] = o->point.p[i] - o->body.p[i];
    o->r_error[i] = o->point_error.p[i] + o->body_error.p[i] + DBL_EPSILON * fabs(o->r[i]);
  }
}

static void set_values(dls_body_markers *m, int k, const motions *o)
{
  const dls_body_marker *marker = &m->marker[k];
  const dls_solid_motion *p = &o->point;
  const dls_solid_motion_error *e = &o->point_error;
  for (int i = 0; i < 3; i++) {
    const int z = marker->coordinate + i;
    switch (marker->kind) {
    case DLS_MARKER_POINT:
    case DLS_MARKER_CENTRE:
      m->z[z] = p->p[i], m->z_dot[z] = p->v[i], m->c[z] = p->a[i];
      m->z_error[z] = e->p[i], m->z_dot_error[z] = e->v[i], m->c_error[z] = e->a[i];
      break;
    case DLS_MARKER_TURN:
      m->z[z] = 0, m->z_dot[z] = p->w[i], m->c[z] = p->alpha[i];
      m->z_error[z] = 0, m->z_dot_error[z] = e->w[i], m->c_error[z] = e->alpha[i];
      break;
    default:
      m->z[z] = m->z_error[z] = 0;
      m->z_dot[z] = turned_back(p->R, e->R, p->w, e->w, i, o->bounds ? &m->z_dot_error[z] : NULL);
      m->c[z] = turned_back(p->R, e->R, p->alpha, e->alpha, i, o->bounds ? &m->c_error[z] : NULL);
      break;
    }
  }
}

static void set_rows(dls_body_markers *m, int k, const motions *o)
{
  const dls_body_marker *marker = &m->marker[k];
  const int *first = m->first + marker->coordinate;
  const int entries = first[1] - first[0];
  const bool shifts = marker->kind == DLS_MARKER_POINT || marker->kind == DLS_MARKER_CENTRE;
  for (int j = 0; j < entries; j++) {
    dls_twist column, error = {{0}, {0}};
    const int velocity = m->index[first[0] + j];
    if (o->bounds)
      dls_tree_column_bounded(m->tree, velocity, m->body[k], o->r, o->r_error, &column, &error);
    else dls_tree_column(m->tree, velocity, m->body[k], o->r, &column);
    for (int i = 0; i < 3; i++) {
      const int at = first[i] + j;
      m->J_error[at] = shifts ? error.shift[i] : error.turn[i];
      if (marker->kind == DLS_MARKER_SPIN)
        m->J[at] = turned_back(o->point.R, o->point_error.R, column.turn, error.turn, i,
                               o->bounds ? &m->J_error[at] : NULL);
      else m->J[at] = shifts ? column.shift[i] : column.turn[i];
    }
  }
}

static void set_joint(dls_body_markers *m, int k, const double *x, const double *x_dot)
{
  const int z = m->marker[k].coordinate, v = m->body[k];
  m->z[z] = x[v], m->z_dot[z] = x_dot[v];
  m->c[z] = m->z_error[z] = m->z_dot_error[z] = m->c_error[z] = 0;
}

dls_status dls_body_markers_evaluate(dls_body_markers *m, const double *x, const double *x_dot,
                                     bool bounds)
{
  for (int i = 0; i < m->own; i++) m->z[i] = x[m->n + i], m->z_dot[i] = x_dot[m->n + i];
  if (m->markers == 0) return DLS_OK;
  const dls_status status = dls_tree_move(m->tree, x, x_dot, NULL, bounds);
  if (status != DLS_OK) return status;
  for (int k = 0; k < m->markers; k++) {
    if (m->marker[k].kind == DLS_MARKER_JOINT) {
      set_joint(m, k, x, x_dot);
      continue;
    }
    motions o;
    move(m, k, bounds, &o);
    set_values(m, k, &o);
    set_rows(m, k, &o);
  }
  return DLS_OK;
}
