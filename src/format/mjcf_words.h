// The elements and attributes of MJCF, and what becomes of each.
#ifndef DLS_FORMAT_MJCF_WORDS_H
#define DLS_FORMAT_MJCF_WORDS_H

// Lists of words, apart by spaces; NULL: none.
typedef struct dls_mjcf_words {
  const char *path;  // of the element: its name, or those of its parent and its own
  const char *children;
  const char *read;   // attributes that are used
  const char *rough;  // used, but not as MuJoCo does
  const char *left;   // left out, and noted one by one
  const char *look;   // looks and bookkeeping: one note for all of them
} dls_mjcf_words;

extern const dls_mjcf_words dls_mjcf_rows[];  // up to a path of NULL

// Elements that are left out with all that is in them, with a note, and such that are an error.
typedef struct dls_mjcf_skip {
  const char *path;
  const char *note;   // what the note calls it
  const char *error;  // or why it is one
} dls_mjcf_skip;

extern const dls_mjcf_skip dls_mjcf_skips[];

#define DLS_MJCF_LOOKS "looks and bookkeeping (rgba, material, user, ...)"

#endif
