// delassus simulate: model file -> state -> integrator -> recording, picture, summary.
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "message.h"
#include "motion.h"
#include "results.h"
#include "view_page.h"

#include <delassus/output.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const option simulate_options[] = {
    {"--scheme", "NAME", false, "how time is stepped; --list shows all (default: moreau)"},
    {"--step", "H", false, "the time step, or the first one where the scheme chooses them"},
    {"--until", "T", false, "when to end"},
    {"--at", "STATE", false,
     "where to start: a state of the model, assignments such as\n"
     "\"theta=0.5, theta'=1\", or a recording and a time, run.h5@0.05\n"
     "(default: the initial values)"},
    {"--state", "FILE", false, "the same from {\"q\": […], \"v\": […], \"t\": 0} in FILE.json"},
    {"--set", "NAME=VALUE", true, "override a parameter of the model; may be repeated"},
    {"--project", NULL, false,
     "start from the nearest state that fulfils the constraints, and say\n"
     "how far that is"},
    {"--theta", "X", false, "of Moreau's scheme, from 0 to 1 (default: 0.5)"},
    {"--gamma", "X", false, "of its prediction of gaps, from 0 to 1 (default: 0.5)"},
    {"--rtol", "X", false, "relative error of a step, where steps are chosen"},
    {"--atol", "X", false, "absolute error of a step, likewise"},
    {"--max-step", "H", false,
     "the longest step, likewise, or inf (default: a fiftieth of the run, or --step)"},
    {"--on-loss", "stop|continue", false,
     "where the motion ceases to be determined: end there, or go on with one\n"
     "that is possible (default: stop)"},
    {"--facets", "N", false, "of the friction pyramid of the scheme lcp (default: 8)"},
    {"--tol", "GAP[,VELOCITY]", false,
     "gaps up to this length and velocities up to this one count as zero;\n"
     "one number: both (default: 1e-9)"},
    {"--residual", "X", false,
     "relative error up to which the contact problem of a step is solved\n"
     "(default: 1e-9)"},
    {"--strobe", "N", false,
     "with -o FILE.svg or .png: draw the mechanism at N instants of the\n"
     "motion instead of curves, by the `draw` statements of the model"},
    {"--plot", "NAME,…", true,
     "what a picture shows: coordinates, velocities (x'), outputs, kinetic,\n"
     "potential, energy, and of a contact c.gap, c.rate, c.slip1, c.force_n,\n"
     "c.force_t1, c.impulse_n and so on; \"x'~x\" is a phase picture. Each\n"
     "--plot has axes of its own"},
    {"--sensitivity", "NAME,...", false,
     "derivatives of the end by parameters, and by coordinates x and\n"
     "velocities x' of the start, through events"},
    {"--native", NULL, false,
     "have the equations compiled by the C compiler of this machine, and kept\n"
     "in ~/.cache/delassus: the same numbers; for long runs"},
    {"--every", "N", false, "record each N-th step only (default: 1)"},
    {"--resume", NULL, false, "go on with the recording of -o, as if it had not been stopped"},
    {"--list", NULL, false, "print the schemes"},
    {"--json", NULL, false, "print one JSON object instead of the summary"},
    {"-o", "FILE", true,
     "write to FILE: .csv, .h5 or .hdf5 a recording, .svg or .png a picture,\n"
     ".html a page that shows the motion, .json the summary; may be repeated"},
    {"--quiet", NULL, false, "do not print the summary"},
    MODEL_OPTIONS,
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int simulate_option_count = sizeof simulate_options / sizeof simulate_options[0];

typedef struct work {
  const options *options;
  model_file file;
  simulate_plan plan;
  simulate_run run;
} work;

static void free_work(work *w)
{
  simulate_run_free(&w->run);
  buffer_free(&w->plan.settings);
  free(w->plan.names_text);
  free(w->plan.names);
  model_file_free(&w->file);
}

// ---- the call -----------------------------------------------------------------------------------

static int check_scheme(const char *name)
{
  if (dls_scheme_find(name)) return 0;
  if (!unknown_scheme(name)) add_line("delassus simulate --list shows them");
  return EXIT_WRONG;
}

