// The two forms of a recording, behind one interface.
#ifndef DLS_IO_RECORDING_H
#define DLS_IO_RECORDING_H

#include "io/hdf5_file.h"
#include "base/text.h"

#include <delassus/recording.h>
#include <stdint.h>

// The same model, scheme and settings, and other numbers in a row: the path, twice.
#define DLS_OTHER_VERSION                                                                        \
  "%.300s: its rows hold other numbers than those of this version: another version of delassus " \
  "made it. Go on from its last state with --at %.300s@TIME and another -o, or make it anew"

// The numbers of a row. Where contacts come and go (found) m, impulses and scheme_state_size are
// those of one row.
typedef struct dls_row_shape {
  int nq, n, m, impulses, scheme_state_size, outputs;
  bool found;
  int bodies;  // found: of the model, whose poses a file gets when it is closed
} dls_row_shape;

// A row that owns its numbers: one block.
typedef struct dls_row {
  dls_row_shape shape;
  double *numbers;  // t, q, v, impulse, step, memory
  unsigned char *status;
  uint64_t *id;  // found: m, and slips, m + 1
  int *first;
  ptrdiff_t room[4];  // of the four, where they grow
} dls_row;

static inline ptrdiff_t dls_row_numbers(const dls_row_shape *s)
{
  return 2 + (ptrdiff_t)s->nq + s->n + s->impulses + s->scheme_state_size;
}

// The columns that a file of contacts that come and go gets when it is closed.
typedef enum dls_recording_column {
  DLS_COLUMN_T,
  DLS_COLUMN_Q,
  DLS_COLUMN_V,
  DLS_COLUMN_FIRST,
  DLS_COLUMN_ID,
  DLS_COLUMN_IMPULSE,
  DLS_COLUMN_STATUS,
  DLS_COLUMN_POSITION,  // from here on of bodies, where there are any
  DLS_COLUMN_QUATERNION,
  DLS_COLUMN_POINT,
  DLS_COLUMN_NORMAL,
  DLS_COLUMN_FORCE,
  DLS_COLUMNS
} dls_recording_column;

static inline int dls_recording_columns(const dls_row_shape *shape)
{
  return shape->bodies > 0 ? DLS_COLUMNS : DLS_COLUMN_POSITION;
}

// Where the numbers of a dataset are: its address, its bytes, and its first extent.
typedef struct dls_dataset_place {
  uint64_t address, size, count;
} dls_dataset_place;

// The beginning of a file, and where its numbers that grow with the rows are; 0: there are none.
typedef struct dls_recording_head {
  dls_text bytes;
  uint64_t end, size, count;  // places: of the file's end, the bytes of all rows, their number
  dls_dataset_place column[DLS_COLUMNS];
  int outputs;                // of HDF5
  dls_dataset_place *output;  // each
} dls_recording_head;

void dls_recording_head_free(dls_recording_head *head);

// The rows of a file that was read.
typedef struct dls_recording_rows {
  long count;
  const char *data;  // first row; HDF5
  uint64_t *begin;   // count + 1, from the beginning of the file; CSV
  ptrdiff_t capacity;
} dls_recording_rows;

// A row ends with its check, a number below 2^53 that follows from the row and the check before.
uint64_t dls_row_check(uint64_t before, const char *row, size_t size);
// What the first row's check follows from.
uint64_t dls_about_check(const dls_recording_about *about);
// Of a text alone, 64 bits of it.
uint64_t dls_text_check(const char *text, size_t size);

