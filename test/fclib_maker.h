// FCLIB files for tests: problems that are drawn, datasets that are written by hand, a place for
// them.
#ifndef TEST_FCLIB_MAKER_H
#define TEST_FCLIB_MAKER_H

#include <delassus/fclib.h>
#include <hdf5.h>

// A directory of its own, made once and gone at the end of the program; the name is valid until the
// eighth call after this one.
const char *scratch(const char *name);
// How many files are in it.
int scratch_count(void);

// Sparse and without meaning, but in order. Free it with made_free.
dls_fclib *made(bool global, int dimension, int contacts, int equations);
void made_free(dls_fclib *f);

// Everything that both have is the same.
void same_problem(const dls_incremental *a, const dls_incremental *b);
void same_numbers(int count, const double *a, const double *b);

// Replaces what is at a place of an open file. Intermediate groups are made.
void put_integers(hid_t file, const char *place, int count, const int *x);
void put_numbers(hid_t file, const char *place, int count, const double *x);
void put_integer(hid_t file, const char *place, int x);
// With properties for its creation, and without data when data is NULL.
void put_dataset(hid_t file, const char *place, hid_t type, int rank, const hsize_t *extent,
                 hid_t properties, hid_t memory_type, const void *data);
void take_away(hid_t file, const char *place);

// A matrix group: form >= 0 triplets, -1 columns, -2 rows; spare: unused entries at the end.
// Entries of one place are written one by one.
void put_matrix(hid_t file, const char *group, int form, int spare, int m, int n, int count,
                const int *row, const int *col, const double *x);

#endif
