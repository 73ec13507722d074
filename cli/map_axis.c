#define _POSIX_C_SOURCE 200809L
#include "map.h"

#include "message.h"
#include "questions.h"

#include <delassus/check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 2000 };

static int wrong_axis(const char *flag, const char *text, const char *expected)
{
  complain("%s %s: %s", flag, text, expected);
  add_line("expected NAME=A:B:N, such as %s mu=0:4:200; NAME=A:B:N:log for even steps of the "
           "logarithm",
           flag);
  return EXIT_WRONG;
}

// Reads a number up to a colon or the end; NULL when there is none.
static const char *read_number(const char *text, double *number)
{
  char *end = NULL;
  *number = strtod(text, &end);
  return end == text || (*end && *end != ':') || !isfinite(*number) ? NULL : end;
}

int map_axis_read(map_axis *axis, const char *flag, const char *text)
{
  const char *equal = strchr(text, '='), *rest = equal ? equal + 1 : NULL;
  double count = 0;
  if (!equal || equal == text) return wrong_axis(flag, text, "no name and range");
  if (!(rest = read_number(rest, &axis->low)) || *rest != ':')
    return wrong_axis(flag, text, "no number A");
  if (!(rest = read_number(rest + 1, &axis->high)) || *rest != ':')
    return wrong_axis(flag, text, "no number B");
  if (!(rest = read_number(rest + 1, &count)) || count != floor(count))
    return wrong_axis(flag, text, "N is not a whole number");
  axis->logarithmic = strcmp(rest, ":log") == 0;
  if (*rest && !axis->logarithmic) return wrong_axis(flag, text, "something follows N");
  if (!(count >= 1 && count <= COUNT_MAX))
    return complain("%s %s: expected 1 <= N <= %d", flag, text, COUNT_MAX);
  if (axis->low > axis->high) return complain("%s %s: expected A < B", flag, text);
  if ((axis->low == axis->high) != (count == 1))
    return complain("%s %s: N = 1 and A = B belong together", flag, text);
  if (axis->logarithmic && !(axis->low > 0))
    return complain("%s %s: a logarithmic axis needs 0 < A", flag, text);
  axis->count = (int)count;

  size_t length = (size_t)(equal - text);
  while (length > 0 && text[length - 1] == ' ') length--;
  axis->name = strndup(text, length);
  return axis->name ? 0 : complain("out of memory");
}

double map_axis_value(const map_axis *axis, int index)
{
  const double last = axis->count - 1;
  if (index <= 0) return axis->low;
  if (index >= axis->count - 1) return axis->high;
  // one rounding when the ends are short numbers, so that 0:1:11 has 0.3
  const double sum = axis->low * (last - index) + axis->high * index;
  double x =
      isfinite(sum) ? sum / last : axis->low * (1 - index / last) + axis->high * (index / last);
  if (axis->logarithmic)
    x = exp(log(axis->low) + (log(axis->high) - log(axis->low)) * (index / last));
  return fmin(fmax(x, axis->low), axis->high);  // rounding does not lead beyond the ends
}

// t, a coordinate, or the velocity x' of one
static bool in_state(const char *name, const dls_system *system)
{
  if (strcmp(name, "t") == 0) return true;
  const size_t length = strlen(name), dash = length > 0 && name[length - 1] == '\'' ? 1 : 0;
  for (int i = 0; i < system->n; i++)
    if (strlen(system->coordinates[i]) == length - dash &&
        strncmp(system->coordinates[i], name, length - dash) == 0)
      return true;
  return false;
}

int map_axis_find(map_axis *axis, const char *flag, const model_file *file)
{
  bool parameter = false;
  for (int i = 0; i < dls_model_parameter_count(file->model); i++)
    parameter = parameter || strcmp(dls_model_parameter_name(file->model, i), axis->name) == 0;
  axis->in_state = !parameter && in_state(axis->name, file->system);
  if (!parameter && !axis->in_state) {
    dls_message message = {0};
    const dls_status status = dls_model_set(file->system, axis->name, "0", &message);
    complain("%s: %s %s: %s", file->shown, flag, axis->name,
             message.text[0] ? message.text : dls_status_text(status));
    list_parameters(file->model, axis->name);
    return EXIT_WRONG;
  }
  const char *at = model_file_at(file);
  if (axis->in_state && at && !strchr(at, '=')) {
    complain("%s %s: it is part of the state, and --at %s names a whole one", flag, axis->name, at);
    add_line("give --at assignments in place of the name");
    return EXIT_WRONG;
  }
  const char *set;
  const size_t length = strlen(axis->name);
  for (int i = 0; (set = options_value(file->options, "--set", i)); i++)
    if (strncmp(set, axis->name, length) == 0 && (set[length] == '=' || set[length] == ' '))
      return complain("%s %s: it is set by --set %s too", flag, axis->name, set);
  return 0;
}

int map_ask_read(map_ask *ask, const char *name)
{
  const char *others[1 + DLS_LIMIT_COUNT] = {"solution_count"};
  char limits[DLS_LIMIT_COUNT][40];
  *ask = (map_ask){.name = name, .kind = ASK_COUNT};
  if (strcmp(name, others[0]) == 0) return 0;
  for (int k = 0; k < DLS_LIMIT_COUNT; k++) {
    snprintf(limits[k], sizeof limits[k], "friction.%s", dls_limit_text((dls_limit_name)k));
    others[1 + k] = limits[k];
    if (strcmp(name, limits[k]) != 0) continue;
    *ask = (map_ask){.name = name, .kind = ASK_NUMBER, .which = k};
    return 0;
  }
  ask->kind = ASK_VERDICT;
  ask->which = find_question(name);
  return check_question("--ask", name, others, 1 + DLS_LIMIT_COUNT);
}
