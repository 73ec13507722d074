// The incremental problem of a step of a world, in its global form.                   eq (wld.1)
#include "base/memory.h"
#include "base/message.h"
#include "step/rotation.h"
#include "step/tolerances.h"
#include "step/world.h"

#include <math.h>
#include <string.h>

// Rows of a contact, velocities of a body, entries of a row of a contact in H.
enum { ROWS = 3, DOF = 6, ENTRIES = 2 * DOF, LARGEST = 1 << 27 };

// Everything is filled anew in each step: nothing is copied.
static dls_status make_room(dls_world_problem *p, ptrdiff_t dof, ptrdiff_t rows)
{
  if (p->memory && dof <= p->dof_room && rows <= p->row_room) return DLS_OK;
  if (dof > p->dof_room) p->dof_room = dof + dof / 2;
  if (rows > p->row_room) p->row_room = rows + rows / 2;
  dls_arena_free(p->memory);
  p->memory = dls_arena_create();
  if (!p->memory) return DLS_ERR_MEMORY;
  dls_arena *a = p->memory;
  p->M_p = dls_arena_alloc(a, p->dof_room + 1, sizeof *p->M_p);
  p->M_i = dls_arena_alloc(a, 2 * p->dof_room, sizeof *p->M_i);
  p->M_x = dls_arena_alloc(a, 2 * p->dof_room, sizeof *p->M_x);
  p->f = dls_arena_alloc(a, p->dof_room, sizeof *p->f);
  p->v = dls_arena_alloc(a, p->dof_room, sizeof *p->v);
  p->w = dls_arena_alloc(a, p->row_room, sizeof *p->w);
  p->r = dls_arena_alloc(a, p->row_room, sizeof *p->r);
  p->gap = dls_arena_alloc(a, p->row_room / ROWS + 1, sizeof *p->gap);
  if (p->M_p && p->M_i && p->M_x && p->f && p->v && p->w && p->r && p->gap) return DLS_OK;
  dls_arena_free(p->memory);
  p->memory = NULL;
  return DLS_ERR_MEMORY;
}

// ---- bodies ------------------------------------------------------------------------------------

// Turns the inertia and the spin into the axes of the world.
static void place(const dls_body *b, dls_mover *m)
{
  const double *I = b->inertia;
  const double body[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  double half[9];  // R I
  dls_rotation_matrix(b->quaternion, m->R);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      half[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) half[3 * i + j] += m->R[3 * i + k] * body[3 * k + j];
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      m->inertia[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) m->inertia[3 * i + j] += half[3 * i + k] * m->R[3 * j + k];
    }
  memcpy(m->velocity, b->velocity, sizeof b->velocity);
  dls_rotate(m->R, b->spin, m->velocity + 3);
  m->free_speed = sqrt(dls_dot3(m->velocity, m->velocity));
}

// Rows of M, and f = M v + h (forces), of a body that forces move.
static void add_mass(dls_world *w, int number, double h)
{
  const dls_body *b = &w->body[number];
  dls_mover *m = &w->mover[number];
  dls_world_problem *p = &w->step;
  for (int i = 0; i < DOF; i++) {
    const int column = m->dof + i, first = i < 3 ? i : 3, last = i < 3 ? i + 1 : DOF;
    int at = p->M_p[column];
    for (int k = first; k < last; k++, at++) {
      p->M_i[at] = m->dof + k;
      p->M_x[at] = i < 3 ? b->mass : m->inertia[3 * (i - 3) + k - 3];
    }
    p->M_p[column + 1] = at;
  }
  double momentum[3];
  dls_rotate(m->inertia, m->velocity + 3, momentum);
  for (int i = 0; i < 3; i++) {
    const double weight = b->mass * w->options.gravity[i];
    p->f[m->dof + i] = b->mass * m->velocity[i] + h * (weight + m->force[i]);
    p->f[m->dof + 3 + i] = momentum[i] + h * m->force[3 + i];
  }
  memcpy(p->v + m->dof, m->velocity, sizeof m->velocity);
  m->free_speed = sqrt(dls_dot3(p->f + m->dof, p->f + m->dof)) / b->mass;
}

// ---- contacts ----------------------------------------------------------------------------------

