#define _GNU_SOURCE
#include "native_case.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORIES = 64 };

static char made[DIRECTORIES][40];
static int count;

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
  (void)info, (void)type, (void)where;
  return remove(path);
}

static void remove_all(void)
{
  for (int k = 0; k < count; k++) nftw(made[k], remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *native_directory(void)
{
  if (count == 0) atexit(remove_all);
  if (count == DIRECTORIES) abort();
  snprintf(made[count], sizeof made[count], "%s/delassus-native-XXXXXX", P_tmpdir);
  if (!mkdtemp(made[count])) abort();
  return made[count++];
}

int native_entries(const char *directory)
{
  DIR *d = opendir(directory);
  int entries = 0;
  if (!d) abort();
  while (readdir(d)) entries++;
  closedir(d);
  return entries - 2;  // itself, and the one above
}

void native_file(const char *directory, char *path)
{
  DIR *d = opendir(directory);
  if (!d) abort();
  path[0] = '\0';
  for (const struct dirent *e; (e = readdir(d));) {
    const size_t length = strlen(e->d_name);
    if (length > 3 && strcmp(e->d_name + length - 3, ".so") == 0)
      snprintf(path, 600, "%s/%.300s", directory, e->d_name);
  }
  closedir(d);
}
