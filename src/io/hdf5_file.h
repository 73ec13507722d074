// HDF5 files that nobody vouches for, read without the HDF5 library: it follows sizes and addresses
// of damaged files out of its memory. This is the classic form of the format (superblock 0 or 1,
// groups as symbol tables, data in one piece), in which FCLIB, and HDF5 unless it is asked for
// another, writes. Every address is compared with the size of the file before it is followed.
#ifndef DLS_IO_HDF5_FILE_H
#define DLS_IO_HDF5_FILE_H

#include "base/memory.h"

#include <delassus/status.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct dls_hdf5 {
  const char *path;
  unsigned char *data;  // the bytes of the file, from its superblock on
  uint64_t size;
  uint64_t root;     // address of the root group
  void *memory;      // what data lies in
  dls_arena *arena;  // gets what is read
  dls_message *message;
  dls_status status;  // of the first failure; after it nothing is read any more
} dls_hdf5;

// Fills h, which then needs closing, whether or not it succeeds.
bool dls_hdf5_open(dls_hdf5 *h, const char *path, dls_arena *arena, dls_message *message);
void dls_hdf5_close(dls_hdf5 *h);

// Keeps the status and "path: place: text" of the first failure; returns false. place may be NULL.
bool dls_hdf5_fail(dls_hdf5 *h, dls_status status, const char *place, const char *format, ...)
    DLS_PRINTF(4, 5);

// Is the object there? place: absolute. Soft links are refused: they may end nowhere.
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

// A string of fixed length, for people: "" when there is none, whatever else is there.
const char *dls_hdf5_text(dls_hdf5 *h, const char *place);

#endif
