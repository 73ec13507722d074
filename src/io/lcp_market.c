// Complementarity problems as MatrixMarket files: one for M, one for q. Real or integer numbers, as
// coordinates or as an array by columns; general, symmetric or skew-symmetric.
#include "base/format.h"
#include "base/message.h"
#include "base/decimal.h"
#include "io/lcp_file.h"
#include "base/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry;

// A file, line by line.
typedef struct market {
  const char *path;
  char *text, *next;  // next: where the next line begins
  char *line;         // the current one, without its end; NULL at the end of the file
  int number;         // of the current line
  bool coordinates;
  symmetry symmetry;
  int rows, cols;
  long long entries;  // coordinates
  dls_message *message;
} market;

#define REFUSE(file, ...) refuse(file, DLS_ERR_FILE, __VA_ARGS__)

static dls_status DLS_PRINTF(3, 4)
    refuse(const market *f, dls_status status, const char *format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  return dls_fail(f->message, status, "%.400s:%d: %s", f->path, f->number, text);
}

// Goes to the next line; a zero byte counts as an end of line.
static char *advance(market *f)
{
  f->line = f->next;
  if (!f->line) return NULL;
  f->number++;
  char *end = strchr(f->line, '\n');
  if (end) *end = 0;
  f->next = end && end[1] ? end + 1 : NULL;
  return f->line;
}

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// The next line that is neither empty nor a comment.
static char *advance_to_data(market *f)
{
  while (advance(f)) {
    const char *c = f->line;
    while (is_space(*c)) c++;
    if (*c && *c != '%') return f->line;
  }
  return NULL;
}

// Cuts the next word off the line; NULL when there is none.
static char *word(char **rest)
{
  char *begin = *rest;
  while (is_space(*begin)) begin++;
  if (!*begin) return NULL;
  char *end = begin;
  while (*end && !is_space(*end)) end++;
  *rest = *end ? end + 1 : end;
  *end = 0;
  return begin;
}

// ---- numbers -----------------------------------------------------------------------------------

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

// A whole number without sign, up to `most`.
static bool whole(const char *text, long long most, long long *out)
{
  if (!text || !*text) return false;
  *out = 0;
  for (; *text; text++) {
    if (!is_digit(*text)) return false;
    *out = 10 * *out + (*text - '0');
    if (*out > most) return false;
  }
  return true;
}

// ---- the beginning of a file -------------------------------------------------------------------

static dls_status read_banner(market *f)
{
  static const char expected[] = "expected %%%%MatrixMarket matrix coordinate or array, real or "
                                 "integer, general, symmetric or skew-symmetric";
  char *rest = advance(f), *part[5] = {0};
  for (int k = 0; k < 5 && rest; k++) part[k] = word(&rest);
  if (!part[4] || strcasecmp(part[0], "%%MatrixMarket") != 0 || strcasecmp(part[1], "matrix") != 0)
    return REFUSE(f, expected);
  f->coordinates = strcasecmp(part[2], "coordinate") == 0;
  if (!f->coordinates && strcasecmp(part[2], "array") != 0) return REFUSE(f, expected);
  if (strcasecmp(part[3], "real") != 0 && strcasecmp(part[3], "integer") != 0)
    return REFUSE(f, expected);
  if (strcasecmp(part[4], "general") == 0) f->symmetry = GENERAL;
  else if (strcasecmp(part[4], "symmetric") == 0) f->symmetry = SYMMETRIC;
  else if (strcasecmp(part[4], "skew-symmetric") == 0) f->symmetry = SKEW;
  else return REFUSE(f, expected);
  return DLS_OK;
}

// rows, columns, and the number of entries of coordinates. columns: 0 for a square matrix.
static dls_status read_sizes(market *f, int columns)
{
  long long rows = 0, cols = 0;
  char *rest = advance_to_data(f), none[] = "";
  if (!rest) rest = none;
  const long long most = 1LL << 40;
  bool good = whole(word(&rest), most, &rows) && whole(word(&rest), most, &cols);
  if (good && f->coordinates) good = whole(word(&rest), most, &f->entries);
  if (!good || word(&rest))
    return REFUSE(f, f->coordinates ? "expected the numbers of rows, columns and entries"
                                    : "expected the numbers of rows and columns");
  if (columns ? cols != columns : rows != cols)
    return REFUSE(f, "%lld x %lld, expected %s", rows, cols,
                  columns ? "one column" : "a square matrix");
  if (rows == 0) return REFUSE(f, "the matrix is empty");
  if (rows > DLS_LCP_FILE_LARGEST)
    return refuse(f, DLS_ERR_LIMIT, "%lld rows, more than %d", rows, (int)DLS_LCP_FILE_LARGEST);
  if (f->symmetry != GENERAL && rows != cols)
    return REFUSE(f, "a symmetric matrix of %lld x %lld", rows, cols);
  if (f->entries > rows * cols)
    return REFUSE(f, "%lld entries are more than %lld x %lld", f->entries, rows, cols);
  f->rows = (int)rows, f->cols = (int)cols;
  return DLS_OK;
}

