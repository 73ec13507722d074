// The cache of compiled equations: what is stored is found, what is not the user's own is refused,
// and what cannot be done leaves the system as it was.
#define _GNU_SOURCE
#include "language.h"

#include "base/process.h"
#include "base/sha256.h"
#include "native_case.h"

#include <delassus/native.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

static const char model[] = "coordinate x = 0.4, y\nkinetic x'^2*cos(y) + y'^2\npotential x*y/3\n";

static dls_message message;

// Tries it, checks that the system works all the same, and tells what came out.
static dls_status try_text(const char *source, const dls_native_options *options)
{
  running r = run(source);
  const dls_status status = dls_model_compile(r.system, options, &message);
  assert_int_equal(dls_system_is_native(r.system), status == DLS_OK);
  assert_int_equal(message.text[0] == '\0', status == DLS_OK);
  dls_values *values;
  assert_int_equal(dls_values_create(r.system, &values), DLS_OK);
  go_to(&r, NULL);
  assert_int_equal(r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, values, NULL, NULL),
                   DLS_OK);
  assert_near(values->M[0], 2);
  dls_values_free(values);
  stop(&r);
  return status;
}

static dls_status try_at(const char *directory)
{
  return try_text(model, &(dls_native_options){.directory = directory});
}

static void says(const char *words)
{
  if (!strstr(message.text, words)) fail_msg("\"%s\" does not say \"%s\"", message.text, words);
}

static void test_digest(void **state)
{
  (void)state;
  // FIPS 180-4: the digests of "abc" and of a million times the letter a
  static const unsigned char abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                      0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                      0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                      0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  static const unsigned char many[] = {0xcd, 0xc7, 0x6e, 0x5c, 0x99, 0x14, 0xfb, 0x92,
                                       0x81, 0xa1, 0xc7, 0xe2, 0x84, 0xd7, 0x3e, 0x67,
                                       0xf1, 0x80, 0x9a, 0x48, 0xa4, 0x97, 0x20, 0x0e,
                                       0x04, 0x6d, 0x39, 0xcc, 0xc7, 0x11, 0x2c, 0xd0};
  unsigned char digest[DLS_SHA256_SIZE];
  dls_sha256 hash;
  dls_sha256_begin(&hash);
  dls_sha256_add(&hash, "abc", 3);
  dls_sha256_end(&hash, digest);
  assert_memory_equal(digest, abc, sizeof abc);
  dls_sha256_begin(&hash);
  for (int k = 0; k < 1000000; k++) dls_sha256_add(&hash, "a", 1);
  dls_sha256_end(&hash, digest);
  assert_memory_equal(digest, many, sizeof many);
}

static void test_stored(void **state)
{
  (void)state;
  const char *directory = native_directory();
  char first[600], second[600];
  struct stat before, after;
  assert_int_equal(try_at(directory), DLS_OK);
  assert_int_equal(native_entries(directory), 1);
  native_file(directory, first);
  assert_int_equal(stat(first, &before), 0);
  assert_int_equal(before.st_mode & 077, 0);
  assert_int_equal(try_at(directory), DLS_OK);
  native_file(directory, second);
  assert_string_equal(first, second);
  assert_int_equal(stat(first, &after), 0);
  assert_int_equal(before.st_ino, after.st_ino);
  // names and constants are not part of it
  assert_int_equal(try_text("coordinate u = 0.4, w\nkinetic u'^2*cos(w) + w'^2\npotential u*w/7\n",
                            &(dls_native_options){.directory = directory}),
                   DLS_OK);
  assert_int_equal(native_entries(directory), 1);
  assert_int_equal(
      try_text("coordinate u = 0.4, w\nkinetic u'^2*cos(w) + w'^2\npotential u*u*w/7\n",
               &(dls_native_options){.directory = directory}),
      DLS_OK);
  assert_int_equal(native_entries(directory), 2);
}

static void put_age(const char *path, long seconds)
{
  struct timespec times[2];
  clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= seconds;
  times[1] = times[0];
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void put_file(const char *path)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fclose(file), 0);
}

static dls_status try_power(const char *directory, int power, int files, long long bytes)
{
  char text[200];
  snprintf(text, sizeof text,
           "coordinate x = 0.4, y\nkinetic x'^2*cos(y) + y'^2\npotential x^%d*y/3\n", power);
  return try_text(text, &(dls_native_options){
                            .directory = directory, .most_files = files, .most_bytes = bytes});
}

