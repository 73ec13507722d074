// delassus view: a recording, or a model at a state, as a page, and a browser that shows it.
#define _XOPEN_SOURCE 700
#include "commands.h"
#include "files.h"
#include "message.h"
#include "view_page.h"

#include <delassus/recording.h>

#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

const option view_options[] = {
    {"--at", "STATE", false,
     "of a model: one of its states, assignments such as\n"
     "\"theta=0.5, theta'=1\", or a recording and a time, run.h5@0.05\n"
     "(default: the initial values)"},
    {"--state", "FILE", false, "the same from {\"q\": […], \"v\": […], \"t\": 0} in FILE.json"},
    {"--set", "NAME=VALUE", true,
     "override a parameter of the model; may be repeated (a recording knows\n"
     "those that it was made with)"},
    {"--tol", "GAP[,VEL]", false, "of a model: what counts as zero, as in check"},
    {"--project", NULL, false, "of a model: from the nearest state that fulfils the constraints"},
    MODEL_OPTIONS,
    {"--no-open", NULL, false, "write the page, but open no browser"},
    {"-o", "FILE", false, "write the page to FILE.html (default: beside the first FILE)"},
    {"--quiet", NULL, false, "say nothing"},
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int view_option_count = sizeof view_options / sizeof view_options[0];

static bool is_recording(const char *path)
{
  return ends_in(path, ".h5") || ends_in(path, ".hdf5");
}

// ---- the call -----------------------------------------------------------------------------------

static int check_call(const options *o)
{
  const char *out = options_value(o, "-o", 0);
  if (!view_available()) return EXIT_WRONG;
  if (o->word_count == 0) {
    complain("view needs a recording or a model: delassus view run.h5 [MODEL] or view MODEL");
    add_line("delassus help view says more");
    return EXIT_WRONG;
  }
  const char *file = o->words[0];
  if (ends_in(file, ".csv"))
    return complain("%s: a page needs the recording as HDF5: simulate -o FILE.h5", file);
  if (o->word_count > (is_recording(file) ? 2 : 1))
    return complain("view takes a recording and its model, or one model");
  if (is_recording(file) && (options_has(o, "--at") || options_has(o, "--state")))
    return complain("--at and --state are for a model; %s is a whole motion", file);
  if (out && !ends_in(out, ".html")) return complain("-o %s: expected FILE.html", out);
  if (!out && strcmp(file, "-") == 0)
    return complain("what comes on standard input has no name: -o FILE.html gives the page one");
  return 0;
}

// run.h5 becomes run.html; freed by the caller.
static char *page_name(const options *o)
{
  const char *out = options_value(o, "-o", 0), *file = o->words[0];
  if (out) return strdup(out);
  const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
  const bool ending = dot && dot > (slash ? slash + 1 : file);
  const int length = (int)(ending ? dot - file : (ptrdiff_t)strlen(file));
  buffer name = {0};
  buffer_add(&name, "%.*s.html", length, file);
  if (!name.failed) return name.text;
  buffer_free(&name);
  return NULL;
}

// ---- a recording --------------------------------------------------------------------------------

// The call with the --set of the recording, where it has none of its own. settings is cut up.
static int add_settings(const options *given, char *settings, options *out)
{
  static const char word[] = " set ";
  int count = 0, number = 0;
  *out = *given;
  for (const char *c = settings; (c = strstr(c, word)); c++) count++;
  out->given = calloc((size_t)(given->given_count + count) + 1, sizeof *out->given);
  if (!out->given) return complain("out of memory");
  if (given->given_count > 0)
    memcpy(out->given, given->given, (size_t)given->given_count * sizeof *out->given);
  while (strcmp(out->table[number].name, "--set") != 0) number++;
  char *next = options_has(given, "--set") ? NULL : strstr(settings, word);
  while (next) {
    char *value = next + sizeof word - 1;
    *next = 0;
    next = strstr(value, word);
    out->given[out->given_count++] = (given_option){number, value};
  }
  return 0;
}

static int read_model(model_file *file, const options *o)
{
  const char *path = o->words[0];
  char *text = NULL;
  size_t length = 0;
  bool same = true;
  dls_message message = {0};
  if (o->word_count == 2) {
    int wrong = model_file_name(file, o, o->words[1]);
    if (!wrong) wrong = model_file_read(file);
    if (!wrong &&
        dls_recorded_model(path, file->source, file->source_length, &same, NULL) == DLS_OK && !same)
      complain("%s is a recording of another text than %s", path, o->words[1]);
    return wrong;
  }
  const int wrong = model_file_name(file, o, path);
  if (wrong) return wrong;
  if (dls_recorded_text(path, &text, &length, &message) != DLS_OK)
    return complain("%s", message.text);
  if (text[strspn(text, " \t\r\n\xEF\xBB\xBF")] != '<') return model_file_take(file, text, length);
  free(text);
  complain("%s was made from an XML file: name it, too", path);
  add_line("delassus view %s MODEL.xml", path);
  return EXIT_WRONG;
}

static int add_rows(dls_recorded *recorded, view_rows *rows)
{
  dls_message message = {0};
  for (long k = 0; k < dls_recorded_count(recorded); k++) {
    dls_sample row;
    if (dls_recorded_row(recorded, k, &row, &message) != DLS_OK)
      return complain("%s", message.text);
    bool jump = false;  // schemes with events have rows for them
    for (int j = 0; j < row.m && !rows->located; j++) jump = jump || row.status[j] == DLS_IMPACTING;
    view_rows_add(rows, &row, jump);
  }
  return 0;
}

static int page_of_rows(const model_file *file, dls_recorded *recorded,
                        const dls_recorded_call *call, char **html, size_t *size)
{
  const dls_scheme_info *scheme = dls_scheme_find(call->scheme);
  const bool located = scheme && scheme->events;
  view_rows rows = {0};
  char below[200];
  const char *title = dls_model_title(file->model);
  if (dls_recorded_count(recorded) == 0) return complain("%s: it has no rows", file->shown);
  (void)snprintf(below, sizeof below, "%s, step %g, %ld rows", call->scheme, call->step,
                 dls_recorded_count(recorded));
  const view_about about = {.title = title[0] ? title : view_name_of(file->shown),
                            .subtitle = below};
  int wrong = view_rows_create(&rows, file->system, located) ? 0 : complain("out of memory");
  if (!wrong) wrong = add_rows(recorded, &rows);
  if (!wrong) wrong = view_motion(file, &rows, &about, html, size);
  view_rows_free(&rows);
  return wrong;
}

static int recording_page(const options *given, char **html, size_t *size)
{
  const char *path = given->words[0];
  model_file file = {0};
  dls_recorded_call call = {0};
  dls_recorded *recorded = NULL;
  dls_message message = {0};
  options with = *given;
  char settings[sizeof call.settings] = "";
  with.given = NULL;
  if (dls_recorded_settings(path, settings, sizeof settings, &message) != DLS_OK)
    return complain("%s", message.text);
  int wrong = add_settings(given, settings, &with);
  if (!wrong) wrong = read_model(&file, &with);
  if (!wrong) wrong = model_file_set(&file);
  if (!wrong && dls_recorded_read(path, file.system, &recorded, &call, &message) != DLS_OK)
    wrong = complain("%s", message.text);
  if (!wrong) wrong = page_of_rows(&file, recorded, &call, html, size);
  dls_recorded_free(recorded);
  model_file_free(&file);
  free(with.given);
  return wrong;
}

// ---- the browser --------------------------------------------------------------------------------

// Asks the desktop to show a file; nobody waits for the browser.
static void show_page(const char *path)
{
  char opener[] = "xdg-open", *full = realpath(path, NULL);
  char *words[] = {opener, full, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int failed = !full || posix_spawn_file_actions_init(&actions);
  if (!failed) {
    failed = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ||
             posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
             posix_spawnp(&child, opener, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  free(full);
  if (failed) complain("there is no xdg-open here: open %s in a browser", path);
}

static int write_page(const options *given, const char *name, const char *html, size_t size)
{
  new_file file = {0};
  int wrong = new_file_write_bytes(&file, name, html, size);
  if (!wrong) wrong = new_file_keep(&file);
  new_file_drop(&file);
  if (wrong) return wrong;
  buffer said = {0};
  buffer_add(&said, "Written to %s.\n", name);
  if (options_has(given, "--quiet")) buffer_free(&said);
  else wrong = print_buffer(&said);
  if (!wrong && !options_has(given, "--no-open")) show_page(name);
  return wrong;
}

int run_view(const options *given)
{
  char *html = NULL, *name = NULL;
  size_t size = 0;
  int wrong = check_call(given);
  if (!wrong && !(name = page_name(given))) wrong = complain("out of memory");
  if (!wrong)
    wrong = is_recording(given->words[0]) ? recording_page(given, &html, &size)
                                          : check_page(given, &html, &size);
  if (!wrong) wrong = write_page(given, name, html, size);
  dls_view_html_free(html);
  free(name);
  return wrong;
}