// What each -o is: a recording, a picture or the summary.
static int read_out(const options *o, simulate_plan *plan)
{
  const char *out;
  const int wrong = check_out(o, ".csv, .h5, .hdf5, .html, .svg, .png or .json");
  if (wrong) return wrong;
  for (; (out = options_value(o, "-o", plan->outs)); plan->outs++)
    if (ends_in(out, ".csv") || ends_in(out, ".h5") || ends_in(out, ".hdf5"))
      plan->recording[plan->recordings++] = out;
  plan->out = plan->recordings > 0 ? plan->recording[0] : options_value(o, "-o", 0);
  plan->drawn = out_ending(o, ".svg .png");
  plan->viewed = out_ending(o, ".html");
  if (plan->viewed && !view_available()) return EXIT_WRONG;
  if (!plan->out && plan->strobe > 0)
    return complain("--strobe draws: -o FILE.svg or FILE.png is missing");
  if (plan->strobe > 0 && !plan->drawn)
    return complain("--strobe draws: -o FILE.svg or FILE.png, not %s", plan->out);
  if (plan->strobe > 0 && options_has(o, "--plot"))
    return complain("--strobe draws the mechanism, --plot curves: only one of them is possible");
  if (options_has(o, "--plot") && !plan->drawn)
    return complain("--plot chooses what a picture shows: -o FILE.svg or FILE.png names it");
  if (!plan->resume) return 0;
  if (!plan->out) return complain("--resume goes on with a recording: -o names it");
  if (plan->recordings > 1)
    return complain("--resume goes on with one recording, not with %s and %s", plan->recording[0],
                    plan->recording[1]);
  return plan->recordings == 1
             ? 0
             : complain("--resume goes on with a recording: -o FILE.csv or FILE.h5, not %s",
                        plan->out);
}

static int read_numbers(const options *o, simulate_plan *plan)
{
  static const double most = 1.7976931348623157e308;
  static const char positive[] = "a positive number";
  int wrong = options_number(o, "--step", 5e-324, most, positive, &plan->how.step);
  if (!wrong) wrong = motion_numbers(o, &plan->how, &plan->until);
  if (!wrong)
    wrong =
        options_number(o, "--rtol", DBL_EPSILON, 1, "a number from 2.2e-16 to 1", &plan->how.rtol);
  if (!wrong) wrong = options_number(o, "--atol", 5e-324, most, positive, &plan->how.atol);
  const char *longest = options_value(o, "--max-step", 0);
  if (!wrong && !(longest && strcmp(longest, "inf") == 0))
    wrong = options_number(o, "--max-step", 5e-324, most, "a positive number, or inf",
                           &plan->how.max_step);
  if (!wrong) wrong = options_count(o, "--every", 1, LONG_MAX, &plan->every);
  if (!wrong) wrong = options_count(o, "--strobe", 2, STROBE_MAX, &plan->strobe);
  return wrong;
}

static int read_on_loss(const options *o, simulate_plan *plan)
{
  const char *text = options_value(o, "--on-loss", 0);
  if (!text || strcmp(text, "stop") == 0) return 0;
  plan->how.on_loss = DLS_ON_LOSS_CONTINUE;
  return strcmp(text, "continue") == 0 ? 0
                                       : complain("--on-loss %s: expected stop or continue", text);
}

bool simulate_chooses_steps(const simulate_plan *plan)
{
  return dls_scheme_find(plan->how.scheme)->adaptive || plan->how.rtol > 0 || plan->how.atol > 0;
}

// Steps of what length, and how long.
static int check_steps(const options *o, const simulate_plan *plan)
{
  const dls_scheme_info *scheme = dls_scheme_find(plan->how.scheme);
  if (!options_has(o, "--step"))
    return complain("simulate needs a time step: --step H, such as --step 0.01");
  if (!options_has(o, "--until"))
    return complain("simulate needs an end: --until T, such as --until 5");
  if (options_has(o, "--max-step") && !simulate_chooses_steps(plan)) {
    complain("--max-step means nothing to %s with steps of --step H", scheme->name);
    add_line("--rtol or --atol makes it choose its steps");
    return EXIT_WRONG;
  }
  if (plan->how.max_step > 0 && plan->how.step > plan->how.max_step)
    return complain("--step %g: the first step is longer than --max-step %g", plan->how.step,
                    plan->how.max_step);
  return 0;
}

