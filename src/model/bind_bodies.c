// Names of bodies and joints -> what they are, and the coordinates that the text has of them.
#include "model/body_model.h"

#include <stdio.h>
#include <string.h>

typedef struct binding {
  dls_model *model;
  dls_source *s;
  dls_names *names;
  dls_arena *arena;
  dls_error_list *report;
  const dls_model_files *files;
  dls_status status;
} binding;

// Room for one more item in a list of the source: evaluates to the place, or NULL.
#define ADD(b, list)                                                                             \
  (((b)->s->list.items = grow(b, (b)->s->list.items, (b)->s->list.count, &(b)->s->list.capacity, \
                              sizeof *(b)->s->list.items)),                                      \
   (b)->status ? NULL : &(b)->s->list.items[(b)->s->list.count++])

static void *grow(binding *b, void *items, int count, ptrdiff_t *capacity, size_t size)
{
  void *more = dls_list_more(items, count, capacity, size);
  if (!more) b->status = DLS_ERR_MEMORY;
  return more ? more : items;
}

static int enter(binding *b, const char *text, unsigned length)
{
  const int word = dls_names_enter(b->names, text, length);
  if (word < 0) b->status = DLS_ERR_MEMORY;
  return word;
}

static dls_quoted quoted(const binding *b, int word)
{
  const dls_word *w = &b->names->words[word];
  return dls_quote(w->text, w->length);
}

// ---- files --------------------------------------------------------------------------------------

static void refuse_file(binding *b, unsigned at, unsigned length, const dls_message *message,
                        dls_status status)
{
  if (status == DLS_ERR_MEMORY) b->status = status;
  else if (!b->files)
    dls_error_list_hint(dls_error_list_add(b->report, at, length, "no files can be read here"),
                        "a text that does not come from a file cannot name others");
  else
    dls_error_list_add(b->report, at, length, "%s",
                       message->text[0] ? message->text : dls_status_text(status));
}

static const dls_hull *copy_hull(binding *b, const dls_hull *from)
{
  dls_hull *to = dls_arena_alloc(b->arena, 1, sizeof *to);
  if (!to) return b->status = DLS_ERR_MEMORY, NULL;
  const int corners = from->first[from->faces];
  *to = (dls_hull){.vertices = from->vertices, .faces = from->faces};
  to->vertex = dls_arena_alloc(b->arena, 3 * (ptrdiff_t)from->vertices, sizeof *to->vertex);
  to->first = dls_arena_alloc(b->arena, (ptrdiff_t)from->faces + 1, sizeof *to->first);
  to->face = dls_arena_alloc(b->arena, corners, sizeof *to->face);
  if (!to->vertex || !to->first || !to->face) return b->status = DLS_ERR_MEMORY, NULL;
  dls_copy(to->vertex, from->vertex, 3 * (ptrdiff_t)from->vertices);
  dls_copy(to->first, from->first, (ptrdiff_t)from->faces + 1);
  dls_copy(to->face, from->face, corners);
  return to;
}

static void read_hulls(binding *b)
{
  for (int i = 0; i < b->s->solids.count && !b->status; i++) {
    dls_solid_statement *solid = &b->s->solids.items[i];
    if (solid->kind != DLS_SOLID_HULL || !solid->file) continue;
    const dls_solid_statement *same = NULL;  // loops name one file many times
    for (int k = i - 1; k >= 0 && !same; k--)
      if (b->s->solids.items[k].file && strcmp(b->s->solids.items[k].file, solid->file) == 0)
        same = &b->s->solids.items[k];
    if (same) {
      solid->hull = same->hull;
      continue;
    }
    dls_message message = {0};
    dls_hull *hull = NULL;
    const dls_status status =
        b->files ? b->files->hull(b->files->self, solid->file, &hull, &message) : DLS_ERR_MODEL;
    if (status == DLS_OK) solid->hull = copy_hull(b, hull);
    else refuse_file(b, solid->file_at, solid->file_length, &message, status);
    if (hull) b->files->free_hull(hull);
  }
}

// What a file calls NAME is IMPORT.NAME.
static bool enter_imported(binding *b, const char *name, const dls_import_statement *import,
                           bool joint, int index)
{
  const int word = enter(b, name, (unsigned)strlen(name));
  if (word < 0) return false;
  dls_word *w = &b->names->words[word];
  int *place = joint ? &w->joint : &w->body;
  if (*place < 0) *place = index;
  else
    dls_error_list_add(b->report, import->file_at, import->file_length,
                       "the %s `%s` of this file is declared elsewhere", joint ? "joint" : "body",
                       dls_quote(w->text, w->length).text);
  return true;
}

