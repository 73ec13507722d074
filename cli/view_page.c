#include "view_page.h"

#include "message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool view_available(void)
{
  if (dls_view_available()) return true;
  complain("this delassus was built without its viewer");
  add_line("it needs node and npm when it is built (Debian: nodejs npm), and a network once");
  return false;
}

const char *view_name_of(const char *path)
{
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

void view_page_free(view_page *p)
{
  dls_drawing_free(p->drawing);
  dls_values_free(p->values);
  dls_system_free(p->system);
  free(p->t);
  free(p->pose);
  free(p->shape);
  free(p->first);
  free(p->contact);
  free(p->name);
  free(p->by_id);
  free(p->by_contact);
  free(p->local);
  free(p->curve);
  free(p->curve_value);
  buffer_free(&p->curve_names);
  *p = (view_page){0};
}

void view_page_note(view_page *p, const char *format, ...)
{
  va_list list;
  if (p->notes == 6) return;
  va_start(list, format);
  (void)vsnprintf(p->note_text[p->notes], sizeof p->note_text[0], format, list);
  va_end(list);
  p->note[p->notes] = p->note_text[p->notes];
  p->notes++;
}

// ---- the beginning ------------------------------------------------------------------------------

static int begin_system(view_page *p, const model_file *file)
{
  model_file own = *file;
  own.system = NULL;
  const int wrong = model_file_set(&own);
  p->system = own.system;
  if (wrong) return wrong;
  p->mechanism = dls_model_mechanism(p->system);
  p->bodies = dls_model_bodies(p->system);
  return 0;
}

static int begin_drawing(view_page *p)
{
  dls_message message = {0};
  const dls_status status = dls_drawing_create(p->system, &p->drawing, &message);
  if (status != DLS_OK) return model_file_failed(p->file, status, &message);
  const dls_shape *shape = dls_drawing_shapes(p->drawing);
  for (int k = 0; k < dls_drawing_count(p->drawing); k++)
    p->forces = p->forces || shape[k].kind == DLS_SHAPE_FORCE;
  if (dls_drawing_count(p->drawing) > 0 || p->mechanism) return 0;
  view_page_note(p, "The model says nothing about what it looks like: draw statements do, such as "
                    "draw disc (x, y), 0.1");
  return 0;
}

int view_page_begin(view_page *p, const model_file *file, int frames)
{
  *p = (view_page){.file = file, .frames = frames};
  int wrong = begin_system(p, file);
  if (!wrong) wrong = begin_drawing(p);
  if (wrong) return wrong;
  const size_t f = (size_t)frames, shapes = (size_t)dls_drawing_count(p->drawing);
  const size_t bodies = p->mechanism ? (size_t)p->mechanism->bodies : 0;
  const size_t n = (size_t)p->system->n, m = (size_t)p->system->m;
  p->t = calloc(f, sizeof *p->t);
  p->pose = calloc(f * bodies + 1, sizeof *p->pose);
  p->shape = calloc(f * shapes + 1, sizeof *p->shape);
  p->first = calloc(f + 1, sizeof *p->first);
  p->by_contact = calloc(m + 1, sizeof *p->by_contact);
  p->local = calloc(2 * n + 1, sizeof *p->local);
  const bool valued = dls_values_create(p->system, &p->values) == DLS_OK;
  for (size_t j = 0; p->by_contact && j < m; j++) p->by_contact[j] = -1;
  const bool good = p->t && p->pose && p->shape && p->first && p->by_contact && p->local && valued;
  return good ? 0 : complain("out of memory");
}

// ---- frames -------------------------------------------------------------------------------------

int view_page_frame(view_page *p, const dls_state *state)
{
  const int k = p->frame, shapes = dls_drawing_count(p->drawing);
  const size_t bodies = p->mechanism ? (size_t)p->mechanism->bodies : 0;
  dls_message message = {0};
  dls_status status = DLS_OK;
  p->t[k] = state->t;
  if (bodies > 0) status = dls_mechanism_poses(p->bodies, state->q, p->pose + (size_t)k * bodies);
  if (status == DLS_OK && p->forces &&
      dls_drawing_evaluate_forces(p->drawing, state, &message) != DLS_OK) {
    p->forces = false;  // where they are is not known at this state
    view_page_note(p, "Forces are not drawn from t = %.4g on: %.120s", state->t, message.text);
  }
  if (status == DLS_OK && !p->forces && shapes > 0)
    status = dls_drawing_evaluate(p->drawing, state, &message);
  if (status != DLS_OK) return model_file_failed(p->file, status, &message);
  if (shapes > 0)
    memcpy(p->shape + (size_t)k * (size_t)shapes, dls_drawing_shapes(p->drawing),
           (size_t)shapes * sizeof *p->shape);
  p->frame++;
  p->first[p->frame] = p->contacts;
  return 0;
}

int view_page_write(view_page *p, char **html, size_t *size)
{
  dls_view *v = &p->view;
  dls_message message = {0};
  const dls_mechanism *m = p->mechanism;
  const int bodies = m ? m->bodies : 0;
  const char **body = calloc((size_t)bodies + 1, sizeof *body);
  const char **name = calloc((size_t)p->names + 1, sizeof *name);
  for (int b = 0; body && b < bodies; b++) body[b] = m->body[b].name;
  for (int k = 0; name && k < p->names; k++) name[k] = p->name[k].text;
  v->space = m ? 3 : dls_drawing_space(p->drawing);
  for (int k = 0; k < 3; k++)
    v->look[k] = m && dls_drawing_count(p->drawing) == 0 ? (double[]){0.7, -1, 0.5}[k]
                                                         : dls_drawing_view(p->drawing)[k];
  v->frames = p->frame, v->t = p->t;
  v->bodies = bodies, v->body = body, v->pose = p->pose;
  v->solids = m ? m->solids : 0, v->solid = m ? m->solid : NULL;
  v->shapes = dls_drawing_count(p->drawing), v->shape = p->shape;
  v->contact_names = p->names, v->contact_name = name;
  v->first = p->first, v->contact = p->contact;
  v->curves = p->curves, v->curve = p->curve;
  v->notes = p->notes, v->note = p->note;
  const dls_status status =
      body && name && !p->failed ? dls_view_html(v, html, size, &message) : DLS_ERR_MEMORY;
  free((void *)body);
  free((void *)name);
  return status == DLS_OK ? 0 : model_file_failed(p->file, status, &message);
}
