#define _POSIX_C_SOURCE 200809L
#include "solve.h"

#include "files.h"
#include "message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef enum form { FORM_UNKNOWN, FORM_FCLIB, FORM_JSON, FORM_MARKET } form;

void solve_problem_free(solve_problem *p)
{
  dls_fclib_free(p->fclib);
  dls_lcp_file_free(p->lcp_file);
  free(p->r);
  free(p->v);
  free(p->z);
  *p = (solve_problem){0};
}

// What the library said, which names the file itself; or at least what the status means.
static int failed(const solve_problem *p, dls_status status, const dls_message *message)
{
  if (message && message->text[0]) return complain("%s", message->text);
  return complain("%s: %s", p->shown, dls_status_text(status));
}

// ---- the call ----------------------------------------------------------------------------------

int solve_problem_call(solve_problem *p, const options *o)
{
  *p = (solve_problem){.free = -1, .vector = options_value(o, "--vector", 0)};
  if (o->word_count == 0 || !o->words[0][0]) {
    complain("solve needs a problem: delassus solve PROBLEM [OPTION]…");
    add_line("delassus help solve says more");
    return EXIT_WRONG;
  }
  if (o->word_count > 1)
    return complain("solve takes one problem, but got %s and %s", o->words[0], o->words[1]);
  const bool standard = strcmp(o->words[0], "-") == 0;
  p->path = standard ? "/dev/stdin" : o->words[0];
  p->shown = standard ? "standard input" : p->path;
  const char *text = options_value(o, "--free", 0);
  if (!text) return 0;
  char *end = NULL;
  const long count = strtol(text, &end, 10);
  if (end == text || *end || count < 0 || count > 1000000)
    return complain("--free %s: expected how many of the first rows are equations", text);
  p->free = (int)count;
  return 0;
}

// ---- which kind of file it is ------------------------------------------------------------------

static form form_of_content(const char *start, size_t length)
{
  static const char hdf5[] = "\x89HDF\r\n\x1a\n", market[] = "%%MatrixMarket";
  if (length >= sizeof hdf5 - 1 && memcmp(start, hdf5, sizeof hdf5 - 1) == 0) return FORM_FCLIB;
  if (length >= sizeof market - 1 && strncasecmp(start, market, sizeof market - 1) == 0)
    return FORM_MARKET;
  size_t i = 0;
  while (i < length && strchr(" \t\r\n", start[i]) && start[i]) i++;
  return i < length && start[i] == '{' ? FORM_JSON : FORM_UNKNOWN;
}

static form form_of_name(const char *path)
{
  if (ends_in(path, ".hdf5") || ends_in(path, ".h5") || ends_in(path, ".hdf")) return FORM_FCLIB;
  if (ends_in(path, ".json")) return FORM_JSON;
  return ends_in(path, ".mtx") ? FORM_MARKET : FORM_UNKNOWN;
}

static int cannot_read(const solve_problem *p)
{
  return complain("cannot read %s: %s", p->shown, strerror(errno ? errno : EIO));
}

// By what stands in it, and where that says nothing by its name. Standard input can be read once:
// it is JSON.
static int find_form(const solve_problem *p, form *kind)
{
  char start[256];
  struct stat info;
  *kind = FORM_JSON;
  if (strcmp(p->path, "/dev/stdin") == 0) return 0;
  errno = 0;
  if (stat(p->path, &info)) return cannot_read(p);
  if (S_ISDIR(info.st_mode))
    return complain("cannot read %s: it is a directory, not a file", p->shown);
  if (!S_ISREG(info.st_mode))  // a pipe that nobody writes to would never answer
    return complain("cannot read %s: it is not a regular file", p->shown);
  FILE *stream = fopen(p->path, "rb");
  if (!stream) return cannot_read(p);
  const size_t length = fread(start, 1, sizeof start, stream);
  const bool broken = ferror(stream) != 0;
  fclose(stream);
  if (broken) return cannot_read(p);
  if (length == 0) return complain("%s is empty: expected a problem", p->shown);
  *kind = form_of_content(start, length);
  if (*kind == FORM_UNKNOWN) *kind = form_of_name(p->path);
  if (*kind != FORM_UNKNOWN) return 0;
  complain("%s: neither FCLIB (HDF5) nor an LCP as JSON or MatrixMarket", p->shown);
  if (ends_in(p->path, ".dls"))
    add_line("models are for delassus check: delassus check %s", p->path);
  else add_line("delassus help solve says what these look like");
  return EXIT_WRONG;
}