static void enter_controls(binding *b, dls_import_statement *import)
{
  const dls_mechanism *m = import->mechanism;
  import->first_control = b->s->parameters.count;
  for (int k = 0; k < m->actuators && !b->status; k++) {
    const int word = enter(b, m->actuator[k].name, (unsigned)strlen(m->actuator[k].name));
    dls_instruction *code = dls_arena_alloc(b->arena, 1, sizeof *code);
    if (word < 0 || !code) {
      b->status = DLS_ERR_MEMORY;
      return;
    }
    *code = (dls_instruction){
        .op = DLS_OP_CONSTANT, .value = m->actuator[k].control, .at = import->at, .length = 1};
    dls_word *w = &b->names->words[word];
    if (w->meaning == DLS_MEANS_NOTHING || w->meaning == DLS_MEANS_SUSPECT)
      w->meaning = DLS_MEANS_PARAMETER, w->index = b->s->parameters.count, w->at = import->at;
    dls_definition *place = ADD(b, parameters);
    if (place)
      *place = (dls_definition){
          .name = word,
          .at = import->at,
          .value = {.code = code, .count = 1, .stack = 1, .at = import->at, .length = 1}};
  }
}

static void take_in(binding *b, dls_import_statement *import)
{
  const dls_mechanism *m = import->mechanism;
  import->first_body = b->s->all_bodies;
  import->first_joint = b->s->all_joints;
  for (int k = 0; k < m->bodies && !b->status; k++)
    enter_imported(b, m->body[k].name, import, false, b->s->all_bodies + k);
  for (int k = 0; k < m->joints && !b->status; k++)
    enter_imported(b, m->joint[k].name, import, true, b->s->all_joints + k);
  b->s->all_bodies += m->bodies;
  b->s->all_joints += m->joints;
  if (!b->status) enter_controls(b, import);
}

static void read_imports(binding *b)
{
  for (int i = 0; i < b->s->imports.count && !b->status; i++) {
    dls_import_statement *import = &b->s->imports.items[i];
    if (!import->mechanism && import->file) {
      dls_message message = {0};
      dls_import *read = NULL;
      const dls_status status =
          b->files ? b->files->mechanism(b->files->self, import->file, &read, &message)
                   : DLS_ERR_MODEL;
      if (status == DLS_OK) {
        import->mechanism =
            dls_mechanism_copy(b->arena, &read->mechanism, b->names->words[import->name].text);
        if (!import->mechanism) b->status = DLS_ERR_MEMORY;
      } else {
        refuse_file(b, import->file_at, import->file_length, &message, status);
      }
      if (read) b->files->free_mechanism(read);
    }
    if (import->mechanism) take_in(b, import);
  }
}

// ---- bodies -------------------------------------------------------------------------------------

static bool is_world(const dls_word *w)
{
  return w->length == 5 && memcmp(w->text, "world", 5) == 0;
}

static void find_body(binding *b, dls_body_name *name)
{
  if (name->name < 0) return;
  dls_word *w = &b->names->words[name->name];
  name->body = w->body;
  if (w->body >= 0) return;
  name->body = DLS_WORLD;
  if (is_world(w)) return;
  name->body = DLS_BODY_UNKNOWN;
  if (w->reported || w->meaning == DLS_MEANS_SUSPECT) return;
  w->reported = true;
  dls_diagnostic *d = dls_error_list_add(b->report, name->at, name->length, "unknown body `%s`",
                                         dls_quote(w->text, w->length).text);
  dls_error_list_hint(d, "bodies are declared by `body NAME { ... }` or `fixed NAME { ... }`");
  dls_error_list_suggest(b->report, d, b->names, w->text, w->length, DLS_NEAR_BODY);
}

static void find_bodies(binding *b)
{
  dls_source *s = b->s;
  for (int i = 0; i < s->joints.count; i++)
    for (int k = 0; k < 2; k++)
      if (s->joints.items[i].body[k].name >= 0) find_body(b, &s->joints.items[i].body[k]);
  for (int i = 0; i < s->rules.count; i++)
    for (int k = 0; k < 2; k++) find_body(b, &s->rules.items[i].body[k]);
  for (int i = 0; i < s->imports.count; i++)
    if (s->imports.items[i].attached) find_body(b, &s->imports.items[i].on);
  for (int i = 0; i < s->points.count; i++) find_body(b, &s->points.items[i].body);
  for (int i = 0; i < s->body_objects.count; i++) find_body(b, &s->body_objects.items[i]);
  for (int i = 0; i < s->joints.count; i++) {
    dls_joint_statement *joint = &s->joints.items[i];
    if (joint->body[0].body != joint->body[1].body || joint->body[0].body < DLS_WORLD) continue;
    joint->broken = true;
    dls_error_list_add(b->report, joint->body[1].at, joint->body[1].length,
                       "the joint `%s` leads from `%s` to itself", quoted(b, joint->name).text,
                       quoted(b, joint->body[1].name).text);
  }
}