// The files used last stay, up to a number and a size; what is not of the cache stays as well.
static void test_trimmed(void **state)
{
  (void)state;
  const char *directory = native_directory();
  char first[600], other[700];
  struct stat info;
  assert_int_equal(try_power(directory, 2, 3, 0), DLS_OK);
  native_file(directory, first);
  put_age(first, 1000);
  for (int k = 3; k < 5; k++) assert_int_equal(try_power(directory, k, 3, 0), DLS_OK);
  assert_int_equal(native_entries(directory), 3);
  assert_int_equal(try_power(directory, 2, 3, 0), DLS_OK);  // used again: not the oldest any more
  assert_int_equal(try_power(directory, 5, 3, 0), DLS_OK);
  assert_int_equal(native_entries(directory), 3);
  assert_int_equal(stat(first, &info), 0);
  snprintf(other, sizeof other, "%s/notes.so", directory);
  put_file(other);
  put_age(first, 1000);
  assert_int_equal(try_power(directory, 6, 0, 1), DLS_OK);  // one byte: what was asked for alone
  assert_int_equal(native_entries(directory), 2);
  assert_int_equal(stat(other, &info), 0);
  assert_int_not_equal(stat(first, &info), 0);
}

// What an interrupted compilation leaves is removed by a later one, unless it may still go on.
static void test_interrupted(void **state)
{
  (void)state;
  const char *directory = native_directory();
  char old[600], fresh[600], file[700];
  struct stat info;
  snprintf(old, sizeof old, "%s/build-a1B2c3", directory);
  snprintf(fresh, sizeof fresh, "%s/build-d4E5f6", directory);
  assert_int_equal(mkdir(old, S_IRWXU), 0);
  assert_int_equal(mkdir(fresh, S_IRWXU), 0);
  snprintf(file, sizeof file, "%s/tape.c", old);
  put_file(file);
  put_age(old, 3600);
  assert_int_equal(try_at(directory), DLS_OK);
  assert_int_not_equal(stat(old, &info), 0);
  assert_int_equal(stat(fresh, &info), 0);
}

// ---- directories that cannot be trusted ----

static void test_directories(void **state)
{
  (void)state;
  const char *directory = native_directory();
  char path[600], below[700];
  snprintf(path, sizeof path, "%s/link", directory);
  snprintf(below, sizeof below, "%s/real", directory);
  assert_int_equal(mkdir(below, 0700), 0);
  assert_int_equal(symlink(below, path), 0);
  assert_int_equal(try_at(path), DLS_ERR_FILE);
  says("is a symbolic link");
  assert_int_equal(native_entries(below), 0);

  for (int mode = 0; mode < 2; mode++) {
    assert_int_equal(chmod(below, mode ? 0770 : 0702), 0);
    assert_int_equal(try_at(below), DLS_ERR_FILE);
    says("can be written by others");
  }
  // sticky does not help where files are made
  assert_int_equal(chmod(below, 01777), 0);
  assert_int_equal(try_at(below), DLS_ERR_FILE);
  assert_int_equal(chmod(below, 0700), 0);

  // the directory is the user's, the one above is everybody's
  assert_int_equal(chmod(directory, 0777), 0);
  assert_int_equal(try_at(below), DLS_ERR_FILE);
  says("can be written by others");
  assert_int_equal(chmod(directory, 01777), 0);
  assert_int_equal(try_at(below), DLS_OK);
  assert_int_equal(chmod(directory, 0700), 0);

  if (geteuid() == 0) {
    assert_int_equal(chown(below, 1, 1), 0);
    assert_int_equal(try_at(below), DLS_ERR_FILE);
    says("belongs to somebody else");
    assert_int_equal(chown(below, 0, 0), 0);
    assert_int_equal(chown(directory, 1, 1), 0);
    assert_int_equal(try_at(below), DLS_ERR_FILE);
    assert_int_equal(chown(directory, 0, 0), 0);
  }
  snprintf(path, sizeof path, "%s/file", directory);
  assert_int_equal(close(creat(path, 0600)), 0);
  assert_int_equal(try_at(path), DLS_ERR_FILE);
  says("is not a directory");
  assert_int_equal(try_at("/proc/none/cache"), DLS_ERR_FILE);
  assert_int_equal(try_at(""), DLS_ERR_FILE);
}

// ---- files that cannot be trusted ----

static void change_byte(const char *path, long at)
{
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, -1, SEEK_CUR);
  fputc(byte ^ 1, file);
  fclose(file);
}

