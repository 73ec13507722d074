// What the tests of compiled equations share: a cache of their own.
#ifndef TEST_NATIVE_CASE_H
#define TEST_NATIVE_CASE_H

#include <delassus/native.h>

// A new, empty directory, which goes away with all that is in it when the program ends.
const char *native_directory(void);

// The one file of the directory that ends in .so; in room for 600 characters.
void native_file(const char *directory, char *path);

// How many entries the directory has.
int native_entries(const char *directory);

#endif
