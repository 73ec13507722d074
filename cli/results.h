// What a command made, in the forms that -o, --json and --quiet ask for.
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "buffer.h"
#include "options.h"

#include <delassus/picture.h>

// One form of the results, in whichever part the command fills.
typedef struct product {
  buffer grown;
  char *report;   // that the library wrote
  char *picture;  // that it drew
  size_t picture_size;
  char *page;  // of a browser
  size_t page_size;
} product;

// The forms that a command has. Each fills a product and returns 0, or says what is wrong on
// standard error and returns an exit status. NULL: there is no such form, or the command writes it
// itself. A product that stays empty is not written.
typedef struct result_forms {
  int (*json)(const void *work, product *out);
  int (*text)(const void *work, bool colour, product *out);
  int (*csv)(const void *work, product *out);
  int (*html)(const void *work, product *out);
  int (*picture)(const void *work, dls_picture_form form, product *out);
  // writes the file itself, at `path`, which will become `shown`
  int (*hdf5)(const void *work, const char *path, const char *shown);
  bool text_beside_file;  // the text is printed even when -o writes a file
} result_forms;

// Checks the names of -o, as often as it is given, before anything is computed. expected: the
// endings that the command knows, such as ".svg, .png or .json".
int check_out(const options *given, const char *expected);
// The first -o with one of these endings; NULL: there is none.
const char *out_ending(const options *given, const char *endings);

// Writes the files of -o, all of them complete or none at all, and prints JSON or the text.
int write_results(const options *given, const result_forms *forms, const void *work);

#endif