static void test_files(void **state)
{
  (void)state;
  const char *directory = native_directory(), *other = native_directory();
  char path[600], aside[700], foreign[600];
  assert_int_equal(try_at(directory), DLS_OK);
  native_file(directory, path);
  snprintf(aside, sizeof aside, "%s/aside", directory);

  // each byte counts: of the code, of mark, key and digest
  static const long place[] = {0, 5000, -1, -40, -70};
  for (int k = 0; k < 5; k++) {
    at_case("%ld", place[k]);
    change_byte(path, place[k]);
    assert_int_equal(try_at(directory), DLS_ERR_FILE);
    says("holds something else than was stored there");
    change_byte(path, place[k]);
    assert_int_equal(try_at(directory), DLS_OK);
  }
  for (int mode = 0; mode < 2; mode++) {
    assert_int_equal(chmod(path, mode ? 0770 : 0702), 0);
    assert_int_equal(try_at(directory), DLS_ERR_FILE);
    says("can be written by others");
  }
  assert_int_equal(chmod(path, 0700), 0);
  if (geteuid() == 0) {
    assert_int_equal(chown(path, 1, 1), 0);
    assert_int_equal(try_at(directory), DLS_ERR_FILE);
    says("belongs to somebody else");
    assert_int_equal(chown(path, 0, 0), 0);
  }
  // the right file behind a link, a directory, a pipe
  assert_int_equal(rename(path, aside), 0);
  assert_int_equal(symlink(aside, path), 0);
  assert_int_equal(try_at(directory), DLS_ERR_FILE);
  says("a symbolic link");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(try_at(directory), DLS_ERR_FILE);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(try_at(directory), DLS_ERR_FILE);
  assert_int_equal(unlink(path), 0);

  // what another model was compiled to, in perfect order, under this name
  assert_int_equal(try_text("coordinate x = 0.4\nkinetic x'^2\npotential x^3\n",
                            &(dls_native_options){.directory = other}),
                   DLS_OK);
  native_file(other, foreign);
  assert_int_equal(rename(foreign, path), 0);
  assert_int_equal(try_at(directory), DLS_ERR_FILE);
  says("holds something else than was stored there");
  assert_int_equal(truncate(path, 100), 0);
  assert_int_equal(try_at(directory), DLS_ERR_FILE);
  assert_int_equal(truncate(path, 0), 0);
  assert_int_equal(try_at(directory), DLS_ERR_FILE);
  assert_int_equal(rename(aside, path), 0);
  assert_int_equal(try_at(directory), DLS_OK);
}

// ---- compilers ----

// A shell script as compiler.
static void put_script(const char *path, const char *lines)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", lines);
  fclose(file);
  assert_int_equal(chmod(path, 0700), 0);
}

static void test_compilers(void **state)
{
  (void)state;
  const char *directory = native_directory(), *scripts = native_directory();
  char script[600];
  dls_native_options how = {.directory = directory, .compiler = "no-such-compiler"};
  assert_int_equal(try_text(model, &how), DLS_ERR_FILE);
  says("no C compiler: there is no `no-such-compiler`");
  how.compiler = directory;
  assert_int_equal(try_text(model, &how), DLS_ERR_FILE);

  snprintf(script, sizeof script, "%s/cc", scripts);
  how.compiler = script;
  static const char *const bad[] = {
      "exit 1", "[ \"$1\" = --version ] || exit 1", "exit 0",
      "[ \"$1\" = --version ] && exit 0; for a; do [ \"$o\" = -o ] && echo x >\"$a\"; o=$a; done"};
  for (int k = 0; k < 4; k++) {
    at_case("%s", bad[k]);
    put_script(script, bad[k]);
    assert_int_equal(try_text(model, &how), DLS_ERR_FILE);
    if (k < 3) assert_int_equal(native_entries(directory), 0);
  }
  // as long as it takes, and no longer; and what it starts ends with it
  put_script(script, "[ \"$1\" = --version ] || sleep 77");
  how.directory = native_directory();
  how.seconds = 0.2;
  const time_t begin = time(NULL);
  assert_int_equal(try_text(model, &how), DLS_ERR_FILE);
  says("did not compile the model within 0.2 s");
  assert_true(time(NULL) - begin < 20);
  assert_int_equal(native_entries(how.directory), 0);

  // another version is another key
  how.seconds = 0;
  for (int k = 0; k < 2; k++) {
    char lines[100];
    snprintf(lines, sizeof lines, "[ \"$1\" = --version ] && echo %d && exit; exec cc \"$@\"", k);
    put_script(script, lines);
    assert_int_equal(try_text(model, &how), DLS_OK);
    assert_int_equal(native_entries(how.directory), k + 1);
  }
}

