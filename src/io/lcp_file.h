// Linear complementarity problems of files.
#ifndef DLS_IO_LCP_FILE_H
#define DLS_IO_LCP_FILE_H

#include "base/memory.h"

#include <delassus/fclib.h>

enum {
  DLS_LCP_FILE_LARGEST = 5000,     // rows: M is dense
  DLS_LCP_FILE_MEBIBYTES = 1 << 9  // of text
};

struct dls_lcp_file {
  dls_mlcp problem;
  dls_arena *arena;
};

// Zeroed M (n x n) and q (n), owned by the file; NULL when memory runs out.
dls_lcp_file *dls_lcp_file_create(int n, double **M, double **q);

#endif
