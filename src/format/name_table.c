#include "format/name_table.h"

#include <string.h>

static unsigned slot_of(const char *name, int capacity)
{
  unsigned hash = 2166136261u;
  for (const char *s = name; *s; s++) hash = (hash ^ (unsigned char)*s) * 16777619u;
  hash ^= hash >> 15;
  return hash & (unsigned)(capacity - 1);
}

// The slot of the name, or the free one where it belongs.
static int look(const dls_name_table *table, const char *name)
{
  unsigned slot = slot_of(name, table->capacity);
  while (table->name[slot] && strcmp(table->name[slot], name) != 0)
    slot = (slot + 1) & (unsigned)(table->capacity - 1);
  return (int)slot;
}

static bool grow(dls_file_reading *reading, dls_name_table *table)
{
  const int capacity = table->capacity ? 2 * table->capacity : 32;
  dls_name_table bigger = {.count = table->count, .capacity = capacity};
  bigger.name = dls_reading_work(reading, capacity, sizeof *bigger.name);
  bigger.value = dls_reading_work(reading, capacity, sizeof *bigger.value);
  if (!bigger.name || !bigger.value) return false;
  for (int k = 0; k < table->capacity; k++) {
    if (!table->name[k]) continue;
    const int slot = look(&bigger, table->name[k]);
    bigger.name[slot] = table->name[k];
    bigger.value[slot] = table->value[k];
  }
  *table = bigger;
  return true;
}

bool dls_name_table_add(dls_file_reading *reading, dls_name_table *table, const char *name,
                        int value)
{
  if (reading->status) return true;
  if (2 * table->count >= table->capacity && !grow(reading, table)) return true;
  const int slot = look(table, name);
  if (table->name[slot]) return false;
  table->name[slot] = name;
  table->value[slot] = value;
  table->count++;
  return true;
}

int dls_name_table_find(const dls_name_table *table, const char *name)
{
  if (!table->capacity) return -1;
  const int slot = look(table, name);
  return table->name[slot] ? table->value[slot] : -1;
}

dls_suggestion dls_name_table_suggest(const dls_name_table *table, const char *name)
{
  enum { MOST = 2000 };
  const char *words[MOST + 1];
  int count = 0;
  for (int k = 0; k < table->capacity && count < MOST; k++) {
    if (table->name[k]) words[count++] = table->name[k];
  }
  words[count] = NULL;
  return dls_reading_suggest(name, words);
}