// ---- coordinates of the text --------------------------------------------------------------------

static int add_coordinate(binding *b, const char *name, unsigned at)
{
  const int word = enter(b, name, (unsigned)strlen(name));
  if (word < 0) return -1;
  dls_word *w = &b->names->words[word];
  if (w->meaning != DLS_MEANS_NOTHING && w->meaning != DLS_MEANS_SUSPECT) {
    dls_error_list_hint(dls_error_list_add(b->report, at, 1, "`%s` is declared elsewhere",
                                           dls_quote(w->text, w->length).text),
                        "it is a coordinate of bodies here");
    return -1;
  }
  const int index = b->s->coordinates.count;
  w->meaning = DLS_MEANS_COORDINATE, w->index = index, w->at = at;
  dls_coordinate *place = ADD(b, coordinates);
  if (!place) return -1;
  *place = (dls_coordinate){.name = word, .at = at};
  return index;
}

// NAME.x, NAME.y, NAME.z, or NAME alone; -1 after an error.
static int add_marker(binding *b, dls_body_marker marker, const char *name, unsigned at)
{
  const size_t length = strlen(name);
  char *text = dls_arena_alloc(b->arena, (ptrdiff_t)length + 3, 1);
  if (!text) return b->status = DLS_ERR_MEMORY, -1;
  memcpy(text, name, length);
  marker.coordinate = b->s->coordinates.count;
  const int parts = marker.kind == DLS_MARKER_JOINT ? 1 : 3;
  for (int k = 0; k < parts; k++) {
    if (parts == 3) memcpy(text + length, k == 0 ? ".x" : k == 1 ? ".y" : ".z", 2);
    if (add_coordinate(b, text, at) < 0) return -1;
  }
  dls_body_marker *place = ADD(b, markers);
  if (!place) return -1;
  *place = marker;
  return marker.coordinate;
}

// That of a body under a name that cannot be written, made when it is first needed.
static int hidden_marker(binding *b, dls_body_marker_kind kind, int body, unsigned at)
{
  static const char *const forms[] = {"", "(point %d)", "(centre %d)", "(turn %d)", "(spin %d)"};
  char name[40], first[48];
  snprintf(name, sizeof name, forms[kind], body);
  const int length = snprintf(first, sizeof first, "%s.x", name);
  const int word = dls_names_find(b->names, first, (unsigned)length);
  if (word >= 0 && b->names->words[word].meaning == DLS_MEANS_COORDINATE)
    return b->names->words[word].index;
  return add_marker(b, (dls_body_marker){.kind = kind, .of = body, .point = -1}, name, at);
}

static void add_points(binding *b)
{
  for (int i = 0; i < b->s->points.count && !b->status; i++) {
    const dls_point_statement *point = &b->s->points.items[i];
    const dls_definition d = b->s->lets.items[point->let];
    if (point->body.body < DLS_WORLD) continue;
    add_marker(b, (dls_body_marker){.kind = DLS_MARKER_POINT, .of = point->body.body, .point = i},
               b->names->words[d.name].text, d.at);
  }
}

// The kind of a joint of all; false when it has no coordinate that is one number.
static bool is_scalar_joint(const binding *b, int joint)
{
  const dls_source *s = b->s;
  if (joint < s->joints.count) {
    const dls_joint_statement_kind kind = s->joints.items[joint].kind;
    return kind == DLS_WRITTEN_HINGE || kind == DLS_WRITTEN_SLIDE;
  }
  for (int i = 0; i < s->imports.count; i++) {
    const dls_import_statement *import = &s->imports.items[i];
    const int k = joint - import->first_joint;
    if (import->mechanism && k >= 0 && k < import->mechanism->joints)
      return import->mechanism->joint[k].kind >= DLS_JOINT_HINGE;
  }
  return false;
}

