// Pictures of a mechanism: what the `draw` statements of a model show.
#ifndef CLI_CHECK_PICTURE_H
#define CLI_CHECK_PICTURE_H

#include "model_file.h"

#include <delassus/drawing.h>
#include <delassus/picture.h>
#include <delassus/report.h>

// The shapes of the model, at least one: 0, or an exit status after saying what is missing. out:
// what in the call needs them. Free the drawing in either case.
int drawing_of_model(const model_file *file, const char *out, dls_drawing **drawing);

// The multipliers of one solution or of an impact, by contact of the system.
typedef struct check_numbers {
  const dls_contact_state *state;
  const dls_solution *solution;     // NULL: none,
  const dls_impact_motion *motion;  // or those of an impact
} check_numbers;

// The place of a contact among the closed ones, bilateral first; -1: it is open.
int check_place(const dls_contact_state *state, int contact);
// Normal first, with intervals; NaN, both, where one is not known.
void check_multipliers(const check_numbers *numbers, int place, double value[3], double low[3],
                       double high[3]);

// Forces that are drawn as arrows though nobody knows their intervals.
bool check_has_unknown(const check_numbers *numbers);

// The mechanism at the state of the report, with its forces.
dls_status check_picture(const dls_report *report, dls_drawing *drawing, dls_picture_form form,
                         char **data, size_t *size, dls_message *message);

#endif
