// What the parts of delassus order share: the call, the runs, what came of them.
#ifndef CLI_ORDER_H
#define CLI_ORDER_H

#include "buffer.h"
#include "model_file.h"

#include <delassus/convergence.h>
#include <delassus/picture.h>

enum { ORDER_SCHEMES = 32, ORDER_COUNT = 200, QUANTITIES = 2 };

// The values of an option: A:B:N, evenly on a logarithmic scale, or separated by commas.
typedef struct order_list {
  int count;
  double value[ORDER_COUNT];
} order_list;

// What is asked.
typedef struct order_plan {
  model_file *file;
  dls_integrator_options how;
  double until;
  int schemes;
  char *names;  // the schemes, cut into words
  const char *scheme[ORDER_SCHEMES];
  bool chosen[ORDER_SCHEMES];  // the scheme's steps follow from tolerances
  order_list steps, rtols, atols;
  bool norm[DLS_NORM_COUNT];  // that are shown
  bool quantity[QUANTITIES];  // coordinates, velocities
  bool by_run;                // the reference is a run, even if the model has an exact solution
  bool by_formula;            // it must be the exact solution
  bool quiet;
} order_plan;

typedef struct order_run {
  int scheme;
  double step;        // given, or the first one
  double rtol, atol;  // 0: fixed steps
  bool done;          // not when the program was interrupted before
  dls_accuracy accuracy;
} order_run;

typedef struct order_result {
  dls_reference *reference;
  bool exact;
  double reference_step;
  // How far the reference is from a run with twice its step, 0 for formulas, NaN when that failed:
  // smaller errors are not known.                                                   eq (err.7)
  double reference_error[QUANTITIES][DLS_NORM_COUNT];
  // By scheme: how far its finest run is from one with wider tolerances and other roundings; 0
  // where errors are far above that, NaN when that failed.                                 eq
  // (err.9)
  double noise[ORDER_SCHEMES][QUANTITIES][DLS_NORM_COUNT];
  int runs;
  order_run *run;  // those of a scheme next to each other, larger steps first
  dls_slope slope[ORDER_SCHEMES][QUANTITIES][DLS_NORM_COUNT];
  bool (*used)[QUANTITIES][DLS_NORM_COUNT];   // by run: it has a part in the slope,
  bool (*below)[QUANTITIES][DLS_NORM_COUNT];  // or not, as its error is below the reference's
  bool interrupted;
} order_result;

// Each returns 0, or says what is wrong on standard error and returns an exit status.
int order_list_read(order_list *list, const char *flag, const char *text);
// From here on a signal asks (interrupt.h), until the results are written.
int order_measure(order_result *result, const order_plan *plan);
void order_result_free(order_result *result);

// The step that an order is measured by, the error (NaN: none) and whether the run failed.
double order_step(const order_plan *plan, const order_run *run);
double order_error(const order_run *run, int quantity, int norm);
bool order_failed(const order_run *run);
// Why a scheme has no order in a norm; NULL when it has one.
const char *order_reason(const order_plan *plan, const order_result *result, int scheme,
                         int quantity, int norm);
// A line after a failure, unless the call gives a tolerance.
void order_suggest_tolerance(const order_plan *plan);

void order_text(buffer *out, const order_plan *plan, const order_result *result);
void order_json(buffer *out, const order_plan *plan, const order_result *result);
void order_csv(buffer *out, const order_plan *plan, const order_result *result);
dls_status order_draw(const order_plan *plan, const order_result *result, dls_picture_form form,
                      char **data, size_t *size, dls_message *message);

#endif
