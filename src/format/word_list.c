#include "format/word_list.h"

#include <string.h>

bool dls_word_list_has(const char *words, const char *word)
{
  const size_t length = strlen(word);
  for (const char *s = words; s && *s;) {
    const size_t size = strcspn(s, " ");
    if (size == length && memcmp(s, word, size) == 0) return true;
    s += size + strspn(s + size, " ");
  }
  return false;
}

dls_suggestion dls_word_list_suggest(const char *text, const char *const *lists, int count)
{
  enum { WORDS = 80, BYTES = 1200 };
  char copy[BYTES];
  const char *words[WORDS + 1];
  size_t used = 0;
  int found = 0;
  for (int k = 0; k < count; k++) {
    for (const char *s = lists[k]; s && *s;) {
      const size_t size = strcspn(s, " ");
      if (found < WORDS && used + size + 1 <= BYTES) {
        memcpy(copy + used, s, size);
        copy[used + size] = 0;
        words[found++] = copy + used;
        used += size + 1;
      }
      s += size + strspn(s + size, " ");
    }
  }
  words[found] = NULL;
  return dls_reading_suggest(text, words);
}