// Makes the coordinate of a joint when its name stands in a formula.
static void use_joint(binding *b, int word, unsigned at, unsigned length)
{
  const int joint = b->names->words[word].joint;
  if (is_scalar_joint(b, joint)) {
    add_marker(b, (dls_body_marker){.kind = DLS_MARKER_JOINT, .of = joint, .point = -1},
               b->names->words[word].text, at);
    return;
  }
  dls_error_list_hint(dls_error_list_add(b->report, at, length,
                                         "the joint `%s` has no coordinate that is one number",
                                         quoted(b, word).text),
                      "hinges and slides have one");
  b->names->words[word].meaning = DLS_MEANS_SUSPECT;
}

static void make_let(binding *b, int word, unsigned at, int first, bool velocities)
{
  dls_instruction *code = dls_arena_alloc(b->arena, 4, sizeof *code);
  if (!code) {
    b->status = DLS_ERR_MEMORY;
    return;
  }
  for (int k = 0; k < 3; k++)
    code[k] = (dls_instruction){.op = velocities ? DLS_CODE_VELOCITY_NAME : DLS_CODE_NAME,
                                .index = b->s->coordinates.items[first + k].name,
                                .at = at,
                                .length = 1};
  code[3] = (dls_instruction){.op = DLS_CODE_VECTOR, .index = 3, .at = at, .length = 1};
  dls_word *w = &b->names->words[word];
  w->meaning = DLS_MEANS_LET, w->index = b->s->lets.count, w->at = at;
  dls_definition *place = ADD(b, lets);
  if (!place) return;
  *place = (dls_definition){.name = word,
                            .at = at,
                            .value = {.code = code, .count = 4, .stack = 3, .at = at, .length = 1}};
  b->s->vectors = true;
}

// BODY.position, BODY.velocity, BODY.spin: vectors; `length` letters of the word.
static bool use_vector_of_body(binding *b, const char *text, unsigned length, unsigned at)
{
  static const char *const fields[] = {".position", ".velocity", ".spin"};
  for (int k = 0; k < 3; k++) {
    const unsigned letters = (unsigned)strlen(fields[k]);
    if (length <= letters || memcmp(text + length - letters, fields[k], letters) != 0) continue;
    const int body = dls_names_find(b->names, text, length - letters);
    if (body < 0 || b->names->words[body].body < 0) return false;
    const int of = b->names->words[body].body;
    const int first = hidden_marker(b, k == 2 ? DLS_MARKER_SPIN : DLS_MARKER_POINT, of, at);
    const int word = first < 0 ? -1 : enter(b, text, length);
    if (word >= 0 && b->names->words[word].meaning == DLS_MEANS_NOTHING)
      make_let(b, word, at, first, k > 0);
    return true;
  }
  return false;
}

static void use_name(binding *b, const dls_instruction *code)
{
  if (code->index < 0 || b->status) return;
  const dls_word w = b->names->words[code->index];
  if (w.meaning != DLS_MEANS_NOTHING) return;
  if (w.joint >= 0) {
    use_joint(b, code->index, code->at, code->length);
    return;
  }
  if (use_vector_of_body(b, w.text, w.length, code->at)) return;
  if (w.length < 3 || w.text[w.length - 2] != '.') return;
  const char part = w.text[w.length - 1];
  if (part < 'x' || part > 'z') return;
  if (use_vector_of_body(b, w.text, w.length - 2, code->at)) return;
  const int body = dls_names_find(b->names, w.text, w.length - 2);
  if (body < 0 || b->names->words[body].body < 0) return;
  add_marker(
      b, (dls_body_marker){.kind = DLS_MARKER_POINT, .of = b->names->words[body].body, .point = -1},
      b->names->words[body].text, code->at);
}

static void use_formula(binding *b, const dls_formula *f)
{
  for (int i = 0; i < f->count && !f->broken; i++)
    if (f->code[i].op == DLS_CODE_NAME || f->code[i].op == DLS_CODE_VELOCITY_NAME)
      use_name(b, &f->code[i]);
}

