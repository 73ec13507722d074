// The page of a motion: frames, curves and events from the rows that were kept.
#include "view_page.h"

#include "message.h"

#include <delassus/output.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COORDINATES_MOST = 300 };

static const view_row *row_at(const view_rows *r, int k)
{
  return r->row[k];
}

static dls_state state_of(const view_row *row)
{
  return (dls_state){row->t, row->q, row->v};
}

// ---- contacts -----------------------------------------------------------------------------------

static void touch_of_row(const view_row *row, int j, int first, int tangents, view_touch *out)
{
  *out = (view_touch){.contact = j,
                      .id = row->id[j],
                      .status = (dls_contact_status)row->status[j],
                      .percussion = row->struck[j]};
  for (int k = 0; k <= tangents && k < 3; k++) out->value[k] = row->value[first + k];
  view_touch_no_interval(out);
}

static void add_contacts(view_page *p, const view_row *row)
{
  const dls_state state = state_of(row);
  const dls_system *s = p->file->system;
  view_touch *touch = calloc((size_t)row->m + 1, sizeof *touch);
  int count = 0, first = 0;
  if (!touch) {
    p->failed = true;
    return;
  }
  for (int j = 0; j < row->m; j++) {
    const int tangents = row->first ? row->first[j + 1] - row->first[j] : s->contacts[j].tangents;
    touch_of_row(row, j, first, tangents, &touch[count]);
    first += 1 + tangents;
    // where contacts come and go the bilateral ones are joints, which have no place
    if (!s->find || row->id[j]) count++;
  }
  view_page_touches(p, count, touch, &state);
  free(touch);
}

// ---- curves -------------------------------------------------------------------------------------

static int count_curves(const view_page *p)
{
  const dls_system *s = p->system;
  const int numbers = dls_system_nq(s) + s->n;
  const int outputs = s->find ? 0 : dls_model_output_count(p->file->model);
  return (s->energy ? 3 : 0) + outputs + (numbers <= COORDINATES_MOST ? numbers : 0);
}

static bool name_curve(view_page *p, const char *name, const char *ending, const char *group)
{
  buffer_add(&p->curve_names, "%s%s%c", name, ending, 0);
  p->curve[p->curves++] = (dls_view_curve){.group = group};
  return !p->curve_names.failed;
}

static bool name_curves(view_page *p)
{
  const dls_system *s = p->system;
  bool good = true;
  static const char *const energy[] = {"energy", "kinetic", "potential"};
  for (int k = 0; s->energy && k < 3; k++) good = good && name_curve(p, energy[k], "", "energy");
  for (int k = 0; !s->find && k < dls_model_output_count(p->file->model); k++)
    good = good && name_curve(p, dls_model_output_name(p->file->model, k), "", "outputs");
  if (dls_system_nq(s) + s->n > COORDINATES_MOST) return good;
  for (int k = 0; k < dls_system_nq(s); k++)
    good = good && name_curve(p, dls_configuration_names(s)[k], "", "coordinates");
  for (int k = 0; k < s->n; k++) good = good && name_curve(p, s->coordinates[k], "'", "velocities");
  return good;
}

static bool make_curves(view_page *p)
{
  const size_t count = (size_t)count_curves(p), frames = (size_t)p->frames;
  p->curve = calloc(count + 1, sizeof *p->curve);
  p->curve_value = calloc(count * frames + 1, sizeof *p->curve_value);
  if (!p->curve || !p->curve_value || !name_curves(p)) return false;
  const char *name = p->curve_names.text;  // one behind the other
  for (size_t k = 0; k < count; k++, name += strlen(name) + 1) {
    p->curve[k].name = name;
    p->curve[k].value = p->curve_value + k * frames;
  }
  return true;
}

static void energies(view_page *p, const dls_state *state, double *out)
{
  const dls_system *s = p->system;
  const double *q = state->q, *v = state->v;
  dls_status status = DLS_OK;
  out[0] = out[1] = out[2] = (double)NAN;
  if (s->chart) {
    status = s->chart->centre(s->self, q, NULL);
    if (status == DLS_OK) status = s->chart->enter(s->self, q, v, p->local, p->local + s->n);
    q = p->local, v = p->local + s->n;
  }
  if (status == DLS_OK) status = s->energy(s->self, state->t, q, v, &out[1], &out[2], NULL);
  if (status == DLS_OK) out[0] = out[1] + out[2];
}

