// Where the files are that a file names. A path must stay, links resolved, in the folder of the
// model or in that of a package: a model from anywhere cannot make others be read.
#ifndef DLS_FORMAT_FOLDER_H
#define DLS_FORMAT_FOLDER_H

#include "format/reading.h"

// The folder of a file, links resolved; for free(). NULL when there is none or memory ran out.
char *dls_folder_of(const char *path);

typedef enum dls_whereabouts {
  DLS_FOUND,
  DLS_FOUND_NOTHING,
  DLS_FOUND_OUTSIDE,
  DLS_FOUND_NO_MEMORY
} dls_whereabouts;

// The file at a path relative to a folder (NULL: to the model's), or at an absolute one, if it is
// in the model's folder or in a package's. *real is for free().
dls_whereabouts dls_folder_find(const char *model_folder, const dls_import_options *options,
                                const char *folder, const char *path, char **real);

// package://NAME/path: in that package, if it is among the options; else in the folder of that name
// in which the model is; else in model_folder/NAME, or in model_folder.
dls_whereabouts dls_folder_find_package(const char *model_folder, const dls_import_options *options,
                                        const char *uri, char **real);

#endif
