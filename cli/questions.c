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
  if (find_question(name) >= 0) return 0;
  const char *known[DLS_QUESTION_COUNT + OTHERS_MAX];
  int known_count = 0;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    known[known_count++] = dls_question_name((dls_question)q);
  for (int i = 0; i < count && i < OTHERS_MAX; i++) known[known_count++] = others[i];
  complain("%s %s: unknown question", option, name);
  if (!suggest(name, known, known_count)) add_line("delassus help check lists the questions");
  return EXIT_WRONG;
}
