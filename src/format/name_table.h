// Names and the numbers of what they name.
#ifndef DLS_FORMAT_NAME_TABLE_H
#define DLS_FORMAT_NAME_TABLE_H

#include "format/reading.h"

typedef struct dls_name_table {
  int count, capacity;  // a power of two, or 0
  const char **name;    // NULL: free
  int *value;
} dls_name_table;

// Enters a name of at least one byte; the text must stay. False when it is there already; fails the
// reader when memory runs out.
bool dls_name_table_add(dls_file_reading *reading, dls_name_table *table, const char *name,
                        int value);
int dls_name_table_find(const dls_name_table *table, const char *name);  // -1: not there
// "; did you mean `...`?", or "".
dls_suggestion dls_name_table_suggest(const dls_name_table *table, const char *name);

#endif