// Everything about the call that can be wrong before a file is opened.
static int check_call(work *w)
{
  const options *o = w->options;
  simulate_plan *plan = &w->plan;
  int wrong = model_file_call(&w->file, o, "simulate");
  if (wrong) return wrong;
  plan->file = &w->file;
  plan->how = dls_integrator_defaults();
  plan->every = 1;
  plan->resume = options_has(o, "--resume");
  plan->quiet = options_has(o, "--quiet");
  const char *scheme = options_value(o, "--scheme", 0);
  if (scheme) plan->how.scheme = scheme;
  if (options_has(o, "--tol")) plan->how.closed = w->file.tolerance, plan->how.rest = w->file.rest;
  wrong = check_scheme(plan->how.scheme);
  if (!wrong) wrong = motion_check_options(o, &plan->how.scheme, 1);
  if (!wrong) wrong = read_numbers(o, plan);
  if (!wrong) wrong = read_on_loss(o, plan);
  if (!wrong) wrong = read_out(o, plan);
  if (!wrong) wrong = simulate_names(o, plan);
  return wrong ? wrong : check_steps(o, plan);
}

// All that decides the result, besides model, scheme and step: --resume asks for the same.
static int write_settings(work *w)
{
  simulate_plan *plan = &w->plan;
  const dls_integrator_options *how = &plan->how;
  buffer *out = &plan->settings;
  buffer_add(out,
             "theta=%.17g gamma=%.17g rtol=%.17g atol=%.17g facets=%d tol=%.17g rest=%.17g "
             "residual=%.17g max_step=%.17g on_loss=%d every=%ld%s",
             how->theta, how->gamma, how->rtol, how->atol, how->facets, how->closed, how->rest,
             how->tolerance, how->max_step, (int)how->on_loss, plan->every,
             options_has(w->options, "--project") ? " project" : "");
  const char *at = model_file_at(&w->file), *set;
  if (at) buffer_add(out, " at=%s", at);
  for (int i = 0; (set = options_value(w->options, "--set", i)); i++)
    buffer_add(out, " set %s", set);
  return out->failed ? complain("out of memory") : 0;
}

static int move_start(work *w)
{
  model_file *file = &w->file;
  dls_contact_options contact = dls_contact_defaults();
  dls_message message = {0};
  contact.tolerance = w->plan.how.closed, contact.rest = w->plan.how.rest;
  const dls_status status =
      dls_state_project(file->system, &file->state, &contact, &file->projection, &message);
  if (status != DLS_OK) return model_file_failed(file, status, &message);
  file->projected = true;
  return 0;
}

// The step beside the time from start to end, and beside the rounding of both.
static int check_length(const simulate_plan *plan)
{
  const double from = plan->file->state.t, step = plan->how.step, length = plan->until - from;
  if (step > length * (1 + 1e-9)) {
    complain("--step %g: the step is longer than the run, from t = %g to %g", step, from,
             plan->until);
    add_line("--step %g is one step, --step %g a hundred", length, length / 100);
    return EXIT_WRONG;
  }
  if (!(from + step > from) || !(plan->until - step < plan->until))
    return complain("--step %g: too short to move the clock from t = %g to %g", step, from,
                    plan->until);
  return 0;
}

// The longest step that a recording was made with; false: it does not say.
static bool recorded_longest(const char *path, double *longest)
{
  static const char name[] = " max_step=";
  char settings[1000];
  if (dls_recorded_settings(path, settings, sizeof settings, NULL) != DLS_OK) return false;
  const char *found = strstr(settings, name);
  if (!found) return false;
  *longest = strtod(found + sizeof name - 1, NULL);
  return *longest >= 0;
}

// A push, or a wall that comes and goes, while nothing else happens: steps see it only where they
// stop. Not said how long they may be, there are fifty at least; a recording that goes on keeps its
// own, or it would have been made by other steps.
static void bound_steps(work *w)
{
  simulate_plan *plan = &w->plan;
  if (!simulate_chooses_steps(plan) || options_has(w->options, "--max-step")) return;
  if (plan->resume && recorded_longest(plan->out, &plan->how.max_step)) return;
  plan->how.max_step = fmax(plan->how.step, (plan->until - plan->file->state.t) / 50);
}

