#include "verify/seen_pairs.h"

#include <math.h>
#include <string.h>

// ---- rules -------------------------------------------------------------------------------------

static bool fits(const dls_mechanism *m, const dls_contact_rule *rule, int side, int solid)
{
  const bool of_body = rule->body[side] == DLS_ANY || rule->body[side] == m->solid[solid].body;
  return of_body && (rule->solid[side] == DLS_ANY || rule->solid[side] == solid);
}

static bool has_joint(const dls_mechanism *m, int body)
{
  for (int j = 0; j < m->joints; j++)
    if (m->joint[j].body == body) return true;
  return false;
}

// The body with joints that it is a part of: itself, or one that carries it without any.
static int carrier(const dls_mechanism *m, int body)
{
  while (body >= 0 && !has_joint(m, body)) body = m->body[body].parent;
  return body;
}

// By joints, and not on the world.
static bool hangs_on(const dls_mechanism *m, int body, int other)
{
  return body >= 0 && other >= 0 && carrier(m, m->body[body].parent) == other;
}

static bool meets(const dls_mechanism *m, int a, int b)
{
  const dls_solid *x = &m->solid[a], *y = &m->solid[b];
  const int of_x = carrier(m, x->body), of_y = carrier(m, y->body);
  if (hangs_on(m, of_x, of_y) || hangs_on(m, of_y, of_x)) return false;
  return (x->type & y->affinity) != 0 || (y->type & x->affinity) != 0;
}

dls_seen_rule dls_seen_rule_of(const dls_mechanism *m, int a, int b)
{
  const dls_solid *x = &m->solid[a], *y = &m->solid[b];
  dls_seen_rule out = {meets(m, a, b), fmax(x->friction, y->friction),
                       fmax(x->restitution, y->restitution)};
  for (int k = 0; k < m->rules; k++) {
    const dls_contact_rule *rule = &m->rule[k];
    const bool as_given = fits(m, rule, 0, a) && fits(m, rule, 1, b);
    const bool swapped = fits(m, rule, 0, b) && fits(m, rule, 1, a);
    if (!as_given && !swapped) continue;
    if (rule->none) out.meet = false;
    if (rule->meet) out.meet = true;
    if (rule->friction >= 0) out.friction = rule->friction;
    if (rule->restitution >= 0) out.restitution = rule->restitution;
  }
  // a half space has no end to meet another with, and what is one body does not meet itself
  if (x->kind == DLS_SOLID_PLANE && y->kind == DLS_SOLID_PLANE) out.meet = false;
  if (carrier(m, x->body) == carrier(m, y->body)) out.meet = false;
  return out;
}

// ---- names -------------------------------------------------------------------------------------

// What is left of the text behind the prefix; NULL: it does not begin with it.
static const char *behind(const char *text, const char *prefix)
{
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

// The feature in a text that ends at `end`; NULL: the solid is not meant.
static const char *feature_in(const dls_mechanism *m, int solid, const char *text, const char *end)
{
  const dls_solid *s = &m->solid[solid];
  const char *rest = behind(text, s->body < 0 ? "world" : m->body[s->body].name);
  if (rest && s->name[0]) rest = rest[0] == '.' ? behind(rest + 1, s->name) : NULL;
  if (!rest || rest > end) return NULL;
  if (rest == end) return rest;
  return rest[0] == '.' ? rest + 1 : NULL;
}

int dls_seen_names_of(const dls_mechanism *m, const char *name, int most, dls_seen_name *found)
{
  int count = 0;
  const char *end = name + strlen(name);
  for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/'))
    for (int a = 0; a < m->solids; a++) {
      const char *of_a = feature_in(m, a, name, slash);
      for (int b = 0; b < m->solids && of_a; b++) {
        const char *of_b = feature_in(m, b, slash + 1, end);
        if (!of_b || a == b) continue;
        if (count == most) return count;
        found[count++] = (dls_seen_name){{a, b}, {of_a, of_b}};
      }
    }
  return count;
}
