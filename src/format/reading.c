#include "format/reading.h"

#include "base/format.h"
#include "base/message.h"
#include "base/word_distance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 1 << 20 };

void dls_reading_fail_memory(dls_file_reading *reading)
{
  if (!reading->status)
    reading->status = dls_fail(reading->message, DLS_ERR_MEMORY, "out of memory");
}

void dls_reading_fail(dls_file_reading *reading, const dls_xml_element *element,
                      const char *attribute, const char *format, ...)
{
  if (reading->status) return;
  const dls_xml_attribute *a = attribute ? dls_xml_find(element, attribute) : NULL;
  va_list arguments;
  va_start(arguments, format);
  reading->status = dls_file_place_fail_list(reading->message, DLS_ERR_MODEL,
                                             a ? a->place : element->place, format, arguments);
  va_end(arguments);
}

void dls_reading_fail_place(dls_file_reading *reading, dls_file_place place, const char *format,
                            ...)
{
  if (reading->status) return;
  va_list arguments;
  va_start(arguments, format);
  reading->status =
      dls_file_place_fail_list(reading->message, DLS_ERR_MODEL, place, format, arguments);
  va_end(arguments);
}

void dls_reading_step(dls_file_reading *reading, const dls_xml_element *element)
{
  if (reading->status || ++reading->steps <= MOST_STEPS) return;
  reading->status = dls_file_place_fail(reading->message, DLS_ERR_LIMIT, element->place,
                                        "the model becomes too large here");
}

void *dls_reading_work(dls_file_reading *reading, ptrdiff_t count, size_t size)
{
  void *memory = dls_arena_alloc(reading->work, count, size);
  if (!memory) dls_reading_fail_memory(reading);
  return memory;
}

void *dls_reading_keep(dls_file_reading *reading, ptrdiff_t count, size_t size)
{
  void *memory = dls_arena_alloc(reading->arena, count, size);
  if (!memory) dls_reading_fail_memory(reading);
  return memory;
}

const char *dls_reading_keep_text(dls_file_reading *reading, const char *text)
{
  const char *copy = dls_arena_copy(reading->arena, text, strlen(text));
  if (!copy) dls_reading_fail_memory(reading);
  return copy;
}

const char *dls_reading_keep_format(dls_file_reading *reading, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = dls_format_list(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : dls_reading_keep(reading, (ptrdiff_t)length + 1, 1);
  if (text) dls_format_list(text, (size_t)length + 1, format, again);
  else dls_reading_fail_memory(reading);
  va_end(again);
  return text;
}

void *dls_reading_grow(dls_file_reading *reading, void **array, int *count, int *capacity,
                       size_t size)
{
  enum { MOST = 1 << 24 };
  if (*count == *capacity) {
    const int bigger = *capacity < 8 ? 8 : 2 * *capacity;
    void *memory = bigger > MOST ? NULL : dls_arena_alloc(reading->work, bigger, size);
    if (!memory) {
      dls_reading_fail_memory(reading);
      return NULL;
    }
    if (*count > 0) memcpy(memory, *array, (size_t)*count * size);
    *array = memory;
    *capacity = bigger;
  }
  return (char *)*array + (size_t)(*count)++ * size;
}

void dls_reading_note(dls_file_reading *reading, bool approximated, int count, const char *format,
                      ...)
{
  char what[200];
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(what, sizeof what, format, arguments);
  va_end(arguments);
  dls_note_list *list = &reading->notes;
  for (int k = 0; k < list->count; k++) {
    if (list->note[k].approximated != approximated || strcmp(list->note[k].what, what) != 0)
      continue;
    list->note[k].count += count;
    return;
  }
  const char *copy = dls_reading_keep_text(reading, what);
  dls_import_note *note = dls_reading_grow(reading, (void **)&list->note, &list->count,
                                           &list->capacity, sizeof *list->note);
  if (note) *note = (dls_import_note){.what = copy, .count = count, .approximated = approximated};
}

dls_suggestion dls_reading_suggest(const char *text, const char *const *words)
{
  dls_suggestion s = {""};
  const size_t length = strlen(text);
  if (length == 0 || length > DLS_NEAREST_LENGTH) return s;
  const char *nearest = NULL;
  int limit = dls_word_reach((int)length);
  for (; *words && limit > 0; words++) {
    const size_t word = strlen(*words);
    if (word > DLS_NEAREST_LENGTH) continue;
    const int d = dls_word_distance(text, (int)length, *words, (int)word, limit);
    if (d > limit) continue;
    nearest = *words;
    limit = d - 1;
  }
  if (nearest) snprintf(s.text, sizeof s.text, "; did you mean `%s`?", nearest);
  return s;
}