static void use_names(binding *b)
{
  dls_source *s = b->s;
  for (int i = 0; i < s->lets.count; i++) use_formula(b, &s->lets.items[i].value);
  for (int i = 0; i < s->coordinates.count; i++) use_formula(b, &s->coordinates.items[i].initial);
  for (int i = 0; i < s->velocities.count; i++) use_formula(b, &s->velocities.items[i].value);
  for (int i = 0; i < s->assignments.count; i++) use_formula(b, &s->assignments.items[i].value);
  for (int i = 0; i < s->terms.count; i++) {
    const dls_term *term = &s->terms.items[i];
    use_formula(b, &term->value);
    const dls_instruction name = {.index = term->name, .at = term->at, .length = 1};
    if (term->kind == DLS_WORD_FORCE) use_name(b, &name);
  }
  for (int i = 0; i < s->contacts.count; i++) {
    const dls_constraint *c = &s->contacts.items[i];
    use_formula(b, &c->left), use_formula(b, &c->right);
    for (int k = 0; k < c->tangents; k++) use_formula(b, &c->slip[k]);
    use_formula(b, &c->friction), use_formula(b, &c->static_friction);
    use_formula(b, &c->restitution);
  }
  for (int i = 0; i < s->outputs.count; i++) use_formula(b, &s->outputs.items[i].value);
  for (int i = 0; i < s->events.count; i++)
    use_formula(b, &s->events.items[i].left), use_formula(b, &s->events.items[i].right);
  for (int i = 0; i < s->drawn.count; i++) use_formula(b, &s->drawn.items[i]);
}

// ---- forces and torques -------------------------------------------------------------------------

// The first coordinate of three that a force or torque acts on; -1 after an error.
static int target_of(binding *b, const dls_body_term *term)
{
  const dls_word *w = &b->names->words[term->name];
  const dls_body_marker_kind kind = term->torque ? DLS_MARKER_TURN : DLS_MARKER_CENTRE;
  if (w->body >= 0) return hidden_marker(b, kind, w->body, term->at);
  if (!term->torque && w->meaning == DLS_MEANS_LET && b->s->lets.items[w->index].point > 0) {
    char first[420];
    const int length = snprintf(first, sizeof first, "%s.x", w->text);
    const int word = dls_names_find(b->names, first, (unsigned)length);
    return word < 0 ? -1 : b->names->words[word].index;
  }
  if (w->meaning == DLS_MEANS_SUSPECT || w->reported) return -1;
  dls_diagnostic *d = dls_error_list_add(b->report, term->at, term->length, "unknown body `%s`",
                                         dls_quote(w->text, w->length).text);
  dls_error_list_hint(d, term->torque ? "a torque acts on a body"
                                      : "a force of three parts acts on a body or a point");
  dls_error_list_suggest(b->report, d, b->names, w->text, w->length, DLS_NEAR_BODY);
  return -1;
}

static void add_body_terms(binding *b)
{
  static const char suffix[3][3] = {".x", ".y", ".z"};
  for (int i = 0; i < b->s->body_terms.count && !b->status; i++) {
    const dls_body_term term = b->s->body_terms.items[i];
    const int first = target_of(b, &term);
    if (first < 0) continue;
    const dls_definition let = b->s->lets.items[term.let];
    for (int k = 0; k < 3 && !b->status; k++) {
      char text[32];
      const int length =
          snprintf(text, sizeof text, "%s%s", b->names->words[let.name].text, suffix[k]);
      const int word = enter(b, text, (unsigned)length);
      dls_instruction *code = dls_arena_alloc(b->arena, 1, sizeof *code);
      dls_term *place = code && word >= 0 ? ADD(b, terms) : NULL;
      if (!place) {
        b->status = DLS_ERR_MEMORY;
        return;
      }
      *code = (dls_instruction){
          .op = DLS_CODE_NAME, .index = word, .at = term.at, .length = term.length};
      *place = (dls_term){.kind = DLS_WORD_FORCE,
                          .name = b->s->coordinates.items[first + k].name,
                          .at = term.at,
                          .target = -1,
                          .value = {.code = code,
                                    .count = 1,
                                    .stack = 1,
                                    .at = let.value.at,
                                    .length = let.value.length}};
    }
  }
}

dls_status dls_bind_bodies(dls_model *model, const dls_model_files *files, dls_error_list *report)
{
  dls_source *s = &model->source;
  binding b = {.model = model,
               .s = s,
               .names = &model->names,
               .arena = model->arena,
               .report = report,
               .files = files};
  s->own = s->coordinates.count;
  s->all_bodies = s->bodies.count;
  s->all_joints = s->joints.count;
  if (s->gravity.count > 0 && !dls_has_bodies(s) && report->diagnostics->total == 0)
    dls_error_list_hint(dls_error_list_add(report, s->gravity.at, s->gravity.length,
                                           "gravity acts on bodies, and the model has none"),
                        "coordinates have a `potential`");
  read_hulls(&b);
  read_imports(&b);
  if (!b.status) find_bodies(&b);
  if (!b.status) add_points(&b);
  if (!b.status && dls_has_bodies(s)) use_names(&b);
  if (!b.status) add_body_terms(&b);
  if (!b.status) b.status = dls_bind_entries(model, report);
  return b.status;
}
