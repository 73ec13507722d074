// A map: what is asked, over which axes, and the answers. One file computes a point, one all
// points, the others write the results.
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "buffer.h"
#include "model_file.h"

#include <delassus/picture.h>

enum { MAP_ASKS_MAX = 8 };

// What a question is answered with: yes, no, undecided; a count; a number.
typedef enum ask_kind { ASK_VERDICT, ASK_COUNT, ASK_NUMBER } ask_kind;

typedef struct map_ask {
  const char *name;
  ask_kind kind;
  int which;  // the dls_question or the dls_limit_name
} map_ask;

typedef struct map_axis {
  char *name;
  double low, high;
  int count;
  bool logarithmic;
  bool in_state;  // a coordinate, a velocity or t, not a parameter
} map_axis;

// Constant while the points are computed.
typedef struct map_plan {
  const model_file *file;
  int axes;  // 1 or 2
  map_axis axis[2];
  int nx, ny;  // points along each; ny = 1 without a second axis
  int asks;
  map_ask ask[MAP_ASKS_MAX];
} map_plan;

// The answers. Point (i, j) stands at j*nx + i.
typedef struct map_answers {
  // A dls_answer, a count or a number; NaN: not known, or it does not exist; INFINITY: unbounded.
  double *value[MAP_ASKS_MAX];
  bool *no_state;   // the model has no admissible state there; values are then NaN
  long without;     // how many such points
  long first;       // the first of them
  dls_message why;  // and what is wrong there
  double seconds;
  int threads;
} map_answers;

// ---- map_axis.c: reading the call ---------------------------------------------------------------

// "mu=0:4:200" or "mu=0.01:10:50:log". Returns 0, or complains and returns an exit status.
int map_axis_read(map_axis *axis, const char *flag, const char *text);
// Says what the axis stands for in this model.
int map_axis_find(map_axis *axis, const char *flag, const model_file *file);
double map_axis_value(const map_axis *axis, int index);
int map_ask_read(map_ask *ask, const char *name);

// ---- map_point.c: one point ---------------------------------------------------------------------

typedef struct map_worker {
  const map_plan *plan;
  dls_system *system;
  dls_state state;
  char *at;  // the text of the state, with what the axes assign
  size_t at_size;
} map_worker;

dls_status map_worker_begin(map_worker *worker, const map_plan *plan, dls_message *message);
void map_worker_end(map_worker *worker);

// One value for each question. DLS_ERR_STATE when the model has no admissible state at the point,
// with the reason; any other status concerns the call and not the point.
dls_status map_point(map_worker *worker, int i, int j, double *values, dls_message *message);

// ---- map_run.c: all points, on all cores --------------------------------------------------------

// threads: 0 for one per core. The answers do not depend on it.
int map_run(const map_plan *plan, int threads, bool quiet, map_answers *answers);
void map_answers_free(map_answers *answers);

// ---- map_text.c, map_picture.c: the results -----------------------------------------------------

void map_write_text(buffer *out, const map_plan *plan, const map_answers *answers);
void map_write_csv(buffer *out, const map_plan *plan, const map_answers *answers);
void map_write_json(buffer *out, const map_plan *plan, const map_answers *answers);
dls_status map_draw(const map_plan *plan, const map_answers *answers, const char *title,
                    dls_picture_form form, char **data, size_t *size, dls_message *message);

// "x.dls, at rest, with m = 2"; the file only when asked for.
void map_describe(buffer *out, const map_plan *plan, bool file);

#endif
