#include "motion.h"

#include "message.h"

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
  int wrong = options_number(given, "--until", -most, most, "a number", until);
  if (!wrong) wrong = options_number(given, "--theta", 0, 1, part, &how->theta);
  if (!wrong) wrong = options_number(given, "--gamma", 0, 1, part, &how->gamma);
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
