// Which numbers of a report are proven, and which are not.
#ifndef DLS_VERIFY_SCOPE_H
#define DLS_VERIFY_SCOPE_H

#include <jansson.h>
#include <stdbool.h>

enum { DLS_SCOPE_PATTERNS = 40, DLS_SCOPE_UNKNOWN = 16 };

typedef struct dls_scope_count {
  int proven, unproven;  // numbers, if all claims hold
  int patterns;          // keys of numbers without a proof, "verdicts.*.margin"
  const char *pattern[DLS_SCOPE_PATTERNS];
  char false_mark[101];  // a mark "proven" that does not say false; "" when there is none
  int unknowns;          // keys that this version does not know
  char unknown[DLS_SCOPE_UNKNOWN][61];
} dls_scope_count;

void dls_scope_of(const json_t *report, dls_scope_count *out);
// How many of the numbers that count as proven stand below "force_ranges", "floor" (or "": all).
int dls_scope_below(const json_t *report, const char *group, const char *name);

#endif
