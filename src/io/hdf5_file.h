// HDF5 files that nobody vouches for: small typed reads, each of which looks at the dataset before
// it reads it.
#ifndef DLS_IO_HDF5_FILE_H
#define DLS_IO_HDF5_FILE_H

#include "base/memory.h"

#include <delassus/status.h>
#include <hdf5.h>
#include <stdbool.h>

// HDF5 has a list of open objects, a stack of errors and a function that prints it, all global
// (the last two one per thread in builds that are safe for threads, such as Debian's). What is
// opened here is closed here, and the printing function is put back.
typedef struct dls_hdf5_silence {
  H5E_auto2_t function;
  void *data;
} dls_hdf5_silence;

dls_hdf5_silence dls_hdf5_silence_begin(void);
void dls_hdf5_silence_end(const dls_hdf5_silence *silence);

typedef struct dls_hdf5 {
  const char *path;
  hid_t file;
  unsigned long long size;  // of the file, in bytes
  dls_arena *arena;         // gets what is read
  dls_message *message;
  dls_status status;  // of the first failure; after it nothing is read any more
} dls_hdf5;

// Only reads. Fills h, which then needs closing. The silence must have begun.
bool dls_hdf5_open(dls_hdf5 *h, const char *path, dls_arena *arena, dls_message *message);
void dls_hdf5_close(dls_hdf5 *h);

// Keeps the status and "path: place: text" of the first failure; returns false. place may be NULL.
bool dls_hdf5_fail(dls_hdf5 *h, dls_status status, const char *place, const char *format, ...)
    DLS_PRINTF(4, 5);

// Is the object there? Only by hard links: a soft link may end nowhere, an external one leaves the
// file. place: absolute.
bool dls_hdf5_has(dls_hdf5 *h, const char *place);

// Is the dataset there, with data? FCLIB declares the vectors of a solution also when it has none
// to write, and HDF5 would then give zeros.
bool dls_hdf5_filled(dls_hdf5 *h, const char *place);

// A dataset of one integer, from low to high; 0 after a failure.
long long dls_hdf5_integer(dls_hdf5 *h, const char *place, long long low, long long high);

// The first `count` of the entries of a dataset; there must be at least so many and at most
// max(count, most). NULL after a failure.
int *dls_hdf5_integers(dls_hdf5 *h, const char *place, int count, int most, int low, int high);
double *dls_hdf5_numbers(dls_hdf5 *h, const char *place, int count, int most);

// A string; "" when it is not there or after a failure.
const char *dls_hdf5_text(dls_hdf5 *h, const char *place);

#endif
