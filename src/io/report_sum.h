// The parts of a witness in words: sums of forces and motions, and lists of contacts.
#ifndef DLS_IO_REPORT_SUM_H
#define DLS_IO_REPORT_SUM_H

#include <delassus/report.h>

#include "base/text.h"

// The first vector of the witness over these indices, or of that name; NULL when it has none.
const dls_witness_part *dls_part_vector(const dls_verdict *verdict, dls_index_set index_set);
const dls_witness_part *dls_part_named(const dls_verdict *verdict, const char *name);
// The first set of contacts of that name; of any name when it is NULL.
const dls_witness_part *dls_part_set(const dls_verdict *verdict, const char *name);

// How many entries are not zero.
int dls_part_terms(const dls_witness_part *part);

// Adds "left − 2 right" from one or two vectors of a witness. `turn`: the sign has no meaning, and
// the first term may as well be positive. false when there is nothing to add.
bool dls_add_sum(dls_text *text, const dls_report *report, const dls_witness_part *first,
                 const dls_witness_part *second, bool turn);
// The same for the witness's vector over coordinates.
bool dls_add_motion(dls_text *text, const dls_report *report, const dls_verdict *verdict,
                    bool turn);
// Adds "left, right and 3 more": the members of sets, or of vectors that are not zero; one or two
// of them. Returns how many there are.
int dls_add_members(dls_text *text, const dls_report *report, const dls_witness_part *first,
                    const dls_witness_part *second);

#endif
