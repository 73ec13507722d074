// The program with too little memory: the k-th allocation of the whole process fails, that one only
// or all from there on, whichever library asks. A run then ends as it would have, or with a message
// and exit status 2; never by a signal, for ever, with another answer or an unfinished file.
// EXHAUSTED_POINTS in the environment: how many k of each call (default: 8), 0 for all of them.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <delassus/view.h>
#include <cmocka.h>

#include "cases.h"

enum { WORDS = 14, TEXT = 1 << 20, SECONDS = 60 };

typedef struct call {
  const char *word[WORDS];  // "E/x": a file of the examples
  const char *file;         // that it writes; NULL: the answer is on standard output
  bool grows;               // a recording, whole after every row
} call;

static const call calls[] = {
    {.word = {"check", "E/ladder.dls", "--json"}},
    {.word = {"check", "E/hand.dls", "--json"}},
    {.word = {"check", "E/bouncing-ball.dls", "--at", "q=0, q'=-1", "--json"}},
    {.word = {"verify", "R/report.json", "E/ladder.dls"}},
    {.word = {"solve", "E/spheres.hdf5", "--quiet", "--threads", "1", "-o", "W/o.hdf5"},
     .file = "o.hdf5"},
    {.word = {"simulate", "E/bouncing-ball.dls", "--step", "0.01", "--until", "0.1", "--quiet",
              "-o", "W/o.csv"},
     .file = "o.csv",
     .grows = true},
    {.word = {"simulate", "E/bouncing-ball.dls", "--step", "0.01", "--until", "0.1", "--quiet",
              "--scheme", "radau5", "-o", "W/o.h5"},
     .file = "o.h5",
     .grows = true},
    {.word = {"simulate", "E/bouncing-ball.dls", "--step", "0.01", "--until", "0.1", "--quiet",
              "-o", "W/o.svg"},
     .file = "o.svg"},
    {.word = {"simulate", "E/bouncing-ball.dls", "--step", "0.01", "--until", "0.1", "--quiet",
              "-o", "W/o.png"},
     .file = "o.png"},
    {.word = {"simulate", "E/bouncing-ball.dls", "--step", "0.01", "--until", "0.1", "--quiet",
              "-o", "W/o.html"},
     .file = "o.html"},
    {.word = {"check", "E/ladder.dls", "--quiet", "-o", "W/p.html"}, .file = "p.html"},
    {.word = {"map", "E/shelf.dls", "--x", "d=0:1.2:4", "--ask", "forces_unique", "--quiet",
              "--threads", "2", "-o", "W/o.csv"},
     .file = "o.csv"},
    {.word = {"order", "E/bouncing-ball.dls", "--steps", "0.1:0.05:2", "--until", "0.5", "--quiet",
              "-o", "W/o.csv"},
     .file = "o.csv"},
};
enum { CALLS = sizeof calls / sizeof *calls };

static const char *program, *source, *preload;
static char root[256], work[300];

// ---- one run ------------------------------------------------------------------------------------

typedef struct failing {
  const char *kind;
  long at;  // -1: none fails
  bool rest;
  rlim_t space;  // 0: as it is
} failing;

typedef struct outcome {
  bool ended;  // not by a signal
  int status;
  int files;  // in the folder
  char out[TEXT], err[TEXT], written[TEXT], notes[200];
  size_t out_size, written_size;
} outcome;

static void set_number(const char *name, long number)
{
  char text[32];
  snprintf(text, sizeof text, "%ld", number);
  setenv(name, text, 1);
}

static void redirect(int descriptor, const char *name)
{
  char path[400];
  snprintf(path, sizeof path, "%s/%s", root, name);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(99);
}

