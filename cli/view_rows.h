// The motion as a page will show it: rows up to a number, then every second one goes, and all
// events.
#ifndef CLI_VIEW_ROWS_H
#define CLI_VIEW_ROWS_H

#include <delassus/integrator.h>

typedef struct view_row {
  double t;
  double time;  // since the row before, of all rows; 0 behind a jump
  int m, impulses;
  double *q, *v;
  double *impulse;        // since the row before
  double *value;          // likewise: mean forces, or percussions
  unsigned char *struck;  // m: the values of a contact are percussions
  unsigned char *status;  // m
  uint64_t *id;           // m, 0 where contacts are always the same
  int *first;             // of impulses, as in dls_sample; NULL likewise
  bool jump;              // velocities changed at once since the row before
} view_row;

// A contact that began or ceased to do something.
typedef struct view_change {
  double t;
  dls_event_kind kind;
  int contact;  // of the system; where contacts come and go
  uint64_t id;  // this says which
} view_change;

enum { VIEW_CHANGES_MOST = 5000, VIEW_FRAMES = 2000 };

typedef struct view_rows {
  const dls_system *system;
  bool located;
  int nq, n, count, capacity;
  long met, every;   // each every-th row is kept, and the last one
  view_row **row;    // capacity + 1
  view_row *before;  // the row before, kept or not
  int changes;
  long all_changes;
  view_change *change;
  bool failed;  // out of memory
} view_rows;

// At most VIEW_FRAMES rows are kept, fewer of large systems. located: the scheme finds its events;
// else a step that ends with a closed contact pressing on is no impact.
bool view_rows_create(view_rows *rows, const dls_system *system, bool located);
void view_rows_free(view_rows *rows);
// jump: velocities changed at once since the row before.
void view_rows_add(view_rows *rows, const dls_sample *sample, bool jump);
// With the last one.
int view_rows_count(const view_rows *rows);

#endif