typedef struct dls_recording_form {
  size_t (*row_max)(const dls_row_shape *shape);  // bytes of the longest row, with its check
  dls_status (*head)(const dls_recording_about *about, const dls_row_shape *shape,
                     dls_recording_head *head, dls_message *message);
  // Writes a row without its check, and the check that ends it. Both return their bytes.
  size_t (*write)(const dls_sample *row, char *out);
  size_t (*end)(uint64_t check, char *out);
  // Finds the rows in the bytes of a file, which must have the head.
  dls_status (*find)(const char *path, char *bytes, size_t size, const dls_recording_about *about,
                     const dls_row_shape *shape, const dls_recording_head *head,
                     dls_recording_rows *rows, dls_message *message);
  // Reads the check of a row; returns the bytes before it, 0 when there is none.
  size_t (*check)(const char *bytes, size_t size, uint64_t *check);
  // Reads a row of so many bytes, its check left out; the byte behind them may be written. False
  // when it is none.
  bool (*read)(char *bytes, size_t size, dls_row *row);
  // Where rows differ in size, else NULL: the bytes of one with its check, and the shape of one in
  // so many bytes; 0 when it is none.
  size_t (*size_of)(const dls_sample *row);
  size_t (*measure)(const char *bytes, size_t size, dls_row_shape *shape);
} dls_recording_form;

enum { DLS_STREAM_NUMBERS = 24 };  // where t, q, v begin in a row of the stream

// Adds the rows of the stream to a column, as it stands in the file. *count: its first extent.
bool dls_stream_column(const char *rows, size_t size, const dls_row_shape *shape,
                       dls_recording_column column, dls_text *out, uint64_t *count);
// The same for columns of bodies: poses, and where contacts are, in the world; not a number where a
// contact is none of solids, or has no normal. A force is the mean since the row before, 0 where no
// time has passed.
bool dls_stream_bodies(const char *rows, size_t size, const dls_row_shape *shape,
                       const dls_system *bodies, dls_recording_column column, dls_text *out,
                       uint64_t *count);

// The column of an output of the model: a function of time, configuration and velocities.
bool dls_stream_output(const char *rows, size_t size, const dls_row_shape *shape,
                       const dls_system *system, int index, dls_text *out);

// Where the outputs begin in a row of HDF5's.
size_t dls_hdf5_output_offset(const dls_row_shape *shape);

// The bytes of a dataset in one piece; NULL when it is not there or of another kind.
const unsigned char *dls_recording_bytes(const dls_hdf5 *h, const char *place, uint64_t *size);

// How many rows the dataset /rows says that it has. False: damaged.
bool dls_recording_row_count(const dls_hdf5 *h, uint64_t *count);

// The state of a file at a time, see dls_recorded_state; state->t is that of its row.
typedef dls_status dls_state_reader(const char *path, char *bytes, size_t size,
                                    const dls_system *system, double t, dls_state *state,
                                    dls_message *message);
dls_state_reader dls_state_csv;

// Chooses a row by the times of all, offered one after the other.
typedef struct dls_row_choice {
  double wanted;
  double first, last;  // times seen
  double t;            // of the chosen row
  long row;            // -1: none yet
  long offered;
} dls_row_choice;

dls_row_choice dls_row_choice_begin(double wanted);
void dls_row_offer(dls_row_choice *choice, double t);
dls_status dls_row_choice_check(const char *path, const dls_row_choice *choice,
                                dls_message *message);

struct dls_recorded {
  const dls_recording_form *form;
  dls_row_shape shape;
  const dls_system *bodies, *system;  // as in a recording
  dls_recording_head head;
  dls_recording_rows rows;
  dls_row row;
  uint64_t check;  // that the first row's follows from
  char *path;
  char *bytes;
  char *line;  // a copy of the row that is being read
  ptrdiff_t line_size;
};

// Where row number `index` begins in the file.
uint64_t dls_recorded_begin(const dls_recorded *recorded, long index);

// The form, and the shape of its rows; NULL, with *status and the message, when there is none.
const dls_recording_form *dls_recording_choose(const char *path, const dls_recording_about *about,
                                               dls_row_shape *shape, dls_status *status,
                                               dls_message *message);
char *dls_recording_path(const char *path);  // a copy; NULL when memory runs out

extern const dls_recording_form dls_recording_csv, dls_recording_hdf5, dls_recording_stream;

// The head of both HDF5 forms, and whether a file has it.
dls_status dls_hdf5_head(const dls_recording_about *about, const dls_row_shape *shape,
                         dls_recording_head *head, dls_message *message);
dls_status dls_hdf5_compare(dls_hdf5 *h, const dls_recording_about *about,
                            const dls_recording_head *head);

#endif
