#include "simulate_channel.h"

#include "message.h"

#include <delassus/output.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

typedef struct catalogue {
  const dls_model *model;
  const dls_system *system;
  int count, room;
  channel *item;
  bool failed;
} catalogue;

static void copy_name(channel *c, const char *name, const char *suffix)
{
  int most = CHANNEL_NAME - 1 - (int)strlen(suffix);
  if ((int)strlen(name) < most) most = (int)strlen(name);
  while (most > 0 && ((unsigned char)name[most] & 0xC0) == 0x80) most--;
  snprintf(c->name, sizeof c->name, "%.*s%s", most, name, suffix);
}

static void add(catalogue *all, channel_kind kind, int index, int contact, int part,
                const char *name, const char *suffix)
{
  if (all->count == all->room) {
    const int room = all->room ? 2 * all->room : 64;
    channel *item = realloc(all->item, (size_t)room * sizeof *item);
    if (!item) {
      all->failed = true;
      return;
    }
    all->item = item, all->room = room;
  }
  channel *c = &all->item[all->count++];
  *c = (channel){.kind = kind, .index = index, .contact = contact, .part = part};
  if (kind == CHANNEL_COORDINATE || kind == CHANNEL_VELOCITY)
    c->angle = all->model && dls_model_is_angle(all->model, index);
  copy_name(c, name, suffix);
}

static void add_contact(catalogue *all, int j, int entry, int slip)
{
  static const char *const force[] = {".force_n", ".force_t1", ".force_t2"};
  static const char *const impulse[] = {".impulse_n", ".impulse_t1", ".impulse_t2"};
  static const char *const slips[] = {"", ".slip1", ".slip2"};
  const dls_contact_info *c = &all->system->contacts[j];
  if (!c->dry) add(all, CHANNEL_GAP, j, j, 0, c->name, ".gap");
  if (!c->dry) add(all, CHANNEL_RATE, j, j, 0, c->name, ".rate");
  for (int k = c->dry; k <= c->tangents && k < 3; k++) {  // friction alone has no normal
    add(all, CHANNEL_FORCE, entry + k, j, k, c->name, force[k]);
    add(all, CHANNEL_IMPULSE, entry + k, j, k, c->name, impulse[k]);
    if (k > 0) add(all, CHANNEL_SLIP, slip + k - 1, j, k, c->name, slips[k]);
  }
  if (c->tangents != 1) return;
  add(all, CHANNEL_FORCE, entry + 1, j, 1, c->name, ".force_t");
  add(all, CHANNEL_IMPULSE, entry + 1, j, 1, c->name, ".impulse_t");
  add(all, CHANNEL_SLIP, slip, j, 1, c->name, ".slip");
}

// Everything that has a name; where two have one, the first is meant.
static void list_all(catalogue *all)
{
  static const char *const energies[] = {"kinetic", "potential", "energy"};
  const dls_system *s = all->system;
  const int nq = s->chart ? s->chart->nq : s->n;
  int entry = 0, slip = 0;
  for (int i = 0; i < nq; i++)
    add(all, CHANNEL_COORDINATE, i, -1, 0, dls_configuration_names(s)[i], "");
  for (int i = 0; i < s->n; i++) add(all, CHANNEL_VELOCITY, i, -1, 0, s->coordinates[i], "'");
  for (int i = 0; i < dls_model_output_count(all->model); i++)
    add(all, CHANNEL_OUTPUT, i, -1, 0, dls_model_output_name(all->model, i), "");
  for (int i = 0; s->energy && i < 3; i++) add(all, CHANNEL_ENERGY, i, -1, 0, energies[i], "");
  for (int j = 0; j < s->m && !s->find; j++) {
    add_contact(all, j, entry, slip);
    entry += 1 + s->contacts[j].tangents, slip += s->contacts[j].tangents;
  }
}

// ---- --plot -------------------------------------------------------------------------------------

static int unknown(const catalogue *all, const char *name)
{
  const char **known = calloc((size_t)all->count + 1, sizeof *known);
  if (!known) return complain("out of memory");
  for (int i = 0; i < all->count; i++) known[i] = all->item[i].name;
  complain("--plot %s: nothing of that name can be drawn", name);
  if (!suggest(name, known, all->count))
    add_line("coordinates, velocities such as x', outputs, kinetic, potential, energy, and of a "
             "contact c.gap, c.rate, c.slip1, c.force_n, c.impulse_n and so on can");
  free(known);
  return EXIT_WRONG;
}