static void test_environment(void **state)
{
  (void)state;
  char *path = strdup(getenv("PATH")), home[600], cache[700];
  const char *directory = native_directory();
  snprintf(home, sizeof home, "%s/home", directory);
  snprintf(cache, sizeof cache, "%s/.cache/delassus", home);
  assert_int_equal(mkdir(home, 0700), 0);
  setenv("HOME", home, 1);
  setenv("XDG_CACHE_HOME", "relative", 1);  // means nothing, says the specification
  assert_int_equal(try_text(model, NULL), DLS_OK);
  assert_int_equal(native_entries(cache), 1);
  snprintf(cache, sizeof cache, "%s/xdg", directory);
  setenv("XDG_CACHE_HOME", cache, 1);
  assert_int_equal(try_text(model, NULL), DLS_OK);
  snprintf(cache, sizeof cache, "%s/xdg/delassus", directory);
  assert_int_equal(native_entries(cache), 1);

  setenv("PATH", "", 1);
  assert_int_equal(try_text(model, NULL), DLS_ERR_FILE);
  says("no C compiler");
  unsetenv("PATH");
  assert_int_equal(try_text(model, NULL), DLS_ERR_FILE);
  setenv("PATH", "relative:.::/nowhere", 1);
  assert_int_equal(try_text(model, NULL), DLS_ERR_FILE);
  setenv("PATH", path, 1);
  unsetenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  assert_int_equal(try_text(model, NULL), DLS_ERR_FILE);
  says("neither XDG_CACHE_HOME nor HOME");
  free(path);
}

// A disk that takes no more than some bytes of a file.
static void test_full(void **state)
{
  (void)state;
  const char *directory = native_directory();
  struct rlimit old, small;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  static const rlim_t room[] = {0, 100, 4000};
  for (int k = 0; k < 3; k++) {
    small = (struct rlimit){room[k], old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const dls_status status = try_at(directory);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, DLS_ERR_FILE);
    assert_int_equal(native_entries(directory), 0);
  }
  assert_int_equal(try_at(directory), DLS_OK);
}

// Threads that find nothing all compile, and one result stays.
enum { THREADS = 4 };

static void *compile_one(void *directory)
{
  const dls_native_options how = {.directory = directory};
  dls_model *parsed;
  dls_system *system;
  dls_message why;
  dls_status status = dls_model_parse(model, strlen(model), &parsed, NULL);
  if (status == DLS_OK) status = dls_model_system(parsed, &system);
  if (status != DLS_OK) return NULL;
  status = dls_model_compile(system, &how, &why);
  dls_system_free(system);
  dls_model_free(parsed);
  return status == DLS_OK ? directory : NULL;
}

static void test_threads(void **state)
{
  (void)state;
  static char directory[100];
  snprintf(directory, sizeof directory, "%s", native_directory());
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; k++)
    assert_int_equal(pthread_create(&thread[k], NULL, compile_one, directory), 0);
  for (int k = 0; k < THREADS; k++) {
    void *done;
    assert_int_equal(pthread_join(thread[k], &done), 0);
    assert_ptr_equal(done, directory);
  }
  assert_int_equal(native_entries(directory), 1);
}

// Links on the way are followed once: what is used is what was looked at.
static void test_way(void **state)
{
  (void)state;
  const char *directory = native_directory(), *other = native_directory();
  char link[600], path[700];
  snprintf(link, sizeof link, "%s/link", directory);
  assert_int_equal(symlink(other, link), 0);
  snprintf(path, sizeof path, "%s/cache", link);
  assert_int_equal(try_at(path), DLS_OK);
  assert_int_equal(chmod(other, 0777), 0);
  assert_int_equal(try_at(path), DLS_ERR_FILE);
  says("can be written by others");
  assert_int_equal(chmod(other, 0700), 0);
}

static void test_process(void **state)
{
  (void)state;
  char out[6];
  const char *const hello[] = {"/bin/echo", "hello; $(true)", NULL};
  assert_true(dls_process_run(hello, 10, out, sizeof out));
  assert_string_equal(out, "hello");
  const char *const none[] = {"/nowhere/at/all", NULL};
  assert_false(dls_process_run(none, 10, out, sizeof out));
  const char *const bad[] = {"/bin/false", NULL};
  assert_false(dls_process_run(bad, 10, NULL, 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_digest),      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_way),         cmocka_unit_test(test_process),
      cmocka_unit_test(test_stored),      cmocka_unit_test(test_trimmed),
      cmocka_unit_test(test_interrupted), cmocka_unit_test(test_directories),
      cmocka_unit_test(test_files),       cmocka_unit_test(test_compilers),
      cmocka_unit_test(test_full),        cmocka_unit_test(test_environment)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