static dls_status begin(market *f, const char *path, int columns, dls_message *message)
{
  *f = (market){.path = path, .message = message};
  size_t length;
  dls_status status =
      dls_file_read(path, (size_t)DLS_LCP_FILE_MEBIBYTES << 20, &f->text, &length, message);
  if (status != DLS_OK) return status;
  f->next = length ? f->text : NULL;
  status = read_banner(f);
  return status == DLS_OK ? read_sizes(f, columns) : status;
}

// ---- the entries -------------------------------------------------------------------------------

static void mirror(const market *f, int i, int j, double value, double *A)
{
  const size_t n = (size_t)f->rows;
  A[(size_t)i + n * (size_t)j] = value;
  if (f->symmetry == GENERAL || i == j) return;
  A[(size_t)j + n * (size_t)i] = f->symmetry == SKEW ? -value : value;
}

static dls_status end_of_file(const market *f, const char *missing, long long have, long long want)
{
  return REFUSE(f, "the file ends after %lld of %lld %s", have, want, missing);
}

// A is NaN where nothing has been read: what comes twice is found, and becomes 0 in the end.
static dls_status read_coordinates(market *f, double *A)
{
  const size_t count = (size_t)f->rows * (size_t)f->cols;
  for (size_t k = 0; k < count; k++) A[k] = (double)NAN;
  for (long long k = 0; k < f->entries; k++) {
    char *rest = advance_to_data(f);
    if (!rest) return end_of_file(f, "entries", k, f->entries);
    long long i, j;
    double value;
    if (!whole(word(&rest), f->rows, &i) || i < 1)
      return REFUSE(f, "expected a row from 1 to %d", f->rows);
    if (!whole(word(&rest), f->cols, &j) || j < 1)
      return REFUSE(f, "expected a column from 1 to %d", f->cols);
    if (!dls_decimal_read(word(&rest), &value) || word(&rest))
      return REFUSE(f, "expected row, column and a finite number");
    if (f->symmetry != GENERAL && (f->symmetry == SKEW ? i <= j : i < j))
      return REFUSE(f, "entry (%lld, %lld) is not below the diagonal", i, j);
    if (!isnan(A[(i - 1) + f->rows * (j - 1)]))
      return REFUSE(f, "entry (%lld, %lld) is given twice", i, j);
    mirror(f, (int)i - 1, (int)j - 1, value, A);
  }
  for (size_t k = 0; k < count; k++)
    if (isnan(A[k])) A[k] = 0;
  return DLS_OK;
}

static dls_status read_array(market *f, double *A)
{
  long long want = (long long)f->rows * f->cols, have = 0;
  if (f->symmetry == SYMMETRIC) want = (want + f->rows) / 2;
  if (f->symmetry == SKEW) want = (want - f->rows) / 2;
  for (int j = 0; j < f->cols; j++) {
    const int first = f->symmetry == GENERAL ? 0 : f->symmetry == SKEW ? j + 1 : j;
    for (int i = first; i < f->rows; i++, have++) {
      char *rest = advance_to_data(f);
      double value;
      if (!rest) return end_of_file(f, "numbers", have, want);
      if (!dls_decimal_read(word(&rest), &value) || word(&rest))
        return REFUSE(f, "expected one finite number");
      mirror(f, i, j, value, A);
    }
  }
  return DLS_OK;
}

static dls_status read_entries(market *f, double *A)
{
  const dls_status status = f->coordinates ? read_coordinates(f, A) : read_array(f, A);
  if (status != DLS_OK) return status;
  return advance_to_data(f) ? REFUSE(f, "expected the end of the file") : DLS_OK;
}

// The sizes of both files are known, and agree, before M is made.
dls_status dls_lcp_read_market(const char *matrix_path, const char *vector_path, int free_rows,
                               dls_lcp_file **out, dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = 0;
  market matrix, vector = {0};
  dls_lcp_file *file = NULL;
  double *M = NULL, *q = NULL;
  dls_status status = begin(&matrix, matrix_path, 0, message);
  if (status == DLS_OK) status = begin(&vector, vector_path, 1, message);
  if (status == DLS_OK && vector.rows != matrix.rows)
    status =
        REFUSE(&vector, "%d rows, expected %d as in %.200s", vector.rows, matrix.rows, matrix_path);
  if (status == DLS_OK && (free_rows < 0 || free_rows > matrix.rows))
    status =
        dls_fail(message, DLS_ERR_ARGUMENT, "free is %d, expected 0 to %d", free_rows, matrix.rows);
  if (status == DLS_OK) {
    file = dls_lcp_file_create(matrix.rows, &M, &q);
    if (!file) status = dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  if (status == DLS_OK) status = read_entries(&matrix, M);
  if (status == DLS_OK) status = read_entries(&vector, q);
  free(matrix.text);
  free(vector.text);
  if (status == DLS_OK) {
    file->problem.free = free_rows;
    *out = file;
  } else dls_lcp_file_free(file);
  return status;
}