// --vector and --free belong to MatrixMarket.
static int check_form(const solve_problem *p, form kind)
{
  if (kind == FORM_MARKET && !p->vector) {
    complain("%s is a matrix, but the vector q is missing: --vector FILE", p->shown);
    add_line("delassus solve M.mtx --vector q.mtx");
    return EXIT_WRONG;
  }
  if (kind == FORM_MARKET) return 0;
  if (p->vector)
    return complain("--vector goes with a MatrixMarket file, and %s is none", p->shown);
  if (p->free >= 0 && kind == FORM_JSON)
    return complain("--free goes with a MatrixMarket file; in JSON write \"free\": %d", p->free);
  if (p->free >= 0)
    return complain("--free goes with a MatrixMarket file, and %s is none", p->shown);
  return 0;
}

// ---- reading -----------------------------------------------------------------------------------

// The errors of a point of the file; false when it has not what is needed, or memory runs out.
static bool measure(const solve_problem *p, double norm_q, const dls_fclib_point *point,
                    dls_incremental_error *error)
{
  if (!point->r || (p->friction->global && !point->v)) return false;
  return dls_incremental_residual(p->friction, norm_q, point->r, point->v, NULL, error) == DLS_OK;
}

static int read_friction(solve_problem *p)
{
  dls_message message = {0};
  double norm_q = 0;
  const dls_status status = dls_fclib_read(p->path, &p->fclib, &message);
  if (status != DLS_OK) return failed(p, status, &message);
  p->friction = &p->fclib->problem;
  if (p->fclib->solution.r && dls_incremental_scale(p->friction, &norm_q) == DLS_OK)
    p->has_stored = measure(p, norm_q, &p->fclib->solution, &p->stored);
  return 0;
}

int solve_problem_read(solve_problem *p)
{
  form kind;
  dls_message message = {0};
  int wrong = find_form(p, &kind);
  if (!wrong) wrong = check_form(p, kind);
  if (wrong) return wrong;
  if (kind == FORM_FCLIB) return read_friction(p);
  const dls_status status = kind == FORM_JSON
                                ? dls_lcp_read_json(p->path, &p->lcp_file, &message)
                                : dls_lcp_read_market(p->path, p->vector, p->free > 0 ? p->free : 0,
                                                      &p->lcp_file, &message);
  if (status != DLS_OK) return failed(p, status, &message);
  p->lcp = dls_lcp_file_problem(p->lcp_file);
  return 0;
}

// ---- where solvers start -----------------------------------------------------------------------

static int start_from_file(solve_problem *p)
{
  const dls_fclib *f = p->fclib;
  const dls_fclib_point *best = NULL;
  double norm_q = 0, least = INFINITY;
  const dls_status status = dls_incremental_scale(p->friction, &norm_q);
  if (status != DLS_OK) return complain("%s: the mass matrix M is singular", p->shown);
  for (int k = -1; k < f->guesses; k++) {
    const dls_fclib_point *point = k < 0 ? &f->solution : &f->guess[k];
    dls_incremental_error error;
    if (!measure(p, norm_q, point, &error) || !(error.largest < least)) continue;
    least = error.largest;
    best = point;
  }
  if (!best) return complain("--guess: %s has neither a guess nor a solution", p->shown);
  memcpy(p->r, best->r, (size_t)dls_incremental_rows(p->friction) * sizeof *p->r);
  if (p->friction->global) memcpy(p->v, best->v, (size_t)p->friction->dof * sizeof *p->v);
  return 0;
}

int solve_problem_start(solve_problem *p, bool guess)
{
  const size_t rows = (size_t)(p->friction ? dls_incremental_rows(p->friction) : 0);
  const size_t dof = p->friction && p->friction->global ? (size_t)p->friction->dof : 0;
  p->r = calloc(rows + 1, sizeof *p->r);
  p->v = calloc(dof + 1, sizeof *p->v);
  p->z = calloc(p->lcp ? (size_t)p->lcp->n + 1 : 1, sizeof *p->z);
  if (!p->r || !p->v || !p->z) return complain("out of memory");
  if (!guess) return 0;
  if (!p->friction) return complain("--guess: only FCLIB files have guesses");
  return start_from_file(p);
}

// ---- writing -----------------------------------------------------------------------------------

int solve_problem_write(const solve_problem *p, const char *path, bool converged,
                        const dls_fclib_point *point)
{
  dls_message message = {0};
  dls_fclib with = *p->fclib;
  dls_fclib_point *guesses = NULL;
  if (!converged) {
    const size_t count = (size_t)with.guesses;
    guesses = calloc(count + 1, sizeof *guesses);
    if (!guesses) return complain("out of memory");
    if (count) memcpy(guesses, with.guess, count * sizeof *guesses);
    guesses[count] = *point;
    with.guess = guesses;
    with.guesses++;
  }
  const dls_status status = dls_fclib_write(path, &with, converged ? point : NULL, &message);
  free(guesses);
  if (status == DLS_OK) return 0;
  return complain("cannot write %s", message.text[0] ? message.text : path);
}