static int load(work *w)
{
  int wrong = motion_start(&w->file, w->plan.until);
  if (!wrong) wrong = check_length(&w->plan);
  if (!wrong) bound_steps(w);
  if (!wrong && options_has(w->options, "--project")) wrong = move_start(w);
  if (!wrong) wrong = motion_differentiate(&w->file);
  if (!wrong && w->plan.drawn)
    wrong = plot_choose(&w->plan.plot, w->options, w->file.model, w->file.system);
  return wrong ? wrong : write_settings(w);
}

// ---- the results --------------------------------------------------------------------------------

static int make_picture(const void *of, dls_picture_form form, product *out)
{
  const work *w = of;
  const simulate_plan *plan = &w->plan;
  const dls_step_counts counts = dls_integrator_counts(w->run.integrator);
  const dls_uniqueness_loss loss = dls_integrator_uniqueness(w->run.integrator);
  const char *title = dls_model_title(w->file.model);
  char below[200];
  dls_message message = {0};
  const int length = snprintf(below, sizeof below, "%s, step %g, %ld steps", plan->how.scheme,
                              plan->how.step, counts.steps);
  if (loss.lost && length > 0 && (size_t)length < sizeof below)
    (void)snprintf(below + length, sizeof below - (size_t)length,
                   "; not determined from t = %.4g on", loss.t);
  const char *above = title[0] ? title : w->file.shown;
  const dls_status status = w->run.strobe
                                ? strobe_draw(w->run.strobe, above, below, form, &out->picture,
                                              &out->picture_size, &message)
                                : sketch_draw(w->run.sketch, above, below, form, &out->picture,
                                              &out->picture_size, &message);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, &message);
}

// Events of the model, and where the motion ceases to be determined; *count of them.
static dls_view_event *other_events(const work *w, int *count)
{
  const simulate_events *e = &w->run.events;
  const dls_uniqueness_loss loss = dls_integrator_uniqueness(w->run.integrator);
  const long listed = e->listed < VIEW_CHANGES_MOST ? e->listed : VIEW_CHANGES_MOST;
  dls_view_event *event = calloc((size_t)listed + 1, sizeof *event);
  *count = 0;
  for (long k = 0; event && k < listed; k++)
    event[(*count)++] = (dls_view_event){e->item[k].t, "event",
                                         dls_model_event_at(w->file.model, e->item[k].event).name};
  if (event && loss.lost)
    event[(*count)++] = (dls_view_event){loss.t, "not determined",
                                         loss.contact >= 0 && loss.contact < w->file.system->m
                                             ? w->file.system->contacts[loss.contact].name
                                             : NULL};
  return event;
}

static int make_html(const void *of, product *out)
{
  const work *w = of;
  const simulate_plan *plan = &w->plan;
  const dls_step_counts counts = dls_integrator_counts(w->run.integrator);
  const char *title = dls_model_title(w->file.model);
  char below[200];
  int events = 0;
  (void)snprintf(below, sizeof below, "%s, step %g, %ld steps", plan->how.scheme, plan->how.step,
                 counts.steps);
  dls_view_event *event = other_events(w, &events);
  if (!event) return complain("out of memory");
  const view_about about = {title[0] ? title : view_name_of(w->file.shown), below, events, event};
  const int wrong = view_motion(&w->file, &w->run.view, &about, &out->page, &out->page_size);
  free(event);
  return wrong;
}

static int make_json(const void *of, product *out)
{
  const work *w = of;
  simulate_json(&out->grown, &w->plan, &w->run);
  return 0;
}

static int make_text(const void *of, bool colour, product *out)
{
  const work *w = of;
  (void)colour;
  simulate_text(&out->grown, &w->plan, &w->run);
  return 0;
}

// A recording, .csv too, is written while the model moves.
static const result_forms forms = {.json = make_json,
                                   .text = make_text,
                                   .picture = make_picture,
                                   .html = make_html,
                                   .text_beside_file = true};

// "delassus simulate … --resume", the call that goes on.
static void say_how_to_resume(const work *w)
{
  buffer call = {0};
  if (w->plan.recordings != 1) return;
  buffer_add(&call, "delassus simulate");
  for (int i = 0; i < w->options->argc; i++) simulate_word(&call, w->options->argv[i]);
  if (!w->plan.resume) buffer_add(&call, " --resume");
  if (!call.failed) add_line("this goes on from there: %s", call.text);
  buffer_free(&call);
}

