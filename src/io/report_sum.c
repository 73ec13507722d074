#include "io/report_sum.h"

#include "io/report_parts.h"

#include <math.h>
#include <string.h>

enum { TERMS = 5, NAMED = 4, NAME_COLUMNS = 32 };

const dls_witness_part *dls_part_vector(const dls_verdict *verdict, dls_index_set index_set)
{
  for (int i = 0; i < verdict->parts; i++)
    if (verdict->part[i].index_set == index_set && verdict->part[i].values)
      return &verdict->part[i];
  return NULL;
}

typedef struct sum {
  dls_text *text;
  const dls_report *report;
  double scale;  // the largest coefficient becomes 1
  int terms;
} sum;

int dls_part_terms(const dls_witness_part *part)
{
  int count = 0;
  for (int i = 0; part && i < part->count; i++)
    count += isfinite(part->values[i]) && part->values[i] != 0;
  return count;
}

static void add_terms(sum *s, const dls_witness_part *part)
{
  for (int i = 0; part && i < part->count; i++) {
    const double c = part->values[i] / s->scale;
    if (!isfinite(c) || c == 0) continue;
    const char *sign = c < 0 ? (s->terms ? " − " : "−") : (s->terms ? " + " : "");
    dls_name_text made;
    dls_text_add(s->text, "%s", sign);
    if (fabs(fabs(c) - 1) > 1e-9) dls_text_add(s->text, "%s ", dls_number(fabs(c)).text);
    dls_text_clean(s->text, dls_report_over(s->report, part->index_set, i, &made), NAME_COLUMNS);
    s->terms++;
  }
}

bool dls_add_sum(dls_text *text, const dls_report *report, const dls_witness_part *first,
                 const dls_witness_part *second, bool turn)
{
  const dls_witness_part *part[2] = {first, second};
  double scale = 0, lead = 0;
  for (int k = 0; k < 2; k++) {
    if (part[k]) scale = fmax(scale, dls_largest(part[k]->values, part[k]->count));
  }
  if (scale == 0) return false;
  for (int k = 0; k < 2; k++)
    for (int i = 0; part[k] && i < part[k]->count && lead == 0; i++)
      if (isfinite(part[k]->values[i])) lead = part[k]->values[i];

  const int count = dls_part_terms(first) + dls_part_terms(second);
  if (count > TERMS) {
    dls_text_add(text, "a combination of %d (in --json)", count);
    return true;
  }
  sum s = {.text = text, .report = report, .scale = turn && lead < 0 ? -scale : scale};
  add_terms(&s, first);
  add_terms(&s, second);
  return s.terms > 0;
}

bool dls_add_motion(dls_text *text, const dls_report *report, const dls_verdict *v, bool turn)
{
  return dls_add_sum(text, report, dls_part_vector(v, DLS_INDEX_COORDINATES), NULL, turn);
}

const dls_witness_part *dls_part_named(const dls_verdict *verdict, const char *name)
{
  for (int i = 0; i < verdict->parts; i++)
    if (strcmp(verdict->part[i].name, name) == 0 && verdict->part[i].values)
      return &verdict->part[i];
  return NULL;
}

const dls_witness_part *dls_part_set(const dls_verdict *verdict, const char *name)
{
  for (int i = 0; i < verdict->parts; i++) {
    const dls_witness_part *part = &verdict->part[i];
    const bool contacts =
        part->index_set != DLS_INDEX_COORDINATES && part->index_set != DLS_INDEX_TANGENTS;
    if (contacts && !part->values && (!name || strcmp(part->name, name) == 0)) return part;
  }
  return NULL;
}

int dls_add_members(dls_text *text, const dls_report *report, const dls_witness_part *first,
                    const dls_witness_part *second)
{
  const dls_witness_part *parts[2] = {first, second};
  int count = 0;
  for (int p = 0; p < 2; p++) {
    const dls_witness_part *part = parts[p];
    for (int k = 0; part && k < part->count; k++) {
      if (part->values && !(part->values[k] != 0)) continue;
      const int i = part->values ? k : part->index[k];
      dls_name_text made;
      if (count++ >= NAMED) continue;
      dls_text_add(text, count > 1 ? ", " : "");
      dls_text_clean(text, dls_report_over(report, part->index_set, i, &made), NAME_COLUMNS);
    }
  }
  if (count > NAMED) dls_text_add(text, " and %d more", count - NAMED);
  return count;
}