// Forces for the outputs, percussions and all where a row takes time; NULL at the first one.
static double *forces_of(const view_row *row, bool first)
{
  double *force = first ? NULL : calloc((size_t)row->impulses + 1, sizeof *force);
  for (int k = 0; force && k < row->impulses; k++)
    force[k] = row->time > 0 ? row->impulse[k] / row->time : row->value[k];
  return force;
}

static void fill_curves(view_page *p, const view_row *row, int frame)
{
  const dls_system *s = p->system;
  const dls_state state = state_of(row);
  const int outputs = s->find ? 0 : dls_model_output_count(p->file->model);
  const int room = outputs > 3 ? outputs : 3;
  double *x = calloc((size_t)room, sizeof *x), *value = p->curve_value + frame;
  if (!x) {
    p->failed = true;
    return;
  }
  int k = 0;
  if (s->energy) {
    energies(p, &state, x);
    for (int i = 0; i < 3; i++) value[(size_t)k++ * (size_t)p->frames] = x[i];
  }
  if (outputs > 0) {
    double *force = forces_of(row, frame == 0);
    const dls_status status = dls_model_outputs(s, row->t, row->q, row->v, force, x);
    for (int i = 0; i < outputs; i++)
      value[(size_t)k++ * (size_t)p->frames] = status == DLS_OK ? x[i] : (double)NAN;
    free(force);
  }
  free(x);
  if (k == p->curves) return;
  for (int i = 0; i < dls_system_nq(s); i++) value[(size_t)k++ * (size_t)p->frames] = row->q[i];
  for (int i = 0; i < s->n; i++) value[(size_t)k++ * (size_t)p->frames] = row->v[i];
}

// ---- events -------------------------------------------------------------------------------------

static int earlier(const void *a, const void *b)
{
  const double x = ((const dls_view_event *)a)->t, y = ((const dls_view_event *)b)->t;
  return (x > y) - (x < y);
}

static const char *name_of_change(const view_page *p, const view_change *c)
{
  for (int k = 0; k < p->names && c->id; k++)
    if (p->name[k].id == c->id) return p->name[k].text;
  return c->id ? "" : p->file->system->contacts[c->contact].name;
}

static dls_view_event *merge_events(const view_page *p, const view_rows *rows,
                                    const view_about *about, int *count)
{
  dls_view_event *event = calloc((size_t)rows->changes + (size_t)about->events + 1, sizeof *event);
  if (!event) return NULL;
  *count = 0;
  for (int k = 0; k < rows->changes; k++)
    event[(*count)++] = (dls_view_event){rows->change[k].t, dls_event_name(rows->change[k].kind),
                                         name_of_change(p, &rows->change[k])};
  for (int k = 0; k < about->events; k++) event[(*count)++] = about->event[k];
  qsort(event, (size_t)*count, sizeof *event, earlier);
  return event;
}

// ---- all of it ----------------------------------------------------------------------------------

static int fill(view_page *p, const view_rows *rows)
{
  int wrong = 0;
  for (int k = 0; k < p->frames && !wrong; k++) {
    const view_row *row = row_at(rows, k);
    const dls_state state = state_of(row);
    wrong = view_page_frame(p, &state);
    if (wrong) break;
    add_contacts(p, row);
    fill_curves(p, row, k);
  }
  return wrong;
}

int view_motion(const model_file *file, const view_rows *rows, const view_about *about, char **html,
                size_t *size)
{
  view_page p;
  if (rows->failed) return complain("out of memory");
  int wrong = view_page_begin(&p, file, view_rows_count(rows));
  if (!wrong && !make_curves(&p)) wrong = complain("out of memory");
  if (!wrong) wrong = fill(&p, rows);
  dls_view_event *event = NULL;
  if (!wrong) {
    event = merge_events(&p, rows, about, &p.view.events);
    if (!event) wrong = complain("out of memory");
    p.view.event = event;
    p.view.title = about->title, p.view.subtitle = about->subtitle;
  }
  if (rows->every > 1)
    view_page_note(&p, "Of %ld recorded rows each %ld-th is shown.", rows->met, rows->every);
  if (rows->all_changes > rows->changes)
    view_page_note(&p, "The first %d of %ld events are marked.", rows->changes, rows->all_changes);
  if (p.system && dls_system_nq(p.system) + p.system->n > COORDINATES_MOST)
    view_page_note(&p, "Curves of coordinates are left out: there are too many.");
  if (!wrong) wrong = view_page_write(&p, html, size);
  free(event);
  view_page_free(&p);
  return wrong;
}
