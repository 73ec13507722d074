// What bodies weigh: as `inertial` says it, or from their geoms.
#include "format/mjcf.h"
#include "format/tolerances.h"
#include "format/turn.h"

#include <math.h>
#include <string.h>

static const double least_mass = 1e-14;  // lighter geoms do not count, as in MuJoCo

// ---- geoms
// ---------------------------------------------------------------------------------------

static bool of_mesh(const dls_mjcf_geom *g)
{
  return g->mesh_index >= 0 && (g->kind == DLS_SOLID_HULL || g->kind == DLS_MJCF_SDF);
}

// With a density of 1, in the frame of the geom.
static dls_mass unit_mass(dls_mjcf *m, const dls_mjcf_geom *g)
{
  if (of_mesh(g)) {
    dls_mjcf_mesh_need(m, &m->mesh[g->mesh_index], false);
    return m->mesh[g->mesh_index].mass;
  }
  dls_mass w = {0};
  if (g->kind >= DLS_SOLID_HULL || g->kind == DLS_SOLID_PLANE) return w;
  w.mass = dls_mass_measure((dls_solid_kind)g->kind, g->size, g->shell);
  dls_mass_moments((dls_solid_kind)g->kind, g->size, g->shell, w.inertia);
  for (int k = 0; k < 3; k++) w.inertia[k] *= w.mass;
  return w;
}

static void weigh_geom(dls_mjcf *m, dls_mjcf_geom *g)
{
  g->weight = (dls_mass){0};
  if (g->has_mass ? g->mass == 0 : g->density == 0) return;
  if (g->shell && of_mesh(g))
    dls_reading_fail(m->reading, g->element, "shellinertia",
                     "the mesh itself says that it is a shell: inertia=\"shell\"");
  dls_mass w = unit_mass(m, g);
  if (of_mesh(g) && !m->reading->status && !(w.mass > least_mass))
    dls_reading_fail(
        m->reading, g->element, "mesh",
        "the mesh encloses no volume: inertia=\"shell\" weighs its surface, mass=\"0\" "
        "nothing");
  if (!(w.mass > least_mass)) return;
  const double density = g->has_mass ? g->mass / w.mass : g->density;
  w.mass *= density;
  for (int k = 0; k < 6; k++) w.inertia[k] *= density;
  g->weight = dls_mass_in(&g->pose, &w);
}

static bool in_groups(const dls_mjcf *m, const dls_mjcf_geom *g)
{
  return g->group >= m->compiler.group[0] && g->group <= m->compiler.group[1];
}

static bool from_geoms(const dls_mjcf *m, const dls_mjcf_body *b)
{
  return m->compiler.inertia_from_geom == DLS_MJCF_YES ||
         (m->compiler.inertia_from_geom == DLS_MJCF_AUTO && !b->inertial);
}

static void add_geoms(dls_mjcf *m)
{
  for (int k = 0; k < m->geoms && !m->reading->status; k++) {
    dls_mjcf_geom *g = &m->geom[k];
    if (g->body == DLS_WORLD || !from_geoms(m, &m->body[g->body]) || !in_groups(m, g)) continue;
    weigh_geom(m, g);
    dls_mass *sum = &m->body[g->body].mass;
    if (g->weight.mass > least_mass)
      *sum = sum->mass > 0 ? dls_mass_sum(sum, &g->weight) : g->weight;
  }
}

// ---- inertial
// ------------------------------------------------------------------------------------

static void read_inertial(dls_mjcf *m, dls_mjcf_body *b)
{
  dls_file_reading *r = m->reading;
  const dls_xml_element *e = b->inertial;
  double full[6], diagonal[3] = {0};
  dls_reading_require(r, e, "pos");
  dls_reading_require(r, e, "mass");
  dls_reading_number(r, e, "mass", &b->mass.mass);
  const dls_pose pose = dls_mjcf_pose(m, e);
  memcpy(b->mass.centre, pose.position, sizeof b->mass.centre);
  const bool is_full = dls_reading_numbers(r, e, "fullinertia", 6, 6, full) > 0;
  const bool is_diagonal = dls_reading_numbers(r, e, "diaginertia", 3, 3, diagonal) > 0;
  if (is_full && is_diagonal)
    dls_reading_fail(r, e, "fullinertia", "`fullinertia` and `diaginertia` are two inertias");
  if (is_full) {
    static const char *const turns[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    for (int k = 0; k < dls_count_of(turns); k++) {
      if (dls_xml_find(e, turns[k]))
        dls_reading_fail(r, e, turns[k], "`fullinertia` needs no rotation");
    }
    memcpy(b->mass.inertia, full, sizeof full);
    return;
  }
  dls_mass_of_principal(diagonal, pose.quaternion, b->mass.inertia);
}

// ---- what the compiler mends
// ----------------------------------------------------------------------

static const dls_xml_element *place_of(const dls_mjcf_body *b)
{
  return b->inertial ? b->inertial : b->element;
}

// Bounds, and inertias that no mass distribution has: A + B < C.
static void mend(dls_mjcf *m, dls_mjcf_body *b)
{
  double moments[3], turn[4];
  dls_mass_principal(b->mass.inertia, moments, turn);
  const double least = m->compiler.least_inertia, size = fabs(moments[0]) + fabs(moments[2]);
  bool changed = false;
  if (b->mass.mass < 0 && !(m->compiler.least_mass > 0))
    dls_reading_fail(m->reading, place_of(b), "mass", "`mass` must not be negative");
  b->mass.mass = fmax(b->mass.mass, m->compiler.least_mass);
  for (int k = 0; k < 3; k++) {
    if (moments[k] < -inertia_digits * size && !(least > 0))
      dls_reading_fail(m->reading, place_of(b), NULL, "an inertia must not be negative");
    if (moments[k] >= least) continue;
    moments[k] = least;
    changed = true;
  }
  const double sum = moments[0] + moments[1] + moments[2];
  const double excess = moments[0] - moments[1] - moments[2];
  if (excess > (m->compiler.balance ? inertia_rounding : inertia_digits) * sum) {
    if (!m->compiler.balance)
      dls_reading_fail(m->reading, place_of(b), NULL,
                       "no body has principal moments of inertia %g, %g, %g: A + B >= C; "
                       "the compiler's balanceinertia=\"true\" makes them equal",
                       moments[0], moments[1], moments[2]);
    moments[0] = moments[1] = moments[2] = sum / 3;
    changed = true;
  }
  if (changed) dls_mass_of_principal(moments, turn, b->mass.inertia);
}

static void scale_to_total(dls_mjcf *m)
{
  double sum = 0;
  for (int k = 0; k < m->bodys; k++) sum += m->body[k].mass.mass;
  if (!(m->compiler.total_mass > 0) || !(sum > 0)) return;
  const double scale = m->compiler.total_mass / sum;
  for (int k = 0; k < m->bodys; k++) {
    m->body[k].mass.mass *= scale;
    for (int i = 0; i < 6; i++) m->body[k].mass.inertia[i] *= scale;
  }
}

void dls_mjcf_weigh(dls_mjcf *m)
{
  add_geoms(m);
  for (int k = 0; k < m->bodys && !m->reading->status; k++) {
    dls_mjcf_body *b = &m->body[k];
    if (b->inertial && !from_geoms(m, b)) read_inertial(m, b);
    // inertiafromgeom="true" without any that weighs
    else if (b->inertial && b->mass.mass == 0) read_inertial(m, b);
    mend(m, b);
  }
  if (!m->reading->status) scale_to_total(m);
}
