// The solvers by name, as --solver and --list have them.
#include "solve.h"

#include "message.h"

#include <string.h>

enum { NAMES_MAX = 64 };

// The names of the solvers that take friction problems (NULL: of any form) and LCPs.
static int friction_names(const dls_incremental *problem, const char **names)
{
  int count = 0;
  for (int k = 0; k < dls_solver_count() && count < NAMES_MAX; k++) {
    const dls_solver_info *info = dls_solver_info_at(k);
    if (!problem || (problem->global ? info->global : info->local)) names[count++] = info->name;
  }
  return count;
}

static int lcp_names(const char **names)
{
  int count = 0;
  for (int k = 0; k < dls_lcp_solver_count() && count < NAMES_MAX; k++)
    names[count++] = dls_lcp_solver_info_at(k)->name;
  return count;
}

int solve_check_name(const char *name)
{
  const char *known[2 * NAMES_MAX];
  if (dls_solver_find(name) || dls_lcp_solver_find(name)) return 0;
  int count = friction_names(NULL, known);
  count += lcp_names(known + count);
  complain("--solver %s: there is no such solver", name);
  if (!suggest(name, known, count)) add_line("delassus solve --list lists the solvers");
  return EXIT_WRONG;
}

int solve_check_applies(const solve_problem *p, const char *name)
{
  const char *known[NAMES_MAX];
  const int count = p->friction ? friction_names(p->friction, known) : lcp_names(known);
  for (int k = 0; k < count; k++)
    if (strcmp(known[k], name) == 0) return 0;

  const dls_solve_summary of = {.problem = p->friction, .lcp = p->lcp};
  buffer names = {0};
  for (int k = 0; k < count; k++) buffer_add(&names, "%s%s", k ? ", " : "", known[k]);
  complain("--solver %s does not take this kind of problem: %s is %s", name, p->shown,
           dls_solve_kind(&of));
  if (!names.failed && count > 0) add_line("solvers that do: %s", names.text);
  buffer_free(&names);
  return EXIT_WRONG;
}

// ---- the list ----------------------------------------------------------------------------------

static const char *forms(const dls_solver_info *info)
{
  if (info->local && info->global) return "local, global";
  return info->local ? "local" : "global";
}

static void list_text(buffer *g)
{
  enum { COLUMN = 18, FORMS = 15 };
  for (int comparison = 0; comparison < 2; comparison++) {
    buffer_add(g, comparison ? "\nTo be compared with: auto calls none of these\n"
                             : "Contact with friction (FCLIB files)\n");
    for (int k = 0; k < dls_solver_count(); k++) {
      const dls_solver_info *info = dls_solver_info_at(k);
      if (info->comparison != (comparison == 1)) continue;
      buffer_add(g, "  %-15s %-14s ", info->name, forms(info));
      buffer_words(g, info->summary, COLUMN + FORMS);
    }
  }
  buffer_add(g, "\nLinear complementarity, mixed too (JSON, MatrixMarket)\n");
  for (int k = 0; k < dls_lcp_solver_count(); k++) {
    const dls_lcp_solver_info *info = dls_lcp_solver_info_at(k);
    buffer_add(g, "  %-15s ", info->name);
    buffer_words(g, info->summary, COLUMN);
    if (!info->promise) continue;
    buffer_add(g, "%*s  sure for: ", COLUMN, "");
    buffer_words(g, info->promise, COLUMN + 12);
  }
}

static void list_json(buffer *g)
{
  buffer_add(g, "{\n  \"friction\": [");
  for (int k = 0; k < dls_solver_count(); k++) {
    const dls_solver_info *info = dls_solver_info_at(k);
    buffer_add(g, "%s\n    {\"name\": ", k ? "," : "");
    buffer_json_string(g, info->name);
    buffer_add(g, ", \"local\": %s, \"global\": %s, \"comparison\": %s, \"laws\": [",
               info->local ? "true" : "false", info->global ? "true" : "false",
               info->comparison ? "true" : "false");
    for (int law = 0, any = 0; law < DLS_LAW_COUNT; law++) {
      if (!(info->laws & DLS_LAW_BIT(law))) continue;
      buffer_add(g, any++ ? ", " : "");
      buffer_json_string(g, dls_law_name(law));
    }
    buffer_add(g, "], \"summary\": ");
    buffer_json_string(g, info->summary);
    buffer_add(g, "}");
  }
  buffer_add(g, "\n  ],\n  \"lcp\": [");
  for (int k = 0; k < dls_lcp_solver_count(); k++) {
    const dls_lcp_solver_info *info = dls_lcp_solver_info_at(k);
    buffer_add(g, "%s\n    {\"name\": ", k ? "," : "");
    buffer_json_string(g, info->name);
    buffer_add(g, ", \"summary\": ");
    buffer_json_string(g, info->summary);
    buffer_add(g, ", \"promise\": ");
    buffer_json_string(g, info->promise);
    buffer_add(g, "}");
  }
  buffer_add(g, "\n  ]\n}\n");
}

int solve_print_list(bool json)
{
  buffer g = {0};
  if (json) list_json(&g);
  else list_text(&g);
  return print_buffer(&g);
}
