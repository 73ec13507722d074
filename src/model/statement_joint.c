// Joints, contacts between bodies, gravity, files, and what acts on bodies.
#include "model/statement_block.h"

#include <string.h>

static const char *const joint_words[DLS_WRITTEN_JOINTS] = {
    "hinge", "slide", "ball", "free", "weld", "universal", "cylindrical", "planar"};

static const struct {
  const char *word;
  int least, most;
  const char *expected;
} joint_numbers[DLS_JOINT_NUMBERS] = {
    {"anchor", 3, 3, "three numbers, a point in the world"},
    {"axis", 3, 6, "three numbers; six for the two axes of `universal`"},
    {"range", 2, 2, "two numbers, from and to"},
    {"friction", 1, 1, "one number, the largest force"},
    {"stiffness", 1, 1, "one number"},
    {"rest", 1, 1, "one number"},
    {"damping", 1, 1, "one number"},
    {"armature", 1, 1, "one number"},
    {"restitution", 1, 1, "one number"},
    {"reference", 1, 1, "one number"},
    {"position", 1, 1, "one number"},
    {"velocity", 1, 1, "one number"}};

static bool joint_line(dls_reader *c, void *of)
{
  dls_joint_statement *joint = of;
  dls_parser *p = c->p;
  const dls_token word = p->token;
  for (int k = 0; k < DLS_JOINT_NUMBERS; k++) {
    if (!dls_reader_is(p, joint_numbers[k].word)) continue;
    dls_parser_advance(p);
    dls_number_list *list = &joint->number[k];
    if (!dls_read_numbers(c, &word, joint_numbers[k].least, joint_numbers[k].most,
                          joint_numbers[k].expected, list))
      return false;
    const int axes = joint->kind == DLS_WRITTEN_UNIVERSAL ? 6 : 3;
    if (k != DLS_OF_AXIS || list->count == axes) return true;
    dls_error_list_hint(dls_error_list_add(p->report, word.at, word.length, "%s",
                                           axes == 6 ? "a universal joint has two axes: six numbers"
                                                     : "an axis has three numbers"),
                        axes == 6 ? "that of the first body, and that of the second" : "");
    return false;
  }
  return dls_parser_unexpected(p, "`anchor`, `axis`, `range`, `friction`, `stiffness`, `rest`, "
                                  "`damping`, `armature`, `restitution`, `reference`, "
                                  "`position`, `velocity` or `}`");
}

static bool read_joint_kind(dls_reader *c, dls_joint_statement *joint)
{
  for (int k = 0; k < DLS_WRITTEN_JOINTS; k++) {
    if (!dls_reader_is(c->p, joint_words[k])) continue;
    joint->kind = (dls_joint_statement_kind)k;
    dls_parser_advance(c->p);
    return true;
  }
  return dls_parser_unexpected(c->p,
                               "hinge, slide, ball, free, weld, universal, cylindrical or planar");
}

// joint NAME: hinge A, B { anchor 0, 0, 1; axis 0, 0, 1 }
bool dls_read_joint(dls_reader *c)
{
  dls_parser *p = c->p;
  dls_joint_statement joint = {0};
  joint.name = dls_reader_name(c, "a joint", &joint.at);
  if (joint.name < 0) return false;
  const int before = p->names->words[joint.name].joint;
  if (before >= 0)
    dls_reader_twice(c, joint.name, joint.at, "joint", c->s->joints.items[before].at);
  joint.body[0].body = joint.body[1].body = DLS_BODY_UNKNOWN;
  joint.body[0].name = joint.body[1].name = -1;
  bool good = dls_reader_colon(c) && read_joint_kind(c, &joint) &&
              dls_read_body_name(c, &joint.body[0], false);
  if (good && !dls_parser_take(p, DLS_TOKEN_COMMA))
    good = dls_parser_unexpected(p, "`,` and the second body");
  good = good && dls_read_body_name(c, &joint.body[1], false);
  if (good && p->token.kind == DLS_TOKEN_BLOCK_OPEN)
    good = dls_read_block(c, joint_line, &joint, &joint.broken);
  if (p->status) return false;
  if (before >= 0) return good;
  joint.broken = joint.broken || !good;
  p->names->words[joint.name].joint = c->s->joints.count;
  dls_joint_statement *place = DLS_ADD(c, joints);
  if (place) *place = joint;
  return good && place;
}

static bool rule_line(dls_reader *c, void *of)
{
  dls_rule_statement *rule = of;
  dls_parser *p = c->p;
  const dls_token word = p->token;
  if (dls_reader_is(p, "meet")) {
    rule->meet = true;
    dls_parser_advance(p);
    return true;
  }
  dls_number_list *list = dls_reader_is(p, "friction")      ? &rule->friction
                          : dls_reader_is(p, "restitution") ? &rule->restitution
                                                            : NULL;
  if (!list) return dls_parser_unexpected(p, "`friction`, `restitution`, `meet` or `}`");
  dls_parser_advance(p);
  return dls_read_numbers(c, &word, 1, 1, "one number", list);
}

