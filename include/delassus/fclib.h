// Files of discrete problems: FCLIB (HDF5) for contacts with friction; JSON and MatrixMarket for
// linear complementarity.
//
// What is read belongs to the caller, who frees it. In delassus-io.
#ifndef DELASSUS_FCLIB_H
#define DELASSUS_FCLIB_H

#include <delassus/incremental.h>
#include <delassus/lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

// Vectors of a solution or of a guess; NULL where the file has none, or declares it without data.
// u and r have rows numbers: those of the equations last (0, and l in the files).
typedef struct dls_fclib_point {
  const double *u, *r, *v;
} dls_fclib_point;

// A problem as a file holds it. Everything in it is constant and owned by it.
typedef struct dls_fclib {
  dls_incremental problem;
  const char *title, *description, *mathematics;  // of the info group; "" when there is none
  int guesses;
  const dls_fclib_point *guess;
  dls_fclib_point solution;
} dls_fclib;

// Groups /fclib_local or /fclib_global (when both are there, this one), /solution, /guesses; two or
// three dimensions; matrices as triplets, compressed columns or rows. Equations (V, R, s or G, b)
// become the last rows. DLS_ERR_FILE, DLS_ERR_NUMBER, DLS_ERR_LIMIT or DLS_ERR_MEMORY with a
// message that names the file and the dataset: "a.hdf5: /fclib_local/W/i: index 99 is outside
// 0..11".
//
// Files need not be trusted: they are read without the HDF5 library, which damaged ones can crash.
// So only the classic form of HDF5 is read, in which FCLIB writes; chunks, compression, links and
// data in other files are refused, and the message says how h5repack makes a file that is read.
DLS_API dls_status dls_fclib_read(const char *path, dls_fclib **out, dls_message *message);
DLS_API void dls_fclib_free(dls_fclib *fclib);

// The problem with its guesses and a solution (NULL: the one of fclib, if any), in the layout of
// FCLIB's own writer; under a temporary name first, so that there is a whole file or none. title,
// description and mathematics may be NULL. DLS_ERR_ARGUMENT when the rows of the equations are not
// the transpose of their columns in W, or a contact has another law than the cone, for which the
// files have no place. The HDF5 library does it: in one thread at a time unless it was built to be
// safe for threads (Debian's is).
DLS_API dls_status dls_fclib_write(const char *path, const dls_fclib *fclib,
                                   const dls_fclib_point *solution, dls_message *message);

// An LCP or MLCP of a file; free = 0 for an LCP. At most 5000 rows.
typedef struct dls_lcp_file dls_lcp_file;
// {"M": [[...], ...], "q": [...], "free": k}: M by rows; free may be missing. Messages name the
// file and line:column, or the entry: "a.json: M[3] has 4 numbers, expected 5".
DLS_API dls_status dls_lcp_read_json(const char *path, dls_lcp_file **out, dls_message *message);
// Two MatrixMarket files: M, and q with one column. Coordinates or arrays of real or integer
// numbers; general, symmetric or skew-symmetric. Messages name file and line.
DLS_API dls_status dls_lcp_read_market(const char *matrix_path, const char *vector_path, int free,
                                       dls_lcp_file **out, dls_message *message);
DLS_API const dls_mlcp *dls_lcp_file_problem(const dls_lcp_file *file);
DLS_API void dls_lcp_file_free(dls_lcp_file *file);

#ifdef __cplusplus
}
#endif
#endif
