#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- models ------------------------------------------------------------------------------------

const char shelf[] = "parameter d = 0.3\n"
                     "coordinate y, theta\n"
                     "kinetic 2*y'^2 + theta'^2/4 + 3*(y' + d*cos(theta)*theta')^2\n"
                     "potential 9.81*(4*y + 6*(y + d*sin(theta)))\n"
                     "unilateral left:   y - 0.6*sin(theta) >= 0\n"
                     "unilateral middle: y >= 0\n"
                     "unilateral right:  y + 0.6*sin(theta) >= 0\n";
// a rod on two rails: everything regular, one contact opens
const char regular[] = "coordinate x, y, z\n"
                       "kinetic x'^2 + y'^2/2 + z'^2/2 + x'*y'/2\n"
                       "potential 3*y - 2*z\n"
                       "bilateral  rail:  x - y = 0\n"
                       "unilateral floor: y >= 0\n"
                       "unilateral roof:  z + x >= 0\n";
const char clash[] = "coordinate x, y\n"
                     "kinetic x'^2/2 + y'^2/2\n"
                     "bilateral fixed: x = 0\n"
                     "bilateral moved: x - t^2/2 = 0\n";
const char jaws[] = "coordinate x\n"
                    "kinetic x'^2/2\n"
                    "unilateral left:  x - t^2 >= 0\n"
                    "unilateral right: -x - t^2 >= 0\n";
const char pushed[] = "coordinate x, s\n"
                      "kinetic x'^2/2\n"
                      "potential s\n"
                      "unilateral floor: x >= 0\n";
const char idle[] = "coordinate x, y\n"
                    "kinetic x'^2/2 + y'^2/2\n"
                    "unilateral once:  x >= 0\n"
                    "unilateral twice: 2*x >= 0\n";
// s has no mass and is pressed against a stop
const char pressed[] = "coordinate x, s\n"
                       "kinetic x'^2/2\n"
                       "potential 2*s\n"
                       "unilateral stop: s >= 0\n";
const char linked[] = "coordinate x, s\n"
                      "kinetic x'^2/2\n"
                      "potential x\n"
                      "bilateral link: x - s = 0\n";
// s has no mass, and nothing pushes it
const char adrift[] = "coordinate x, s\n"
                      "kinetic x'^2/2\n"
                      "potential x\n"
                      "unilateral floor: x >= 0\n";
const char ladder[] =
    "parameter mu = 0.3\n"
    "coordinate x = sin(theta), y = cos(theta), theta = pi/4\n"
    "kinetic (x'^2 + y'^2)/2 + theta'^2/6\n"
    "potential 9.81*y\n"
    "bilateral  wall:  x - sin(theta) = 0  { slip y' - sin(theta)*theta'; friction mu }\n"
    "unilateral floor: y - cos(theta) >= 0 { slip x' + cos(theta)*theta'; friction mu }\n"
    "state falling: theta' = 1, x' = cos(theta), y' = -sin(theta)\n";
// Painleve's rod: critical 4/3 where tan a = 1/2
const char rod[] = "parameter mu = 0.3, g = 9.81\n"
                   "coordinate x = 0, y = sin(a), a = atan(2)\n"
                   "kinetic (x'^2 + y'^2)/2 + a'^2/6\n"
                   "potential g*y\n"
                   "unilateral floor: y - sin(a) >= 0 { slip x' + sin(a)*a'; friction mu }\n"
                   "state left: x' = -1\n"
                   "state right: x' = 1\n";
const char block[] = "parameter mu = 0.5, X = 1, h = 0.5\n"
                     "coordinate x, y = h, a\n"
                     "kinetic (x'^2 + y'^2)/2 + a'^2/6\n"
                     "potential 9.81*y\n"
                     "force x = X\n"
                     "unilateral left:  y - h*cos(a) - sin(a) >= 0 { slip x' + h*cos(a)*a' "
                     "- sin(a)*a'; friction mu }\n"
                     "unilateral right: y - h*cos(a) + sin(a) >= 0 { slip x' + h*cos(a)*a' "
                     "+ sin(a)*a'; friction mu }\n";
const char grasp[] = "parameter mu = 0.4\n"
                     "coordinate x, y, a\n"
                     "kinetic (x'^2 + y'^2 + a'^2)/2\n"
                     "unilateral left:  x >= 0 { slip y' - a'; friction mu }\n"
                     "unilateral right: -x >= 0 { slip y' + a'; friction mu }\n"
                     "object body: x, y, a\n";
const char touch[] = "coordinate x, y\n"
                     "kinetic (x'^2 + y'^2)/2\n"
                     "unilateral wall: x >= 0 { slip y'; friction 0.4 }\n"
                     "object body: x, y\n";
const char corner[] = "coordinate x, y, z\n"
                      "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                      "unilateral a: x >= 0\n"
                      "unilateral b: y >= 0\n"
                      "unilateral c: -x - y >= 0\n"
                      "object body: x, y\n";
const char belt[] = "parameter w = 1\n"
                    "coordinate x\n"
                    "kinetic x'^2/2\n"
                    "unilateral left:  x - w*t >= 0\n"
                    "unilateral right: -x - w*t >= 0\n";
const char spatial[] = "parameter mu = 0.5, X = 1\n"
                       "coordinate x, y, z\n"
                       "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                       "potential 9.81*z\n"
                       "force x = X\n"
                       "unilateral floor: z >= 0 { slip x', y'; friction mu }\n"
                       "state sliding: x' = 0.6, y' = 0.8\n";

// ---- a report and its model --------------------------------------------------------------------

