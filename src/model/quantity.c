// What outputs and events can name besides the model's own names: energies, and what contacts do.
#include "model/quantity.h"

#include <string.h>

static const struct {
  const char *word;
  dls_quantity quantity;
} contact_words[] = {{"gap", DLS_QUANTITY_GAP},          {"rate", DLS_QUANTITY_RATE},
                     {"slip", DLS_QUANTITY_SLIP1},       {"slip1", DLS_QUANTITY_SLIP1},
                     {"slip2", DLS_QUANTITY_SLIP2},      {"force_n", DLS_QUANTITY_FORCE_N},
                     {"force_t", DLS_QUANTITY_FORCE_T1}, {"force_t1", DLS_QUANTITY_FORCE_T1},
                     {"force_t2", DLS_QUANTITY_FORCE_T2}};

static bool is_tangential(dls_quantity q)
{
  return q == DLS_QUANTITY_SLIP1 || q == DLS_QUANTITY_SLIP2 || q == DLS_QUANTITY_FORCE_T1 ||
         q == DLS_QUANTITY_FORCE_T2;
}

static bool is_force(dls_quantity q)
{
  return q == DLS_QUANTITY_FORCE_N || q == DLS_QUANTITY_FORCE_T1 || q == DLS_QUANTITY_FORCE_T2;
}

static int energy_of(const dls_word *w)
{
  if (strcmp(w->text, "kinetic") == 0) return DLS_QUANTITY_KINETIC;
  if (strcmp(w->text, "potential") == 0) return DLS_QUANTITY_POTENTIAL;
  return strcmp(w->text, "energy") == 0 ? DLS_QUANTITY_ENERGY : -1;
}

static bool unknown_quantity(const dls_scope *scope, const dls_instruction *code, const char *field,
                             const dls_quoted *contact)
{
  dls_error_list_hint(
      dls_error_list_add(scope->report, code->at, code->length, "a contact has no `%s`",
                         dls_quote(field, (unsigned)strlen(field)).text),
      "of `%s` there are gap, rate, slip, slip1, slip2, force_n, force_t, force_t1 and force_t2",
      contact->text);
  return false;
}

// Whether a contact has it: one slip in a plane, two in space, none without friction.
static bool check_tangents(const dls_scope *scope, const dls_instruction *code, const char *field,
                           dls_quantity q, const dls_constraint *c, const dls_quoted *contact)
{
  if (!is_tangential(q)) return true;
  const int needed = q == DLS_QUANTITY_SLIP2 || q == DLS_QUANTITY_FORCE_T2 ? 2 : 1;
  const char last = field[strlen(field) - 1];
  if (c->block_broken) return false;  // was reported
  if (c->tangents < needed) {
    dls_error_list_add(scope->report, code->at, code->length, "the contact `%s` has %s",
                       contact->text,
                       c->tangents == 0 ? "no slip velocity" : "one slip velocity only");
    return false;
  }
  if (c->tangents == 1 || last == '1' || last == '2') return true;
  dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                         "the contact `%s` has two slip velocities", contact->text),
                      "write `%s.%s1` or `%s.%s2`", contact->text, field, contact->text, field);
  return false;
}