// The contacts of the problem that was not solved.
static void list_contacts(const work *w)
{
  enum { LISTED = 8 };
  const int *contact = NULL;
  const dls_incremental *problem = dls_integrator_problem(w->run.integrator, &contact);
  buffer names = {0};
  if (!problem || problem->contacts == 0) return;
  for (int i = 0; i < problem->contacts && i < LISTED; i++)
    buffer_add(&names, "%s%s", i ? ", " : "", w->file.system->contacts[contact[i]].name);
  if (problem->contacts > LISTED) buffer_add(&names, ", …");
  if (!names.failed)
    add_line("it is that of the contact%s %s", problem->contacts > 1 ? "s" : "", names.text);
  buffer_free(&names);
}

// sign(x') has no value that holds a body at rest.
static void hint_at_friction(const work *w)
{
  if (!simulate_jumps(&w->plan, &w->run)) return;
  add_line("a force of the model jumps with a velocity (sign, if); dry friction is a contact's:");
  add_line("  potential m*g*y");
  add_line("  unilateral floor: y >= 0 { slip x'; friction 0.4 }");
}

static void say_failure(const work *w)
{
  const simulate_run *run = &w->run;
  buffer call = {0};
  complain("%s: stopped at t = %.9g: %s", w->file.shown, dls_integrator_sample(run->integrator).t,
           run->why.text);
  list_contacts(w);
  if (run->solvable)
    add_line("does the contact problem of the step have a solution? %s: %s",
             dls_answer_name(run->solvable->answer),
             run->solvable->by ? run->solvable->by : "no reason given");
  if (w->plan.recordings > 0) add_line("%s has the motion up to there", w->plan.out);
  if (run->remedy[0] && run->complete) add_line("tried: with %s it has one", run->remedy);
  else if (run->remedy[0])
    add_line("%s: with %s it gets past there",
             run->remedy_from_there ? "tried from that state on" : "tried", run->remedy);
  else if (run->in_vain.length > 0 && !run->in_vain.failed)
    add_line("tried in vain: %s", run->in_vain.text);
  hint_at_friction(w);
  simulate_explain(&call, &w->plan, run);
  if (!call.failed) add_line("this call explains the state: %s", call.text);
  if (w->plan.recordings == 0) add_line("with -o run.h5 it is a short one, and the motion is kept");
  buffer_free(&call);
}

static int judge(work *w)
{
  const simulate_run *run = &w->run;
  for (int k = 0; k < run->size.warnings; k++)
    complain("%s: warning: %s", w->file.shown, run->size.warning[k]);
  if (run->failure != DLS_FAILURE_NONE) {
    say_failure(w);
    return EXIT_BAD_ANSWER;
  }
  if (run->interrupted) {
    complain("%s: interrupted at t = %.9g of %.9g", w->file.shown,
             dls_integrator_sample(run->integrator).t, w->plan.until);
    say_how_to_resume(w);
    return EXIT_BAD_ANSWER;
  }
  return EXIT_DONE;
}

static int print_schemes(const work *w)
{
  buffer out = {0};
  const bool json = options_has(w->options, "--json");
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    if (json) {
      buffer_add(&out, "%s{\"name\": \"%s\", \"summary\": ", k ? ",\n " : "[", s->name);
      buffer_json_string(&out, s->summary);
      buffer_add(&out, ", \"order\": %d, \"events\": %s, \"adaptive\": %s}", s->order,
                 s->events ? "true" : "false", s->adaptive ? "true" : "false");
    } else {
      buffer_add(&out, "%-22s order %d%s  %s\n", s->name, s->order,
                 s->events     ? ", events"
                 : s->adaptive ? ", adaptive"
                               : "",
                 s->summary);
    }
  }
  if (json) buffer_add(&out, "]\n");
  return print_buffer(&out);
}

static int do_simulate(work *w)
{
  if (options_has(w->options, "--list")) {
    if (w->options->word_count > 0)
      return complain("--list takes no model: delassus simulate --list");
    return print_schemes(w);
  }
  int status = check_call(w);
  if (!status) status = load(w);
  if (!status) status = simulate_begin(&w->run, &w->plan);
  if (!status) status = simulate_advance(&w->run, &w->plan);
  if (!status) status = write_results(w->options, &forms, w);
  interrupt_end();
  return status ? status : judge(w);
}

int run_simulate(const options *given)
{
  work w = {.options = given};
  const int status = do_simulate(&w);
  free_work(&w);
  return status;
}