static _Noreturn void become(const call *c, const failing *f)
{
  static char word[WORDS][400];
  char *argument[WORDS + 2] = {(char *)program};
  for (int k = 0; k < WORDS && c->word[k]; k++) {
    const char *w = c->word[k], letter = w[0] && w[1] == '/' ? w[0] : 0;
    if (letter == 'E') snprintf(word[k], sizeof word[k], "%s/examples/%s", source, w + 2);
    else if (letter == 'R') snprintf(word[k], sizeof word[k], "%s/%s", root, w + 2);
    else if (letter == 'W') snprintf(word[k], sizeof word[k], "%s/%s", work, w + 2);
    else snprintf(word[k], sizeof word[k], "%s", w);
    argument[k + 1] = word[k];
  }
  char notes[400];
  snprintf(notes, sizeof notes, "%s/notes", root);
  redirect(STDOUT_FILENO, "out");
  redirect(STDERR_FILENO, "err");
  alarm(SECONDS);  // who does not end is ended
  const struct rlimit limit = {f->space, f->space};
  if (f->space && setrlimit(RLIMIT_AS, &limit)) _exit(99);
  if (f->kind) {
    setenv("FAIL_KIND", f->kind, 1);
    setenv("FAIL_NOTES", notes, 1);
    if (f->at >= 0) set_number("FAIL_AT", f->at);
    if (f->rest) setenv("FAIL_REST", "1", 1);
    setenv("LD_PRELOAD", preload, 1);
  }
  execv(program, argument);
  _exit(99);
}

static size_t read_file(const char *folder, const char *name, char *text)
{
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  const size_t size = file ? fread(text, 1, TEXT - 1, file) : 0;
  if (file) fclose(file);
  text[size] = 0;
  return size;
}

// Counts the files in the folder; with `removing` it is empty afterwards.
static int count_files(bool removing)
{
  int count = 0;
  DIR *folder = opendir(work);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    count++;
    char path[700];
    snprintf(path, sizeof path, "%s/%s", work, entry->d_name);
    if (removing) assert_int_equal(unlink(path), 0);
  }
  closedir(folder);
  return count;
}

static void run(const call *c, const failing *f, outcome *o)
{
  count_files(true);
  char notes[400];
  snprintf(notes, sizeof notes, "%s/notes", root);
  unlink(notes);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) become(c, f);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) assert_int_equal(errno, EINTR);
  o->ended = WIFEXITED(status);
  o->status = o->ended ? WEXITSTATUS(status) : WTERMSIG(status);
  o->out_size = read_file(root, "out", o->out);
  read_file(root, "err", o->err);
  o->written_size = c->file ? read_file(work, c->file, o->written) : 0;
  o->files = count_files(false);
  static char text[TEXT];
  read_file(root, "notes", text);
  snprintf(o->notes, sizeof o->notes, "%.199s", text);
}

// ---- what a run may do --------------------------------------------------------------------------

static bool same(const char *a, size_t n, const char *b, size_t m)
{
  return n == m && memcmp(a, b, n) == 0;
}

// NULL, or what is wrong with the run, beside the one with all the memory.
static const char *fault(const call *c, const outcome *whole, const outcome *o)
{
  const bool written = same(o->written, o->written_size, whole->written, whole->written_size);
  if (!o->ended) return o->status == SIGALRM ? "it does not end" : "ended by a signal";
  if (o->status == whole->status)
    return !written || o->files != whole->files ||
                   !same(o->out, o->out_size, whole->out, whole->out_size)
               ? "another answer"
               : NULL;
  if (o->status != 2) return "another exit status";
  if (!strstr(o->err, "out of memory") && !strstr(o->err, "Cannot allocate memory"))
    return "no message";
  if (o->out_size > 0) return "half an answer";
  if (o->files > (c->grows && o->written_size > 0)) return "a file is left behind";
  // a recording in text is cut between two rows
  if (o->files == 1 && strcmp(c->file, "o.csv") == 0 &&
      (o->written_size > whole->written_size ||
       memcmp(o->written, whole->written, o->written_size) != 0 ||
       o->written[o->written_size - 1] != '\n'))
    return "a recording with half a row";
  return NULL;
}