// The channel of the choice, which is added unless it is there.
static int take(plot_choice *choice, const catalogue *all, const char *name, int group, bool hidden,
                int *number)
{
  int found = -1;
  for (int i = 0; i < all->count && found < 0; i++)
    if (strncmp(all->item[i].name, name, CHANNEL_NAME - 1) == 0) found = i;
  if (found < 0) return unknown(all, name);
  if (choice->channels == CHANNELS)
    return complain("--plot: at most %d curves can be drawn", (int)CHANNELS);
  *number = choice->channels;
  channel *c = &choice->channel[choice->channels++];
  *c = all->item[found];
  c->group = group, c->hidden = hidden;
  return 0;
}

static int take_phase(plot_choice *choice, const catalogue *all, char *item, char *tilde, int group)
{
  int x = 0, y = 0;
  *tilde = 0;
  char *other = tilde + 1 + strspn(tilde + 1, " ");
  for (char *end = tilde; end > item && end[-1] == ' ';) *--end = 0;
  if (choice->phases == PHASES)
    return complain("--plot: at most %d phase pictures can be drawn", (int)PHASES);
  int wrong = take(choice, all, item, group, true, &y);
  if (!wrong) wrong = take(choice, all, other, group, true, &x);
  for (int k = 0; k < 2 && !wrong; k++) {
    const channel *c = &choice->channel[k ? x : y];
    if (c->kind == CHANNEL_FORCE || c->kind == CHANNEL_IMPULSE)
      wrong = complain("--plot %s~%s: %s is a mean over time, and no axis of a phase picture", item,
                       other, c->name);
  }
  choice->phase[choice->phases].x = x, choice->phase[choice->phases++].y = y;
  return wrong;
}

// Commas inside brackets belong to names.
static char *end_of_item(char *text)
{
  int depth = 0;
  for (; *text && !(*text == ',' && depth <= 0); text++)
    depth += *text == '[' ? 1 : *text == ']' ? -1 : 0;
  return text;
}

// "x, y', x'~x"
static int take_items(plot_choice *choice, const catalogue *all, char *text, int group)
{
  int wrong = 0, number;
  for (char *item = text; !wrong; item++) {
    char *end = end_of_item(item);
    const bool last = !*end;
    *end = 0;
    item += strspn(item, " ");
    for (char *back = end; back > item && back[-1] == ' ';) *--back = 0;
    char *tilde = strchr(item, '~');
    if (!*item) wrong = complain("--plot: a name is missing; such as --plot \"x, y', x'~x\"");
    else if (tilde) wrong = take_phase(choice, all, item, tilde, group);
    else wrong = take(choice, all, item, group, false, &number);
    if (last) break;
    item = end;
  }
  return wrong;
}

// ---- without it ---------------------------------------------------------------------------------

static void take_some(plot_choice *choice, const catalogue *all, channel_kind kind, int most)
{
  for (int i = 0; i < all->count && most > 0 && choice->channels < CHANNELS; i++) {
    if (all->item[i].kind != kind) continue;
    choice->channel[choice->channels++] = all->item[i];
    most--;
  }
}

// A joint without friction does nothing but hold.
static bool only_holds(const dls_system *s, const channel *c)
{
  return s->contacts[c->contact].kind == DLS_BILATERAL && s->contacts[c->contact].tangents == 0;
}

// Contacts that can do something, then joints.
static void take_contacts(plot_choice *choice, const catalogue *all, channel_kind kind)
{
  int left = IMPULSES;
  for (int joints = 0; joints < 2; joints++)
    for (int i = 0; i < all->count && left > 0 && choice->channels < CHANNELS; i++) {
      const channel *c = &all->item[i];
      const bool again = c->part > 0 && c->name[strlen(c->name) - 1] == 't';  // .force_t, _t1
      if (c->kind != kind || again || only_holds(all->system, c) != joints) continue;
      choice->channel[choice->channels++] = *c;
      left--;
    }
}

int plot_choose(plot_choice *choice, const options *given, const dls_model *model,
                const dls_system *system)
{
  catalogue all = {.model = model, .system = system};
  const char *text;
  int wrong = 0;
  *choice = (plot_choice){.chosen = options_has(given, "--plot")};
  list_all(&all);
  if (all.failed) wrong = complain("out of memory");
  for (int i = 0; !wrong && (text = options_value(given, "--plot", i)); i++) {
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy) wrong = complain("out of memory");
    if (copy) memcpy(copy, text, size);
    if (copy) wrong = take_items(choice, &all, copy, i);
    free(copy);
  }
  if (!wrong && !choice->chosen) {
    take_some(choice, &all, CHANNEL_COORDINATE, MOTIONS);
    take_some(choice, &all, CHANNEL_VELOCITY, MOTIONS);
    take_some(choice, &all, CHANNEL_OUTPUT, MOTIONS);
    take_contacts(choice, &all, CHANNEL_FORCE);
    take_contacts(choice, &all, CHANNEL_IMPULSE);
  }
  free(all.item);
  return wrong;
}