// The velocity of a point of the body along a direction.
static double velocity_along(const dls_world *w, int number, const double *point, const double *d)
{
  if (number == DLS_GROUND) return 0;
  const double *x = w->body[number].position, *v = w->mover[number].velocity;
  const double arm[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
  double turning[3];
  dls_cross(v + 3, arm, turning);
  return dls_dot3(v, d) + dls_dot3(turning, d);
}

// A row as it is made.
typedef struct row_entries {
  int count, i[ENTRIES];
  double x[ENTRIES];
} row_entries;

// Its entries for one body: +-(d, arm x d).
static void add_entries(const dls_world *w, int number, double sign, const double *point,
                        const double *d, row_entries *row)
{
  const dls_mover *m = &w->mover[number];
  const double *x = w->body[number].position;
  const double arm[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
  double moment[3];
  dls_cross(arm, d, moment);
  for (int i = 0; i < DOF; i++, row->count++) {
    row->i[row->count] = m->dof + i;
    row->x[row->count] = sign * (i < 3 ? d[i] : moment[i - 3]);
  }
}

static bool is_moved(const dls_world *w, int number)
{
  return number != DLS_GROUND && w->mover[number].dof >= 0;
}

// One row: what forces move goes to J, what moves by itself to w.
static dls_contact_row make_row(const dls_world *w, const dls_world_contact *c, const double *d,
                                row_entries *row)
{
  const bool a = is_moved(w, c->a), b = is_moved(w, c->b);
  double imposed = 0;
  row->count = 0;
  if (a && b && w->mover[c->b].dof < w->mover[c->a].dof) {  // indices increase
    add_entries(w, c->b, -1, c->point, d, row);
    add_entries(w, c->a, 1, c->point, d, row);
  } else {
    if (a) add_entries(w, c->a, 1, c->point, d, row);
    if (b) add_entries(w, c->b, -1, c->point, d, row);
  }
  if (!a) imposed += velocity_along(w, c->a, c->point, d);
  if (!b) imposed -= velocity_along(w, c->b, c->point, d);
  return (dls_contact_row){.entries = row->count, .i = row->i, .x = row->x, .w = imposed};
}

// Gaps that the tolerance leaves behind are not told from zero: where more contacts touch than
// determine the motion they would decide which of them bear.
static double smallest_gap(const dls_world *w, const dls_world_contact *c, double h)
{
  const double a = c->a == DLS_GROUND ? 0 : w->mover[c->a].free_speed;
  const double b = c->b == DLS_GROUND ? 0 : w->mover[c->b].free_speed;
  return gap_by_tolerance * w->options.tolerance * h * fmax(a, b);
}

// w_N of eq (wld.1).
static double normal_term(const dls_world *w, const dls_world_contact *c, double h)
{
  const double before =
      velocity_along(w, c->a, c->point, c->normal) - velocity_along(w, c->b, c->point, c->normal);
  const bool hit = before < 0 && c->gap + h * before <= 0;
  if (c->restitution > 0 && hit) return c->restitution * before;
  return c->gap > smallest_gap(w, c, h) ? c->gap / h : 0;
}

static dls_status add_contact(dls_world *w, int k, double h, dls_message *message)
{
  const dls_world_contact *c = &w->contact[k];
  dls_world_problem *p = &w->step;
  dls_contact_data data = {.law = DLS_LAW_CONE,
                           .id = c->id,
                           .gap = c->gap,
                           .mu = c->friction,
                           .e = c->restitution,
                           .rows = ROWS};
  row_entries entries[ROWS];
  double start[3];
  dls_world_recall(w, c->id, start);
  for (int i = 0; i < ROWS; i++) {
    const double *d = &w->frame[k][3 * i];
    data.row[i] = make_row(w, c, d, &entries[i]);
    p->w[ROWS * k + i] = data.row[i].w;
    p->r[ROWS * k + i] = dls_dot3(d, start);
  }
  p->w[ROWS * k] += normal_term(w, c, h);
  return dls_contacts_add(p->contacts, &data, message);
}

dls_status dls_world_assemble(dls_world *w, double h, dls_message *message)
{
  dls_world_problem *p = &w->step;
  int dof = 0;
  for (int b = 0; b < w->bodies; b++) dof += w->mover[b].dof >= 0 ? DOF : 0;
  if (dof > LARGEST || w->contacts > LARGEST / (ROWS * ENTRIES))
    return dls_fail(message, DLS_ERR_LIMIT, "more bodies or contacts than a step may have");
  const int rows = ROWS * w->contacts;
  dls_status status = make_room(p, dof, rows);
  if (status == DLS_OK && !p->contacts) status = dls_contacts_create(DOF, &p->contacts);
  if (status != DLS_OK) return status;
  dls_contacts_clear(p->contacts, dof);
  p->M_p[0] = 0;
  for (int b = 0; b < w->bodies; b++) {
    place(&w->body[b], &w->mover[b]);
    if (w->mover[b].dof >= 0) add_mass(w, b, h);
  }
  for (int k = 0; k < w->contacts && status == DLS_OK; k++) status = add_contact(w, k, h, message);
  if (status != DLS_OK) return status;
  const dls_matrix_view M = {{dof, dof, p->M_p, p->M_i}, p->M_x};
  return dls_contacts_step(p->contacts, &M, p->f, p->w, &p->problem, message);
}

bool dls_world_penetrates(const dls_world *w, double h)
{
  for (int k = 0; k < w->contacts; k++)
    if (-w->contact[k].gap > w->options.slop + smallest_gap(w, &w->contact[k], h)) return true;
  return false;
}

void dls_world_find_gaps(dls_world *w, double h)
{
  dls_world_problem *p = &w->step;
  const dls_matrix_view *J = &p->contacts->J;
  for (int k = 0; k < w->contacts; k++) {
    const dls_world_contact *c = &w->contact[k];
    double u = p->w[ROWS * k] - normal_term(w, c, h);
    for (int e = J->pattern.p[ROWS * k]; e < J->pattern.p[ROWS * k + 1]; e++)
      u += J->x[e] * p->v[J->pattern.i[e]];
    p->gap[k] = c->gap + h * u;
  }
}

void dls_world_assemble_apart(dls_world *w)
{
  dls_world_problem *p = &w->step;
  dls_clear(p->w, ROWS * (ptrdiff_t)w->contacts);
  dls_clear(p->r, ROWS * (ptrdiff_t)w->contacts);
  dls_clear(p->f, p->problem.dof);
  dls_clear(p->v, p->problem.dof);
  for (int k = 0; k < w->contacts; k++) {
    const double deep = p->gap[k] + w->options.slop;
    p->w[ROWS * k] = deep < 0 ? w->options.recovery * deep : fmax(p->gap[k], 0);
    p->contacts->mu[k] = 0;
  }
}