// CONTACT.gap and the like; -1 when it is none, -2 after an error.
static int contact_quantity(const dls_scope *scope, const dls_instruction *code, bool forces)
{
  const dls_word w = scope->names->words[code->index];
  const char *dot = strrchr(w.text, '.');
  if (!dot || dot == w.text) return -1;
  const char *field = dot + 1;
  const unsigned length = (unsigned)(dot - w.text);
  const dls_quoted contact = dls_quote(w.text, length);
  const int word = dls_names_find(scope->names, w.text, length);
  const int index = word < 0 ? -1 : scope->names->words[word].contact;
  int found = -1;
  for (ptrdiff_t k = 0; k < dls_count_of(contact_words); k++)
    if (strcmp(field, contact_words[k].word) == 0) found = (int)contact_words[k].quantity;
  if (index < 0 && found < 0) return -1;
  if (index < 0) {
    if (word >= 0 && scope->names->words[word].meaning == DLS_MEANS_SUSPECT) return -2;
    dls_diagnostic *d =
        dls_error_list_add(scope->report, code->at, length, "unknown contact `%s`", contact.text);
    dls_error_list_suggest(scope->report, d, scope->names, w.text, length, DLS_NEAR_CONTACT);
    return -2;
  }
  if (found < 0) return unknown_quantity(scope, code, field, &contact), -2;
  const dls_constraint *c = &scope->source->contacts.items[index];
  if (c->name != word) {
    dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                           "the gap of `%s` is the smallest of several, each of "
                                           "which is a contact",
                                           contact.text),
                        "write `%s.side1.%s` and so on", contact.text, field);
    return -2;
  }
  if (c->rolling && found == (int)DLS_QUANTITY_GAP) {
    dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                           "the rolling constraint `%s` has no gap", contact.text),
                        "its velocity is `%s.rate`", contact.text);
    return -2;
  }
  if (c->dry && !is_tangential((dls_quantity)found)) {
    dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                           "`%s` is friction alone: it has no `%s`", contact.text,
                                           field),
                        "slip and force_t are there");
    return -2;
  }
  if (!check_tangents(scope, code, field, (dls_quantity)found, c, &contact)) return -2;
  if (is_force((dls_quantity)found) && !forces) {
    dls_error_list_hint(
        dls_error_list_add(scope->report, code->at, code->length,
                           "an event is a function of the state, and forces are not"),
        "gaps, rates, slips and energies are");
    return -2;
  }
  return found + DLS_QUANTITIES * index;
}

static bool is_output(const dls_scope *scope, const dls_instruction *code)
{
  const dls_word *w = &scope->names->words[code->index];
  if (w->output < 0) return false;
  dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                         "`%s` is an output, which expressions cannot use",
                                         dls_quote(w->text, w->length).text),
                      "name the expression with `let`, and use that name in both");
  return true;
}

void dls_resolve_quantities(const dls_scope *scope, dls_formula *formula, bool forces)
{
  for (int i = 0; i < formula->count; i++) {
    dls_instruction *code = &formula->code[i];
    if (code->op != DLS_CODE_NAME || code->index < 0) continue;
    const dls_word *w = &scope->names->words[code->index];
    if (w->meaning != DLS_MEANS_NOTHING) continue;
    int quantity = energy_of(w);
    if (quantity < 0) quantity = contact_quantity(scope, code, forces);
    if (quantity == -1 && is_output(scope, code)) quantity = -2;
    if (quantity == -1) continue;  // an unknown name, like any other
    if (quantity < 0) formula->broken = true, quantity = DLS_QUANTITY_ENERGY;
    code->op = DLS_CODE_QUANTITY;
    code->index = quantity;
  }
  dls_resolve_formula(scope, formula);
}

dls_expr dls_quantity_expression(const dls_analysis *a, int index)
{
  const dls_lagrangian *l = &a->model->equations.lagrangian;
  dls_graph *graph = a->graph;
  const int j = index / DLS_QUANTITIES;
  int entry = j;
  for (int k = 0; k < j; k++) entry += l->contacts[k].info.tangents;
  switch ((dls_quantity)(index % DLS_QUANTITIES)) {
  case DLS_QUANTITY_KINETIC: return l->kinetic;
  case DLS_QUANTITY_POTENTIAL: return l->potential;
  case DLS_QUANTITY_ENERGY: return dls_graph_make(graph, DLS_OP_ADD, l->kinetic, l->potential, -1);
  case DLS_QUANTITY_GAP: return l->contacts[j].h;
  case DLS_QUANTITY_RATE:
    return l->contacts[j].info.rolling ? l->contacts[j].h
                                       : dls_graph_time_derivative(graph, l->contacts[j].h);
  case DLS_QUANTITY_SLIP1: return l->contacts[j].slip[0];
  case DLS_QUANTITY_SLIP2: return l->contacts[j].slip[1];
  case DLS_QUANTITY_FORCE_T2: return dls_graph_leaf(graph, DLS_OP_INPUT, entry + 2);
  case DLS_QUANTITY_FORCE_T1: return dls_graph_leaf(graph, DLS_OP_INPUT, entry + 1);
  case DLS_QUANTITY_FORCE_N:
  case DLS_QUANTITIES: break;
  }
  return dls_graph_leaf(graph, DLS_OP_INPUT, entry);
}
