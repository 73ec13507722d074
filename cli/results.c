#include "results.h"

#include "files.h"
#include "message.h"

#include <delassus/report.h>

#include <string.h>

int check_out(const options *given, const char *expected)
{
  const char *out = options_value(given, "-o", 0);
  const size_t length = out ? strlen(out) : 0;
  for (const char *ending = out ? strchr(expected, '.') : NULL; ending;) {
    const size_t letters = strcspn(ending, ", ");
    if (length > letters && strncmp(out + length - letters, ending, letters) == 0) return 0;
    ending = strchr(ending + letters, '.');
  }
  return out ? complain("-o %s: the ending chooses the form; expected %s", out, expected) : 0;
}

static void product_free(product *p)
{
  buffer_free(&p->grown);
  dls_report_text_free(p->report);
  dls_picture_data_free(p->picture);
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
  if (ends_in(out, ".svg")) return forms->picture(work, DLS_SVG, p);
  return ends_in(out, ".png") ? forms->picture(work, DLS_PNG, p) : 0;
}

static int write_product(const product *p, new_file *file, const char *out)
{
  if (p->grown.failed) return complain("out of memory");
  if (p->picture) return new_file_write_bytes(file, out, p->picture, p->picture_size);
  return product_text(p) ? new_file_write(file, out, product_text(p)) : 0;
}

static int print_product(const product *p)
{
  return p->grown.failed ? complain("out of memory") : print_output(product_text(p));
}

int write_results(const options *given, const result_forms *forms, const void *work)
{
  const char *out = options_value(given, "-o", 0);
  const bool json = options_has(given, "--json");
  const bool text = !json && !options_has(given, "--quiet") && (!out || forms->text_beside_file);
  const bool same = json && out && ends_in(out, ".json");
  product filed = {0}, printed = {0};
  new_file file = {0};
  int wrong = out ? make_filed(forms, work, out, &filed) : 0;
  if (!wrong && out) wrong = write_product(&filed, &file, out);
  if (!wrong && json && !same) wrong = forms->json(work, &printed);
  if (!wrong && text) wrong = forms->text(work, wants_colour(), &printed);
  if (!wrong && (json || text)) wrong = print_product(same ? &filed : &printed);
  // last, so that the file appears only when all went well
  if (!wrong) wrong = new_file_keep(&file);
  new_file_drop(&file);
  product_free(&filed);
  product_free(&printed);
  return wrong;
}
