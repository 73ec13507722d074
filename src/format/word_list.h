// Words with a space between: the elements and attributes that tables of formats list.
#ifndef DLS_FORMAT_WORD_LIST_H
#define DLS_FORMAT_WORD_LIST_H

#include "format/reading.h"

bool dls_word_list_has(const char *words, const char *word);  // words: NULL is an empty list

// "; did you mean `...`?" with the nearest word of some lists, or "".
dls_suggestion dls_word_list_suggest(const char *text, const char *const *lists, int count);

#endif
