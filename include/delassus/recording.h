// Recordings of a motion: rows that are appended as a run goes, as CSV or HDF5, and read back to
// the last bit, so that a run that was stopped can go on.
//
// CSV (.csv): a header line, then one line per row, numbers with 17 significant digits:
//
//   t, each coordinate, each velocity (x'), per contact NAME.impulse_n, NAME.impulse_t1,
//   NAME.impulse_t2 as far as it has them, per contact NAME.status (a dls_contact_status), step,
//   memory.1, memory.2, ... as far as the scheme has any, each output of the model by its name (nan
//   where it has no value), and last a column whose name says how the recording was made,
//   "check: scheme=...; step=...; model=...; settings=...".
//
// HDF5 (.h5, .hdf5): one dataset "rows" of records with the fields t, q, v, impulse, step, memory,
// output, status and check, those of length zero left out; and the texts "model", "scheme",
// "settings", the number "step", and the names "coordinates", "contacts" and "impulses". A file
// that was closed has its outputs also as /outputs/NAME, a number per row each.
//
// Where contacts come and go (dls_system.find) CSV has no columns of contacts and of memory, and a
// run cannot go on from it. HDF5 has "coordinates", "velocities" and, in place of the rows, a
// dataset of bytes, "stream"; io/recording_stream.c says what is in it. A file that was closed has
// the same in columns: /t, /q, /v with a row for each, and for the contacts of row k, between
// /contacts/first[k] and /contacts/first[k + 1], /contacts/id, /contacts/status and
// /contacts/impulse (normal, and two slips, 0 where there are fewer). Of a model with bodies it
// also has /bodies/names, /bodies/position and /bodies/quaternion (w first) with all bodies in each
// row, and, in world axes, /contacts/point, /contacts/normal (from B to A) and /contacts/force (on
// A, the mean since the row before; 0 where no time has passed, behind a jump), not numbers where a
// contact is none of two solids.
//
// The check of a row is a whole number below 2^53: the upper bits of FNV-1a (64 bits) over the
// check of the row before, as 8 bytes, least first, and the bytes of the row, in CSV its text
// before the last comma. Before the first row stands the same of 0 and model, scheme, settings,
// each with a zero byte behind it, and the 8 bytes of step. In the name of CSV's last column the
// model is its FNV-1a in hexadecimal digits. Rows that were changed, left out or taken from another
// run do not fit; whoever computes the numbers anew can forge them.
//
// A row with step > 0 ends a step: a run can go on from it. The two rows of an event, before and
// after its jump, have step = 0 and the same t. Impulses are those since the row before.
//
// What has been flushed survives the end of the process, however it ends: lines are written whole
// and a last one that is cut is not read; the number of rows of an HDF5 file is raised after the
// rows are there.
//
// A recording belongs to one thread at a time. In delassus-io.
#ifndef DELASSUS_RECORDING_H
#define DELASSUS_RECORDING_H

#include <delassus/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a recording is about. Everything belongs to the caller; texts may be NULL.
typedef struct dls_recording_about {
  const dls_system *system;  // for its sizes and names; in use until the recording is closed
  int scheme_state_size;     // of dls_sample; not asked for where contacts come and go
  int outputs;        // that rows have: 0, or all of the system's model, whose names they get;
                      // not asked for where contacts come and go
  const char *model;  // text of the model
  size_t model_length;
  const char *scheme;
  const char *settings;  // whatever else decides the result
  double step;
} dls_recording_about;

typedef struct dls_recording dls_recording;

// Begins a file, replacing an old one. Its ending chooses the form; DLS_ERR_ARGUMENT for another
// ending, DLS_ERR_LIMIT when a row is too large for the form. message may be NULL everywhere.
DLS_API dls_status dls_recording_create(const char *path, const dls_recording_about *about,
                                        dls_recording **out, dls_message *message);

// Appends a row; next_step is 0 in the rows of an event. Allocates nothing, unless contacts come
// and go and are more than ever before. Rows reach the file when enough of them are waiting, and at
// least once a second while rows come.
DLS_API dls_status dls_recording_append(dls_recording *recording, const dls_sample *row,
                                        dls_message *message);
DLS_API dls_status dls_recording_flush(dls_recording *recording, dls_message *message);
// Flushes, closes and frees; NULL is fine.
DLS_API dls_status dls_recording_close(dls_recording *recording, dls_message *message);

// ---- reading back -------------------------------------------------------------------------------

typedef struct dls_recorded dls_recorded;

// Reads a file that must be a recording about the same, with its rows as they were written:
// DLS_ERR_FILE otherwise, and the message says what differs. A file of any content is safe to read.
DLS_API dls_status dls_recorded_open(const char *path, const dls_recording_about *about,
                                     dls_recorded **out, dls_message *message);
DLS_API void dls_recorded_free(dls_recorded *recorded);  // NULL is fine
DLS_API long dls_recorded_count(const dls_recorded *recorded);
// The row number `index`, from 0, into *row, whose arrays hold until the next call; without
// outputs, which follow from the rest. DLS_ERR_FILE when its text is damaged, DLS_ERR_ARGUMENT when
// there is no such row.
DLS_API dls_status dls_recorded_row(dls_recorded *recorded, long index, dls_sample *row,
                                    dls_message *message);

// What a recording of HDF5 says of the call that made it, cut to the sizes.
typedef struct dls_recorded_call {
  char scheme[64];
  double step;
  char settings[4000];
} dls_recorded_call;

// As dls_recorded_open, for rows of HDF5 whatever model, scheme and settings made them, which are
// taken from the file; the system has to have their coordinates and contacts.
DLS_API dls_status dls_recorded_read(const char *path, const dls_system *system, dls_recorded **out,
                                     dls_recorded_call *call, dls_message *message);
// The text of the model that a recording of HDF5 has, with a zero byte behind it, freed with
// free().
DLS_API dls_status dls_recorded_text(const char *path, char **text, size_t *length,
                                     dls_message *message);

// Opens the file that was read again, cuts it behind its first `rows` rows and goes on appending.
DLS_API dls_status dls_recording_continue(const dls_recorded *recorded, long rows,
                                          dls_recording **out, dls_message *message);

// The settings that a recording was made with, cut to size - 1 characters. DLS_ERR_FILE when it
// does not say.
DLS_API dls_status dls_recorded_settings(const char *path, char *settings, size_t size,
                                         dls_message *message);

// Was the recording made with this text of a model? DLS_ERR_FILE when it does not say.
DLS_API dls_status dls_recorded_model(const char *path, const char *model, size_t length,
                                      bool *same, dls_message *message);

// ---- states -------------------------------------------------------------------------------------

// The state that a recording has at time t, into state, whose q and v have room: that of the row
// with this time, the last one where there are several, so after a jump. Without such a row that of
// the last one before; state->t tells. Times that agree to nine digits are the same. The recording
// may be of another call and another scheme, as long as it has the system's coordinates; a CSV file
// of whatever origin will do that has the columns t, x and x' for every coordinate x. DLS_ERR_FILE
// with a message otherwise, and when t lies before the first row or behind the last.
DLS_API dls_status dls_recorded_state(const char *path, const dls_system *system, double t,
                                      dls_state *state, dls_message *message);

// The state of a JSON file: {"q": [...], "v": [...], "t": 0}, in the order of the coordinates; t
// may be left out. DLS_ERR_FILE with a message when it is not such a file.
DLS_API dls_status dls_state_read(const char *path, const dls_system *system, dls_state *state,
                                  dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