static outcome whole, now;

static void expect_good(const call *c, const failing *f)
{
  run(c, f, &now);
  const char *wrong = fault(c, &whole, &now);
  if (!wrong) return;
  fail_msg("delassus %s %s …, %s %ld%s, space %ld: %s (%d), asked by %s\n%s", c->word[0],
           c->word[1], f->kind ? f->kind : "", f->at, f->rest ? " and after" : "", (long)f->space,
           wrong, now.status, now.notes, now.err);
}

static long points(void)
{
  const char *text = getenv("EXHAUSTED_POINTS");
  return text ? atol(text) : 8;
}

// Pages, where the library was built without them.
static bool is_left_out(const call *c)
{
  return c->file && strstr(c->file, ".html") && !dls_view_available();
}

static void try_all(const char *kind)
{
  for (int k = 0; k < CALLS; k++) {
    at_case("k %d", k);
    const call *c = &calls[k];
    if (is_left_out(c)) continue;
    failing f = {.kind = kind, .at = -1};
    run(c, &f, &whole);
    assert_true(whole.ended && whole.status == 0);
    const long count = atol(whole.notes), most = points();
    assert_true(count > 50 || strcmp(kind, "mmap") == 0);
    const long wanted = most > 0 && most < count ? most : count;
    const bool all = wanted == count;
    for (long p = 0; p < (all ? 2 * wanted : wanted); p++) {
      // spread over the run, a little off from call to call; by turns one failure and all after it
      f.at = all ? p / 2 : (p * count + (k * count) / CALLS) / wanted % count;
      f.rest = p % 2;
      expect_good(c, &f);
    }
  }
}

static void allocations(void **state)
{
  (void)state;
  if (!preload) skip();
  try_all("malloc");
}

static void mappings(void **state)
{
  (void)state;
  if (!preload) skip();
  try_all("mmap");
}

// OpenBLAS takes buffers of 128 MiB and never gives up; the rest needs some 100 MiB.
static void address_space(void **state)
{
  (void)state;
  if (!preload) skip();
  int refused = 0;
  unsetenv("OPENBLAS_NUM_THREADS");
  for (int k = 0; k < CALLS; k++) {
    at_case("k %d", k);
    if (is_left_out(&calls[k])) continue;
    failing f = {.at = -1};
    run(&calls[k], &f, &whole);
    for (int mebibytes = 140; mebibytes <= 500; mebibytes += k == 0 ? 20 : 120) {
      f.space = (rlim_t)mebibytes << 20;
      expect_good(&calls[k], &f);
      refused += now.status == 2;
      if (mebibytes == 500) assert_int_equal(now.status, 0);
    }
  }
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  assert_true(refused > 2);
}

static int begin(void **state)
{
  (void)state;
  program = getenv("DELASSUS"), source = getenv("DELASSUS_SOURCE");
  preload = getenv("FAILING_ALLOCATIONS");  // not built with sanitizers
  const char *folder = getenv("TMPDIR");
  snprintf(root, sizeof root, "%.200s/delassus-exhausted-XXXXXX", folder ? folder : P_tmpdir);
  if (!program || !source || !mkdtemp(root)) return 1;
  snprintf(work, sizeof work, "%s/work", root);
  if (mkdir(work, 0777)) return 1;
  const call report = {.word = {"check", "E/ladder.dls", "--quiet", "-o", "R/report.json"}};
  const failing none = {.at = -1};
  run(&report, &none, &whole);
  return !whole.ended || whole.status != 0;
}

static int end(void **state)
{
  (void)state;
  static const char *const names[] = {"out", "err", "notes", "report.json"};
  count_files(true);
  rmdir(work);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, names[k]);
    unlink(path);
  }
  return rmdir(root);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(allocations),
      cmocka_unit_test(mappings),
      cmocka_unit_test(address_space),
  };
  return cmocka_run_group_tests_name("too little memory", tests, begin, end);
}
