// body NAME { sphere 0.2; mass 5; position 0, 0, 1 }   fixed NAME { plane 0, 0, 1 }
#include "model/statement_block.h"

static const struct {
  const char *word;
  dls_solid_kind kind;
  int sizes;
  const char *expected;
} solid_words[] = {
    {"sphere", DLS_SOLID_SPHERE, 1, "one number, its radius"},
    {"box", DLS_SOLID_BOX, 3, "three numbers, its full lengths"},
    {"capsule", DLS_SOLID_CAPSULE, 2, "two numbers: its radius, and its length without the caps"},
    {"cylinder", DLS_SOLID_CYLINDER, 2, "two numbers: its radius and its length"},
    {"ellipsoid", DLS_SOLID_ELLIPSOID, 3, "three numbers, its semi-axes"},
    {"plane", DLS_SOLID_PLANE, 3, "three numbers, its normal"},
    {"hull", DLS_SOLID_HULL, 0, ""}};

static bool solid_line(dls_reader *c, void *of)
{
  dls_solid_statement *solid = of;
  dls_parser *p = c->p;
  const dls_token word = p->token;
  if (dls_reader_is(p, "position") || dls_reader_is(p, "rotation"))
    return dls_read_placement(c, &word, &solid->place);
  dls_number_list *list = dls_reader_is(p, "friction")      ? &solid->friction
                          : dls_reader_is(p, "restitution") ? &solid->restitution
                                                            : NULL;
  if (!list)
    return dls_parser_unexpected(p, "`position`, `rotation`, `friction`, `restitution` or `}`");
  dls_parser_advance(p);
  return dls_read_numbers(c, &word, 1, 1, "one number", list);
}

static bool read_solid(dls_reader *c, dls_body_statement *body, int k)
{
  dls_parser *p = c->p;
  const dls_token word = p->token;
  dls_solid_statement solid = {.kind = solid_words[k].kind, .at = word.at, .length = word.length};
  dls_parser_advance(p);
  bool good =
      solid.kind == DLS_SOLID_HULL
          ? dls_read_file(c, &solid.file, &solid.file_at, &solid.file_length)
      : solid.kind == DLS_SOLID_PLANE
          ? dls_read_numbers_before(c, &word, "through", solid_words[k].expected, &solid.size)
          : dls_read_numbers(c, &word, solid_words[k].sizes, solid_words[k].sizes,
                             solid_words[k].expected, &solid.size);
  if (good && solid.kind == DLS_SOLID_PLANE && dls_reader_is(p, "through")) {
    const dls_token through = p->token;
    dls_parser_advance(p);
    good =
        dls_read_numbers(c, &through, 3, 3, "three numbers, a point of the plane", &solid.through);
  }
  if (good && p->token.kind == DLS_TOKEN_BLOCK_OPEN)
    good = dls_read_block(c, solid_line, &solid, &body->broken);
  if (!good || p->status) return false;
  dls_solid_statement *place = DLS_ADD(c, solids);
  if (!place) return false;
  *place = solid;
  body->solids++;
  return true;
}

static bool read_body_numbers(dls_reader *c, dls_body_statement *body)
{
  static const struct {
    const char *word;
    int least, most;
    const char *expected;
  } words[] = {{"mass", 1, 1, "one number"},
               {"density", 1, 1, "one number"},
               {"inertia", 3, 6, "Ixx, Iyy, Izz, or these and Ixy, Ixz, Iyz"},
               {"centre", 3, 3, "three numbers, the centre of mass in the axes of the body"},
               {"velocity", 3, 3, "three numbers"},
               {"spin", 3, 3, "three numbers, the angular velocity in the axes of the body"}};
  dls_parser *p = c->p;
  const dls_token word = p->token;
  dls_number_list *const lists[] = {&body->mass,   &body->density,  &body->inertia,
                                    &body->centre, &body->velocity, &body->spin};
  for (int k = 0; k < 6; k++) {
    if (!dls_reader_is(p, words[k].word)) continue;
    dls_parser_advance(p);
    if (!dls_read_numbers(c, &word, words[k].least, words[k].most, words[k].expected, lists[k]))
      return false;
    if (k != 2 || lists[k]->count == 3 || lists[k]->count == 6) return true;
    dls_error_list_add(p->report, word.at, word.length, "`inertia` needs %s", words[k].expected);
    return false;
  }
  return dls_parser_unexpected(
      p, "a shape (sphere box capsule cylinder ellipsoid plane hull), `mass`, `density`, "
         "`inertia`, `centre`, `position`, `rotation`, `velocity`, `spin` or `}`");
}

static bool body_line(dls_reader *c, void *of)
{
  dls_body_statement *body = of;
  const dls_token word = c->p->token;
  for (int k = 0; k < (int)dls_count_of(solid_words); k++)
    if (dls_reader_is(c->p, solid_words[k].word)) return read_solid(c, body, k);
  if (dls_reader_is(c->p, "position") || dls_reader_is(c->p, "rotation"))
    return dls_read_placement(c, &word, &body->place);
  return read_body_numbers(c, body);
}

bool dls_read_body(dls_reader *c, bool fixed)
{
  dls_parser *p = c->p;
  dls_body_statement body = {.fixed = fixed, .first_solid = c->s->solids.count};
  body.name = dls_reader_name(c, "a body", &body.at);
  if (body.name < 0) return false;
  const int before = p->names->words[body.name].body;
  if (before >= 0) dls_reader_twice(c, body.name, body.at, "body", c->s->bodies.items[before].at);
  bool good = true;
  if (p->token.kind == DLS_TOKEN_BLOCK_OPEN)
    good = dls_read_block(c, body_line, &body, &body.broken);
  else if (!fixed) good = dls_parser_unexpected(p, "`{` and what the body is made of");
  if (p->status) return false;
  if (before >= 0) return good;
  body.broken = body.broken || !good;
  p->names->words[body.name].body = c->s->bodies.count;
  dls_body_statement *place = DLS_ADD(c, bodies);
  if (place) *place = body;
  return good && place;
}
