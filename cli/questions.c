#include "questions.h"

#include "message.h"

#include <delassus/check.h>

#include <string.h>

int find_question(const char *name)
{
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    if (strcmp(dls_question_name((dls_question)q), name) == 0) return q;
  return -1;
}

int check_question(const char *option, const char *name, const char *const *others, int count)
{
  enum { OTHERS_MAX = 16 };
  static const char *const later[] = {"unique_for_every_load", "can_all_stick", "form_closure",
                                      "force_closure", "step_solvable"};
  if (find_question(name) >= 0) return 0;
  for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
    if (strcmp(name, later[i]) == 0)
      return complain("%s %s: this question is not answered by this version (%s)", option, name,
                      dls_version());

  const char *known[DLS_QUESTION_COUNT + OTHERS_MAX];
  int known_count = 0;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    known[known_count++] = dls_question_name((dls_question)q);
  for (int i = 0; i < count && i < OTHERS_MAX; i++) known[known_count++] = others[i];
  complain("%s %s: unknown question", option, name);
  const char *meant = nearest(name, known, known_count);
  if (meant) add_line("did you mean %s?", meant);
  else add_line("delassus help check lists the questions");
  return EXIT_WRONG;
}
