// delassus verify: report + model -> the same contact problem -> claim by claim.
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "message.h"
#include "model_file.h"
#include "progress.h"
#include "results.h"

#include <delassus/report.h>
#include <delassus/verify.h>

#include <stdlib.h>
#include <string.h>

const option verify_options[] = {
    {"--set", "NAME=VALUE", true,
     "override a parameter of the model, and what the report says of it;\n"
     "may be repeated"},
    {"--json", NULL, false, "print one JSON object instead of the table"},
    {"-o", "FILE", true,
     "write the result to FILE: .json for JSON, .txt for the table; may be\nrepeated"},
    {"--quiet", NULL, false, "do not print the table; the exit status tells"},
    MODEL_OPTIONS,
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int verify_option_count = sizeof verify_options / sizeof verify_options[0];

typedef struct work {
  const options *options;
  const char *path;   // of the report
  const char *shown;  // in messages
  char *text;
  dls_saved_report *saved;
  model_file file;
  dls_verification *verification;
} work;

static void free_work(work *w)
{
  dls_verification_free(w->verification);
  model_file_free(&w->file);
  dls_saved_report_free(w->saved);
  free(w->text);
}

static int check_call(work *w)
{
  const options *o = w->options;
  if (o->word_count != 2) {
    complain("verify needs a report and a model: delassus verify REPORT MODEL [OPTION]…");
    add_line("delassus help verify says more");
    return EXIT_WRONG;
  }
  if (!o->words[0][0] || !o->words[1][0])
    return complain("verify needs a report and a model, but a name is empty");
  if (strcmp(o->words[0], "-") == 0 && strcmp(o->words[1], "-") == 0)
    return complain("only one of report and model can come from standard input");
  w->path = o->words[0];
  w->shown = strcmp(w->path, "-") == 0 ? "standard input" : w->path;
  const int wrong = check_out(o, ".json or .txt");
  return wrong ? wrong : model_file_name(&w->file, o, o->words[1]);
}

// Where the report is not JSON the place is shown.
static int show_fault(const work *w, const dls_diagnostic *fault, size_t length)
{
  if (fault->line == 0) return complain("%s: %s", w->shown, fault->message);
  const dls_diagnostics all = {.count = 1, .total = 1, .item = {*fault}};
  return print_diagnostics(&all, w->shown, w->text, length);
}

static int read_report(work *w)
{
  size_t length = 0;
  dls_diagnostic fault = {0};
  const int wrong = read_input(w->path, "report", 256, &w->text, &length);
  if (wrong) return wrong;
  const dls_status status = dls_saved_report_read(w->text, length, &w->saved, &fault);
  if (status == DLS_OK) return 0;
  if (!fault.message[0]) return complain("%s: %s", w->shown, dls_status_text(status));
  return show_fault(w, &fault, length);
}

// The report's parameters first; --set wins.
static int make_system(work *w)
{
  dls_message message = {0};
  int wrong = model_file_read(&w->file);
  if (!wrong) wrong = model_file_system(&w->file);
  if (wrong) return wrong;
  const dls_status status = dls_saved_report_set(w->saved, w->file.system, &message);
  if (status != DLS_OK)
    return complain("%s: parameters: %s", w->shown,
                    message.text[0] ? message.text : dls_status_text(status));
  return model_file_set(&w->file);
}

typedef struct watcher {
  progress_bar bar;
  bool quiet;
} watcher;

static bool look_on(void *self, double done)
{
  watcher *w = self;
  if (!w->quiet) progress_update(&w->bar, done);
  return interrupt_came();
}

static int verify(work *w)
{
  dls_message message = {0};
  watcher look = {.quiet = options_has(w->options, "--quiet")};
  const dls_verify_options how = {.watch = look_on, .self = &look};
  progress_begin(&look.bar, "verifying");
  interrupt_begin();
  const dls_status status =
      dls_verify_run(w->saved, w->file.model, w->file.system, &how, &w->verification, &message);
  interrupt_end();
  progress_end(&look.bar);
  if (status == DLS_OK) return 0;
  if (status != DLS_ERR_STOPPED) return model_file_failed(&w->file, status, &message);
  complain("%s: interrupted, nothing is proven", w->shown);
  return EXIT_BAD_ANSWER;
}

static int make_json(const void *of, product *out)
{
  const work *w = of;
  const dls_status status =
      dls_verification_json(w->verification, w->shown, w->file.shown, &out->report);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, NULL);
}

static int make_text(const void *of, bool colour, product *out)
{
  const work *w = of;
  const dls_status status =
      dls_verification_text(w->verification, w->shown, w->file.shown, colour, &out->report);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, NULL);
}

static const result_forms forms = {.json = make_json, .text = make_text};

// What failed, on standard error too.
static int judge(const work *w)
{
  const dls_verification *v = w->verification;
  if (v->difference) complain("%s is not about %s: %s", w->shown, w->file.shown, v->difference);
  for (int k = 0; k < v->findings; k++) {
    const dls_finding *f = &v->finding[k];
    if (f->found != DLS_FOUND_FAILS) continue;
    complain("%s: %s%s%s fails: %s", w->shown, f->group, f->name[0] ? "." : "", f->name, f->why);
  }
  return v->holds ? EXIT_DONE : EXIT_BAD_ANSWER;
}

int run_verify(const options *given)
{
  work w = {.options = given};
  int status = check_call(&w);
  if (!status) status = read_report(&w);
  if (!status) status = make_system(&w);
  if (!status) status = verify(&w);
  if (!status) status = write_results(given, &forms, &w);
  if (!status) status = judge(&w);
  free_work(&w);
  return status;
}