void close_subject(subject *s)
{
  json_decref(s->report);
  dls_report_text_free(s->page);
  dls_system_free(s->system);
  dls_model_free(s->model);
}

subject open_model(const char *text, const char *sets)
{
  subject s = {0};
  dls_message message = {0};
  assert_int_equal(dls_model_parse(text, strlen(text), &s.model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(s.model, &s.system), DLS_OK);
  char list[200];
  snprintf(list, sizeof list, "%s", sets ? sets : "");
  for (char *item = strtok(list, ", "); item; item = strtok(NULL, ", ")) {
    char *value = strchr(item, '=');
    *value++ = 0;
    if (dls_model_set(s.system, item, value, &message)) fail_msg("%s: %s", item, message.text);
  }
  return s;
}

void answer(subject *s, const char *at)
{
  enum { MOST = 2000 };
  double q[MOST] = {0}, v[MOST] = {0}, *E = NULL;
  assert_true(s->system->n <= MOST);
  dls_state state = {.q = q, .v = v};
  dls_contact_state *contacts;
  dls_check *check;
  dls_impact *impact = NULL;
  dls_message message = {0};
  if (dls_model_state(s->system, at, &state, &message)) fail_msg("%s", message.text);
  if (dls_contact_state_create(s->system, &state, NULL, &contacts, &message))
    fail_msg("%s", message.text);
  dls_check_options options = dls_check_defaults();
  options.skip_acceleration = contacts->impact;
  const char *object = dls_model_object_name(s->model, 0);
  if (object) options.object_size = dls_model_object_coordinates(s->model, 0, &options.object);
  if (dls_check_run(&contacts->problem, &options, &check, &message)) fail_msg("%s", message.text);
  dls_impact_options laws = dls_impact_defaults();
  if (contacts->impact) {
    const size_t m = (size_t)contacts->problem.m_u;
    laws.E = E = calloc(m * m + 1, sizeof *E);
    assert_non_null(E);
    assert_int_equal(dls_model_restitution_matrix(s->system, contacts, E), DLS_OK);
    assert_int_equal(dls_impact_create(contacts, &laws, &impact, &message), DLS_OK);
  }
  const dls_report report = {.model = "m.dls",
                             .at = at,
                             .system = s->system,
                             .contact_state = contacts,
                             .check = check,
                             .impact = impact,
                             .object = object};
  char *text;
  assert_int_equal(dls_report_json(&report, &text), DLS_OK);
  json_error_t error;
  s->report = json_loads(text, 0, &error);
  assert_non_null(s->report);
  dls_report_text_free(text);
  assert_int_equal(dls_report_text(&report, NULL, &s->page), DLS_OK);
  dls_impact_free(impact);
  free(E);
  dls_check_free(check);
  dls_contact_state_free(contacts);
}

subject ask_about(const char *text, const char *sets, const char *at)
{
  subject s = open_model(text, sets);
  answer(&s, at);
  return s;
}

dls_saved_report *save_report(const json_t *report)
{
  dls_saved_report *saved;
  dls_diagnostic fault;
  char *text = json_dumps(report, JSON_REAL_PRECISION(17));
  assert_non_null(text);
  if (dls_saved_report_read(text, strlen(text), &saved, &fault) != DLS_OK)
    fail_msg("%s", fault.message);
  free(text);
  return saved;
}

dls_verification *verify(const subject *s)
{
  dls_verification *v;
  dls_message message = {0};
  dls_saved_report *saved = save_report(s->report);
  if (dls_verify_run(saved, s->model, s->system, NULL, &v, &message)) fail_msg("%s", message.text);
  dls_saved_report_free(saved);
  return v;
}

const dls_finding *find_claim(const dls_verification *v, const char *name)
{
  for (int k = 0; k < v->findings; k++) {
    char full[100];
    const dls_finding *f = &v->finding[k];
    snprintf(full, sizeof full, "%s%s%s", f->group, f->name[0] ? "." : "", f->name);
    if (strcmp(full, name) == 0) return f;
  }
  return NULL;
}

void put_value(json_t *root, const char *path, const char *value)
{
  char keys[200];
  json_t *at = root, *fresh = NULL;
  snprintf(keys, sizeof keys, "%s", path);
  char *last = strrchr(keys, '/');
  if (last) *last++ = 0;
  for (char *key = last ? strtok(keys, "/") : NULL; key; key = strtok(NULL, "/"))
    at = json_is_array(at) ? json_array_get(at, (size_t)atoi(key)) : json_object_get(at, key);
  const char *name = last ? last : keys;
  if (!at) fail_msg("no %s", path);
  if (value) {
    fresh = json_loads(value, JSON_DECODE_ANY, NULL);
    if (!fresh) fail_msg("%s is not JSON", value);
  }
  if (json_is_array(at)) {
    if (fresh) assert_int_equal(json_array_set_new(at, (size_t)atoi(name), fresh), 0);
    else assert_int_equal(json_array_remove(at, (size_t)atoi(name)), 0);
  } else if (fresh) {
    assert_int_equal(json_object_set_new(at, name, fresh), 0);
  } else if (json_object_del(at, name)) {
    fail_msg("no %s", path);
  }
}

dls_found found_of(const subject *s, const char *name)
{
  dls_verification *v = verify(s);
  const dls_finding *f = find_claim(v, name);
  if (!f) fail_msg("nothing is called %s", name);
  const dls_found found = f->found;
  dls_verification_free(v);
  return found;
}

void put_quoted(json_t *root, const char *path, const char *value)
{
  char *text = strdup(value);
  assert_non_null(text);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  put_value(root, path, text);
  free(text);
}
