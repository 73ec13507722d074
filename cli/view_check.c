// The page of a check: the state, the forces of each solution, the verdicts.
#include "check_picture.h"
#include "message.h"
#include "view_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMED = 3, NAME_SIZE = 160 };

static view_touch touch_of(const check_numbers *n, int contact)
{
  const dls_contact *c = &n->state->contacts[contact];
  const int place = check_place(n->state, contact);
  view_touch touch = {
      .contact = contact, .id = c->id, .status = c->status, .percussion = n->motion != NULL};
  view_touch_no_interval(&touch);
  if (place >= 0 && (n->solution || n->motion))
    check_multipliers(n, place, touch.value, touch.low, touch.high);
  for (int k = 1 + c->tangents; k < 3; k++) touch.low[k] = touch.high[k] = 0;
  return touch;
}

// All contacts, with the forces of one solution.
static int add_solution(view_page *p, const check_numbers *n)
{
  const dls_contact_state *s = n->state;
  const dls_state state = {s->t, (double *)s->q, (double *)s->v};
  view_touch *touch = calloc((size_t)s->m + 1, sizeof *touch);
  int count = 0, wrong = touch ? 0 : complain("out of memory");
  if (!wrong) wrong = view_page_frame(p, &state);
  for (int j = 0; touch && j < s->m && !wrong; j++)
    if (!p->system->find || s->contacts[j].id) touch[count++] = touch_of(n, j);
  if (!wrong) view_page_touches(p, count, touch, &state);
  free(touch);
  return wrong;
}

// "2: floor stick, wall slide+", as far as there are few contacts.
static void name_solution(const dls_contact_state *s, const dls_solution *solution, int number,
                          char *name)
{
  const int m_b = s->problem.m_b, m_u = s->problem.m_u;
  int at = snprintf(name, NAME_SIZE, "%d", number);
  if (!solution->mode) return;  // without friction nobody has asked
  for (int i = 0; i < m_u && m_u <= NAMED && at > 0 && at < NAME_SIZE; i++) {
    const char *mode = dls_mode_name(solution->mode[m_b + i]);
    if (mode[0])
      at += snprintf(name + at, (size_t)(NAME_SIZE - at), "%s%.30s %s", i ? ", " : ": ",
                     s->contacts[s->unilateral_contact[i]].name, mode);
  }
}

static void say(const dls_report *r, char *text, size_t size)
{
  const dls_check *c = r->check;
  const char *what = "the forces of each solution";
  if (r->contact_state->impact)
    what = r->impact && r->impact->motion ? "an impact: percussions" : "an impact";
  else if (c->solutions == 0)
    what = c->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO ? "no acceleration exists"
                                                                : "no forces were found";
  else if (c->solution_count == 1) what = "the one solution";
  else if (c->solution_count > c->solutions) what = "some of the solutions";
  else if (c->solution_count < 0) what = "solutions that were found; there may be others";
  bool unknown = false;
  for (int k = 0; k < c->solutions && !r->contact_state->impact; k++) {
    const check_numbers n = {.state = r->contact_state, .solution = &c->solution[k]};
    unknown = unknown || check_has_unknown(&n);
  }
  (void)snprintf(text, size, "%.120s%s; %s%s", r->at ? r->at : "initial values",
                 r->projection ? ", moved to the nearest consistent state" : "", what,
                 unknown ? "; intervals of some forces are not known" : "");
}

static int fill(view_page *p, const dls_report *r, int solutions, char (*name)[NAME_SIZE])
{
  const dls_contact_state *s = r->contact_state;
  int wrong = 0;
  for (int k = 0; k < solutions && !wrong; k++) {
    const check_numbers n = {.state = s, .solution = &r->check->solution[k]};
    name_solution(s, n.solution, k + 1, name[k]);
    wrong = add_solution(p, &n);
  }
  if (solutions > 0 || wrong) return wrong;
  const check_numbers n = {.state = s, .motion = s->impact && r->impact ? r->impact->motion : NULL};
  (void)snprintf(name[0], NAME_SIZE, "%s", n.motion ? "percussions" : "without forces");
  return add_solution(p, &n);
}

int view_check(const model_file *file, const dls_report *r, char **html, size_t *size)
{
  const int solutions = r->contact_state->impact ? 0 : r->check->solutions;
  const size_t frames = solutions > 0 ? (size_t)solutions : 1;
  char below[300], *json = NULL;
  view_page p = {0};
  char(*name)[NAME_SIZE] = calloc(frames, sizeof *name);
  const char **names = calloc(frames, sizeof *names);
  for (size_t k = 0; names && name && k < frames; k++) names[k] = name[k];
  int wrong = name && names ? 0 : complain("out of memory");
  if (!wrong) wrong = view_page_begin(&p, file, (int)frames);
  if (!wrong) wrong = fill(&p, r, solutions, name);
  if (!wrong) {
    const dls_status status = dls_report_json(r, &json);
    if (status != DLS_OK) wrong = model_file_failed(file, status, NULL);
  }
  say(r, below, sizeof below);
  p.view.title = r->title && r->title[0] ? r->title : view_name_of(r->model);
  p.view.subtitle = below;
  p.view.solution = names;
  p.view.report = json;
  if (!wrong) wrong = view_page_write(&p, html, size);
  view_page_free(&p);
  dls_report_text_free(json);
  free((void *)names);
  free(name);
  return wrong;
}
