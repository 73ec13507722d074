// The mechanism at the state of a check, with the forces of its contacts.
#include "check_picture.h"

#include "message.h"

#include <delassus/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int drawing_of_model(const model_file *file, const char *out, dls_drawing **drawing)
{
  dls_message message = {0};
  const dls_status status = dls_drawing_create(file->system, drawing, &message);
  if (status != DLS_OK) return model_file_failed(file, status, &message);
  if (dls_drawing_count(*drawing) > 0) return 0;
  complain("%s: the model says nothing about what it looks like, which %s needs", file->shown, out);
  add_line("write `draw` statements, such as");
  add_line("  draw segment (0, 0), (x, y)");
  add_line("  draw disc (x, y), 0.1 { fill }");
  add_line("  draw force floor at (x, y)");
  return EXIT_WRONG;
}

int check_place(const dls_contact_state *s, int contact)
{
  for (int i = 0; i < s->problem.m_b; i++)
    if (s->bilateral_contact[i] == contact) return i;
  for (int i = 0; i < s->problem.m_u; i++)
    if (s->unilateral_contact[i] == contact) return s->problem.m_b + i;
  return -1;
}

void check_multipliers(const check_numbers *n, int place, double value[3], double low[3],
                       double high[3])
{
  const dls_problem *p = &n->state->problem;
  const int u = place - p->m_b;
  const dls_solution *s = n->solution;
  for (int k = 0; k < 3; k++) low[k] = high[k] = NAN;
  if (s) {
    value[0] = u < 0 ? s->lambda_b[place] : s->lambda_u[u];
    low[0] = u < 0 ? s->low_b[place] : s->low_u[u];
    high[0] = u < 0 ? s->high_b[place] : s->high_u[u];
  } else {
    value[0] = u < 0 ? n->motion->p_b[place] : n->motion->p_u[u];
  }
  const dls_weights *w = p->weights;
  const dls_friction *f = w ? w->problem.friction : p->friction;
  for (int k = w ? w->dry : 0; w && k < w->count; k++)  // whose friction a weight presses
    if (w->contact[k] == place) {
      place = p->m_b + p->m_u + k;
      break;
    }
  const int first = f ? f->first[place] : 0, count = f ? f->first[place + 1] - first : 0;
  for (int k = 0; k < count && k < 2; k++) {
    const int row = first + k;
    value[k + 1] = s ? s->tau[row] : n->motion->p_t[row];
    if (!s) continue;
    low[k + 1] = s->low_t[row], high[k + 1] = s->high_t[row];
  }
}

static int collect(const check_numbers *n, const dls_drawing *drawing, dls_scene_force *force)
{
  const dls_shape *shape = dls_drawing_shapes(drawing);
  int count = 0;
  for (int k = 0; k < dls_drawing_count(drawing); k++) {
    if (shape[k].kind != DLS_SHAPE_FORCE) continue;
    const int place = check_place(n->state, shape[k].contact);
    const dls_contact *contact = &n->state->contacts[shape[k].contact];
    if (place < 0 || contact->status == DLS_OPEN || contact->status == DLS_SEPARATING) continue;
    dls_scene_force *f = &force[count++];
    *f = (dls_scene_force){.name = contact->name,
                           .shape = &shape[k],
                           .friction = contact->friction,
                           .unilateral = contact->kind == DLS_UNILATERAL,
                           .ground = shape[k].ground};
    check_multipliers(n, place, f->value, f->low, f->high);
  }
  return count;
}

bool check_has_unknown(const check_numbers *n)
{
  const dls_problem *p = &n->state->problem;
  const dls_solution *s = n->solution;
  bool unknown = false;
  for (int i = 0; s && i < p->m_b; i++) unknown = unknown || isnan(s->low_b[i]);
  for (int i = 0; s && i < p->m_u; i++) unknown = unknown || isnan(s->low_u[i]);
  for (int i = 0; s && p->friction && i < p->friction->tangents; i++)
    unknown = unknown || isnan(s->low_t[i]);
  return unknown;
}

// Which of the answers is drawn, and what is not.
static void say(const dls_report *r, const check_numbers *n, const dls_drawing *drawing, char *text,
                size_t size)
{
  const dls_check *c = r->check;
  const char *at = r->at ? r->at : "initial values";
  int hidden = 0;
  for (int k = 0; k < dls_drawing_count(drawing); k++)
    hidden += !dls_drawing_shapes(drawing)[k].visible;
  char which[120] = "";
  const char *exists = c->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO
                           ? "; no acceleration exists"
                           : "; no forces were found";
  if (n->motion)
    (void)snprintf(which, sizeof which, "; an impact, %s are drawn",
                   n->motion->continuum == DLS_CONTINUUM_NONE
                       ? "percussions"
                       : "percussions that are not the only ones");
  else if (!n->solution) (void)snprintf(which, sizeof which, "%s", exists);
  else if (c->solution_count > 1)
    (void)snprintf(which, sizeof which, "; one of %d solutions is drawn", c->solution_count);
  else if (c->solution_count < 0 && c->verdict[DLS_ACCELERATION_UNIQUE].answer != DLS_YES)
    (void)snprintf(which, sizeof which, "; one solution is drawn, there may be others");
  const int length =
      snprintf(text, size, "%.80s%s%s", at, which,
               check_has_unknown(n) ? "; intervals of some forces are not known" : "");
  if (hidden > 0 && length > 0 && (size_t)length < size)
    (void)snprintf(text + length, size - (size_t)length, "; %d shape%s no place here", hidden,
                   hidden == 1 ? " has" : "s have");
}

dls_status check_picture(const dls_report *r, dls_drawing *drawing, dls_picture_form form,
                         char **data, size_t *size, dls_message *message)
{
  const dls_contact_state *s = r->contact_state;
  const dls_state state = {s->t, (double *)s->q, (double *)s->v};
  dls_status status = dls_drawing_evaluate_forces(drawing, &state, message);
  if (status != DLS_OK) return status;
  dls_scene_force *force = calloc((size_t)dls_drawing_count(drawing) + 1, sizeof *force);
  if (!force) return DLS_ERR_MEMORY;
  const check_numbers n = {.state = s,
                           .solution =
                               !s->impact && r->check->solutions > 0 ? r->check->solution : NULL,
                           .motion = s->impact && r->impact ? r->impact->motion : NULL};
  char below[300];
  say(r, &n, drawing, below, sizeof below);
  dls_scene scene = {.title = r->title && r->title[0] ? r->title : r->model,
                     .subtitle = below,
                     .space = dls_drawing_space(drawing),
                     .instants = 1,
                     .count = dls_drawing_count(drawing),
                     .shape = dls_drawing_shapes(drawing),
                     .forces = n.solution || n.motion ? collect(&n, drawing, force) : 0,
                     .force = force,
                     .force_label = n.motion ? "percussion" : "force"};
  for (int k = 0; k < 3; k++) scene.view[k] = dls_drawing_view(drawing)[k];
  status = dls_scene_draw(&scene, form, data, size, message);
  free(force);
  return status;
}