// contact A B { friction 0.3; restitution 0 }   contact A * none
bool dls_read_rule(dls_reader *c)
{
  dls_parser *p = c->p;
  dls_rule_statement rule = {0};
  if (!dls_read_body_name(c, &rule.body[0], true) || !dls_read_body_name(c, &rule.body[1], true))
    return false;
  bool good = true, broken = false;
  if (dls_reader_is(p, "none")) {
    rule.none = true;
    dls_parser_advance(p);
  } else if (p->token.kind == DLS_TOKEN_BLOCK_OPEN) {
    good = dls_read_block(c, rule_line, &rule, &broken);
  } else {
    good = dls_parser_unexpected(p, "`{ friction ... }` or `none`");
  }
  if (!good || p->status) return false;
  dls_rule_statement *place = DLS_ADD(c, rules);
  if (place) *place = rule;
  return place;
}

// gravity X, Y, Z
bool dls_read_gravity(dls_reader *c, const dls_token *word)
{
  return dls_read_numbers(c, word, 3, 3, "three numbers, such as 0, 0, -9.81", &c->s->gravity);
}

static bool import_line(dls_reader *c, void *of)
{
  dls_import_statement *import = of;
  dls_parser *p = c->p;
  const dls_token word = p->token;
  if (dls_reader_is(p, "position") || dls_reader_is(p, "rotation"))
    return dls_read_placement(c, &word, &import->place);
  if (!dls_reader_is(p, "on"))
    return dls_parser_unexpected(p, "`position`, `rotation`, `on` or `}`");
  dls_parser_advance(p);
  import->attached = true;
  return dls_read_body_name(c, &import->on, false);
}

// import NAME "FILE" { position 0, 0, 1; on arm }
bool dls_read_import(dls_reader *c)
{
  dls_parser *p = c->p;
  dls_import_statement import = {.on = {.name = -1, .body = DLS_WORLD}};
  bool broken = false;
  import.name = dls_reader_name(c, "an import", &import.at);
  if (import.name < 0) return false;
  for (int i = 0; i < c->s->imports.count; i++)
    if (c->s->imports.items[i].name == import.name) {
      dls_reader_twice(c, import.name, import.at, "import", c->s->imports.items[i].at);
      return false;
    }
  if (!dls_read_file(c, &import.file, &import.file_at, &import.file_length)) return false;
  if (p->token.kind == DLS_TOKEN_BLOCK_OPEN && !dls_read_block(c, import_line, &import, &broken))
    return false;
  dls_import_statement *place = DLS_ADD(c, imports);
  if (place) *place = import;
  return place;
}

// A let without a name that can be written.
static int hidden_let(dls_reader *c, dls_formula *value, unsigned at)
{
  char text[24] = "(v";
  int length = 2, digits[12], count = 0;
  for (int k = c->s->lets.count; count == 0 || k > 0; k /= 10) digits[count++] = k % 10;
  while (count > 0) text[length++] = (char)('0' + digits[--count]);
  text[length++] = ')';
  const int word = dls_parser_spelled(c->p, text, (unsigned)length);
  if (word < 0) return -1;
  dls_definition *place = DLS_ADD(c, lets);
  if (!place) return -1;
  *place = (dls_definition){.name = word, .at = at, .triple = true, .value = *value};
  dls_word *w = &c->p->names->words[word];
  w->meaning = DLS_MEANS_LET, w->index = c->s->lets.count - 1, w->at = at;
  return c->s->lets.count - 1;
}

bool dls_add_body_term(dls_reader *c, const dls_assignment *a, bool torque)
{
  dls_body_term term = {.torque = torque, .name = a->name, .at = a->at, .length = a->length};
  dls_formula value = a->value;
  term.let = hidden_let(c, &value, a->at);
  if (term.let < 0) return false;
  c->p->vectors = true;
  dls_body_term *place = DLS_ADD(c, body_terms);
  if (place) *place = term;
  return place;
}

// torque BODY = (x, y, z), ...
bool dls_read_torque(dls_reader *c)
{
  do {
    dls_assignment a;
    if (!dls_parse_assignment(c->p, &a) || !dls_add_body_term(c, &a, true)) return false;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  return true;
}

// point BODY (x, y, z), behind `let NAME =`; at `point`
bool dls_read_body_point(dls_reader *c, int let)
{
  dls_parser *p = c->p;
  const dls_token word = p->token;
  dls_point_statement point = {.let = let};
  dls_parser_advance(p);
  if (!dls_read_body_name(c, &point.body, false)) return false;
  if (p->token.kind == DLS_TOKEN_OPEN && !dls_read_vector(c, &word, &point.place)) return false;
  dls_point_statement *place = DLS_ADD(c, points);
  if (place) *place = point;
  p->vectors = true;
  return place;
}
