// The elements and attributes of URDF, and what becomes of each.
#ifndef DLS_FORMAT_URDF_WORDS_H
#define DLS_FORMAT_URDF_WORDS_H

// Lists of words, apart by spaces; NULL: none.
typedef struct dls_urdf_words {
  const char *name;      // of the element
  const char *children;  // that are read
  const char *skipped;   // children that are left out, with a note
  const char *read;      // attributes
  const char *left;      // attributes that are left out, with a note
} dls_urdf_words;

extern const dls_urdf_words dls_urdf_rows[];  // up to a name of NULL

#endif
