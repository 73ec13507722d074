// What readers of model files share: the files, what failed first, notes, values of attributes.
//
// The first failure stays and later ones are ignored, so that a reader may ask for several values
// and look at `status` once. Values after a failure are in range but mean nothing.
#ifndef DLS_FORMAT_READING_H
#define DLS_FORMAT_READING_H

#include "format/xml_tree.h"

#include <delassus/import.h>

#include <stdbool.h>

typedef struct dls_note_list {
  int count, capacity;
  dls_import_note *note;
} dls_note_list;

typedef struct dls_file_reading {
  dls_arena *arena;  // of the result
  dls_arena *work;   // until it is made
  dls_xml xml;       // in work
  const dls_import_options *options;
  const char *folder;  // of the model file, without links
  const char *path;    // of the model file, as messages call it
  const char *real;    // the same, without links
  size_t mesh_bytes;   // read so far
  int steps;           // see dls_reading_step
  dls_note_list notes;
  dls_status status;
  dls_message *message;
} dls_file_reading;

// Records the first failure, at an element, or at the value of one of its attributes.
void dls_reading_fail(dls_file_reading *reading, const dls_xml_element *element,
                      const char *attribute, const char *format, ...) DLS_PRINTF(4, 5);
void dls_reading_fail_place(dls_file_reading *reading, dls_file_place place, const char *format,
                            ...) DLS_PRINTF(3, 4);
void dls_reading_fail_memory(dls_file_reading *reading);

// One of work that a hostile file could multiply; fails when there are too many.
void dls_reading_step(dls_file_reading *reading, const dls_xml_element *element);

// Counts what the mechanism does not say: left out, or approximated.
void dls_reading_note(dls_file_reading *reading, bool approximated, int count, const char *format,
                      ...) DLS_PRINTF(4, 5);

// Zeroed memory until the end of the reading, or of the result; fails the reader instead of giving
// NULL back, when it must not be used.
void *dls_reading_work(dls_file_reading *reading, ptrdiff_t count, size_t size);
void *dls_reading_keep(dls_file_reading *reading, ptrdiff_t count, size_t size);
const char *dls_reading_keep_text(dls_file_reading *reading, const char *text);
// A text in the style of printf.
const char *dls_reading_keep_format(dls_file_reading *reading, const char *format, ...)
    DLS_PRINTF(2, 3);

// Room for one more element of an array in `work`: its place, or NULL.
void *dls_reading_grow(dls_file_reading *reading, void **array, int *count, int *capacity,
                       size_t size);
#define DLS_READING_ADD(reading, list, member)                            \
  dls_reading_grow(reading, (void **)&(list)->member, &(list)->member##s, \
                   &(list)->member##_capacity, sizeof *(list)->member)

// -- values of attributes; none changes what an absent attribute leaves as it is -----------------

// NULL when it is not there.
const char *dls_reading_text(const dls_xml_element *element, const char *name);
// Numbers apart by spaces, from least to most of them. Returns how many, 0 when it is not there.
int dls_reading_numbers(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                        int least, int most, double *out);
// As many as there are, in `work`.
int dls_reading_all_numbers(dls_file_reading *reading, const dls_xml_element *element,
                            const char *name, double **out);
bool dls_reading_number(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                        double *out);
bool dls_reading_int(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                     int *out);
// One of the words, which end in NULL: its number.
bool dls_reading_word(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                      const char *const *words, int *out);
bool dls_reading_bool(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                      bool *out);
// Fails when it is not there or empty.
const char *dls_reading_required(dls_file_reading *reading, const dls_xml_element *element,
                                 const char *name);
void dls_reading_require(dls_file_reading *reading, const dls_xml_element *element,
                         const char *name);

// The nearest of words that end in NULL, as "; did you mean `...`?"; "" when none is near.
typedef struct dls_suggestion {
  char text[80];
} dls_suggestion;
dls_suggestion dls_reading_suggest(const char *text, const char *const *words);

#endif
