#define _POSIX_C_SOURCE 200809L
#include "results.h"

#include "files.h"
#include "interrupt.h"
#include "message.h"

#include <delassus/report.h>
#include <delassus/view.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_ending(const char *out, const char *expected)
{
  const size_t length = strlen(out);
  for (const char *ending = strchr(expected, '.'); ending;) {
    const size_t letters = strcspn(ending, ", ");
    if (length > letters && strncmp(out + length - letters, ending, letters) == 0) return true;
    ending = strchr(ending + letters, '.');
  }
  return false;
}

// Two names of one file, which would be written over.
static bool same_file(const char *a, const char *b)
{
  struct stat x, y;
  if (strcmp(a, b) == 0) return true;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int check_out(const options *given, const char *expected)
{
  const char *out;
  for (int i = 0; (out = options_value(given, "-o", i)); i++) {
    if (i == INTERRUPT_FILES)
      return complain("-o is given more than %d times", (int)INTERRUPT_FILES);
    if (!has_ending(out, expected))
      return complain("-o %s: the ending chooses the form; expected %s", out, expected);
    for (int k = 0; k < i; k++) {
      const char *other = options_value(given, "-o", k);
      if (strcmp(out, other) == 0) return complain("-o %s is given twice", out);
      if (same_file(out, other)) return complain("-o %s and -o %s are the same file", other, out);
    }
  }
  return 0;
}

const char *out_ending(const options *given, const char *endings)
{
  const char *out;
  for (int i = 0; (out = options_value(given, "-o", i)); i++)
    if (has_ending(out, endings)) return out;
  return NULL;
}

static void product_free(product *p)
{
  buffer_free(&p->grown);
  dls_report_text_free(p->report);
  dls_picture_data_free(p->picture);
  dls_view_html_free(p->page);
}

static const char *product_text(const product *p)
{
  return p->report ? p->report : p->grown.text;
}

// The form that the ending of the name chooses.
static int make_filed(const result_forms *forms, const void *work, const char *out, product *p)
{
  if (ends_in(out, ".json")) return forms->json(work, p);
  if (ends_in(out, ".txt")) return forms->text(work, false, p);
  if (ends_in(out, ".csv") && forms->csv) return forms->csv(work, p);
  if (ends_in(out, ".html")) return forms->html(work, p);
  if (ends_in(out, ".svg")) return forms->picture(work, DLS_SVG, p);
  return ends_in(out, ".png") ? forms->picture(work, DLS_PNG, p) : 0;
}

static int write_product(const product *p, new_file *file, const char *out)
{
  if (p->grown.failed) return complain("out of memory");
  if (p->picture) return new_file_write_bytes(file, out, p->picture, p->picture_size);
  if (p->page) return new_file_write_bytes(file, out, p->page, p->page_size);
  return product_text(p) ? new_file_write(file, out, product_text(p)) : 0;
}

// One file, beside its place.
static int write_file(const result_forms *forms, const void *work, const char *out, new_file *file)
{
  product p = {0};
  int wrong;
  if (forms->hdf5 && (ends_in(out, ".h5") || ends_in(out, ".hdf5"))) {
    wrong = new_file_write(file, out, "");
    if (!wrong) wrong = forms->hdf5(work, file->temporary, out);
  } else {
    wrong = make_filed(forms, work, out, &p);
    if (!wrong) wrong = write_product(&p, file, out);
  }
  product_free(&p);
  return wrong;
}

static int print(const options *given, const result_forms *forms, const void *work)
{
  const bool json = options_has(given, "--json");
  const bool beside = !options_has(given, "-o") || forms->text_beside_file;
  product p = {0};
  if (!json && (options_has(given, "--quiet") || !beside)) return 0;
  int wrong = json ? forms->json(work, &p) : forms->text(work, wants_colour(), &p);
  if (!wrong) wrong = p.grown.failed ? complain("out of memory") : print_output(product_text(&p));
  product_free(&p);
  return wrong;
}

int write_results(const options *given, const result_forms *forms, const void *work)
{
  new_file file[INTERRUPT_FILES] = {0};
  const char *out;
  int count = 0, wrong = 0;
  for (; !wrong && (out = options_value(given, "-o", count)); count++)
    wrong = write_file(forms, work, out, &file[count]);
  if (!wrong) wrong = print(given, forms, work);
  // last, so that the files appear only when all went well
  for (int i = 0; i < count && !wrong; i++) wrong = new_file_keep(&file[i]);
  for (int i = 0; i < count; i++) new_file_drop(&file[i]);
  return wrong;
}
