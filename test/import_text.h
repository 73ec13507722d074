// Mechanisms from texts, through a file.
#ifndef TEST_IMPORT_TEXT_H
#define TEST_IMPORT_TEXT_H

#include <delassus/import.h>

// Must succeed; the message is printed otherwise.
dls_import *import_text(const char *text, const dls_import_options *options);
// How often the note counts; 0: there is none.
int import_note(const dls_import *import, const char *what);
// Their places by name, -1.
int import_body(const dls_import *import, const char *name);
int import_joint(const dls_import *import, const char *name);

#endif
