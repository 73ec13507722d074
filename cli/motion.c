#include "motion.h"

#include "message.h"

#include <string.h>

// ---- what a scheme takes ------------------------------------------------------------------------

static bool is_moreau(const dls_scheme_info *s)
{
  return strncmp(s->name, "moreau", 6) == 0;
}

static bool is_pyramid(const dls_scheme_info *s)
{
  return strcmp(s->name, "lcp") == 0;
}

static bool predicts_gaps(const dls_scheme_info *s)
{
  return is_moreau(s) || is_pyramid(s);
}

static bool may_choose(const dls_scheme_info *s)
{
  return s->adaptive || s->events;
}

// The options that not every scheme takes.
static const struct {
  const char *option;
  bool (*takes)(const dls_scheme_info *scheme);
} special[] = {{"--theta", is_moreau}, {"--gamma", predicts_gaps}, {"--facets", is_pyramid},
               {"--rtol", may_choose}, {"--atol", may_choose},     {"--max-step", may_choose}};

static int means_nothing(int k, const char *const *schemes, int count)
{
  buffer given = {0}, others = {0};
  for (int i = 0; i < count; i++) buffer_add(&given, "%s%s", i ? ", " : "", schemes[i]);
  for (int i = 0; i < dls_scheme_count(); i++)
    if (special[k].takes(dls_scheme_info_at(i)))
      buffer_add(&others, "%s%s", others.length ? ", " : "", dls_scheme_info_at(i)->name);
  complain("%s means nothing to the scheme%s %s", special[k].option, count > 1 ? "s" : "",
           given.failed ? "" : given.text);
  if (!others.failed) add_line("it is for %s", others.text);
  buffer_free(&given);
  buffer_free(&others);
  return EXIT_WRONG;
}

int motion_check_options(const options *given, const char *const *schemes, int count)
{
  for (size_t k = 0; k < sizeof special / sizeof special[0]; k++) {
    bool taken = !options_has(given, special[k].option);
    for (int i = 0; i < count && !taken; i++) taken = special[k].takes(dls_scheme_find(schemes[i]));
    if (!taken) return means_nothing((int)k, schemes, count);
  }
  return 0;
}

// ---- the call -----------------------------------------------------------------------------------

bool unknown_scheme(const char *name)
{
  enum { KNOWN_MAX = 64 };
  const char *known[KNOWN_MAX];
  int count = 0;
  for (int k = 0; k < dls_scheme_count() && count < KNOWN_MAX; k++)
    known[count++] = dls_scheme_info_at(k)->name;
  complain("--scheme %s: there is no such scheme", name);
  return suggest(name, known, count);
}

int motion_numbers(const options *given, dls_integrator_options *how, double *until)
{
  static const double most = 1.7976931348623157e308;
  static const char part[] = "a number from 0 to 1";
  long facets = how->facets;
  int wrong = options_number(given, "--until", -most, most, "a number", until);
  if (!wrong) wrong = options_number(given, "--theta", 0, 1, part, &how->theta);
  if (!wrong) wrong = options_number(given, "--gamma", 0, 1, part, &how->gamma);
  if (!wrong) wrong = options_count(given, "--facets", 3, 1000, &facets);
  how->facets = (int)facets;
  if (!wrong) wrong = options_number(given, "--residual", 5e-324, 1, "0 < X <= 1", &how->tolerance);
  return wrong;
}

int motion_start(model_file *file, double until)
{
  int wrong = model_file_open(file);
  if (!wrong) wrong = model_file_state(file);
  if (!wrong && !(until > file->state.t))
    wrong = complain("--until %s: the start is at t = %g already",
                     options_value(file->options, "--until", 0), file->state.t);
  return wrong;
}

int motion_differentiate(model_file *file)
{
  dls_message message = {0};
  const dls_status status = dls_model_differentiate(file->system, &message);
  return status == DLS_OK ? 0 : model_file_failed(file, status, &message);
}

// ---- results ------------------------------------------------------------------------------------

void motion_json_loss(buffer *out, const dls_system *system, const dls_uniqueness_loss *loss)
{
  if (!loss->lost) {
    buffer_add(out, "null");
    return;
  }
  buffer_add(out, "{\"t\": ");
  buffer_json_number(out, loss->t);
  buffer_add(out, ", \"contact\": ");
  buffer_json_string(out, loss->contact >= 0 ? system->contacts[loss->contact].name : NULL);
  buffer_add(out, ", \"bounded\": %s, \"why\": ", loss->bounded ? "true" : "false");
  buffer_json_string(out, loss->why);
  if (loss->bounded && loss->ends) {
    buffer_add(out, ", \"later\": {\"t\": ");
    buffer_json_number(out, loss->end_t);
    buffer_add(out, ", \"contact\": ");
    buffer_json_string(out,
                       loss->end_contact >= 0 ? system->contacts[loss->end_contact].name : NULL);
    buffer_add(out, ", \"why\": ");
    buffer_json_string(out, loss->end_why);
    buffer_add(out, "}");
  }
  buffer_add(out, "}");
}
