// A motion in time: a ball that bounces until it rests, written in the model language, stepped by
// the library.
//
//   cc integrate.c $(pkg-config --cflags --libs delassus) -lm
#include <delassus/delassus.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "coordinate y = 1\n"
                           "kinetic   y'^2/2\n"
                           "potential 9.81*y\n"
                           "unilateral floor: y >= 0 { restitution 0.5 }\n";

static void tell(void *self, const dls_event *event)
{
  int *count = self;
  if (++*count <= 3)
    printf("  %s at t = %.6f, velocity %.4f, then %.4f\n", dls_event_name(event->kind), event->t,
           event->v_before[0], event->v_after[0]);
}

int main(void)
{
  dls_model *model = NULL;
  dls_system *system = NULL;
  dls_integrator *integrator = NULL;
  dls_diagnostics diagnostics;
  dls_message message = {{0}};
  dls_failure failure = DLS_FAILURE_NONE;
  double q = 0, v = 0;
  int events = 0;
  dls_state start = {.q = &q, .v = &v};
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = "radau5", options.step = 0.01, options.event = tell, options.self = &events;

  dls_status status = dls_model_parse(text, strlen(text), &model, &diagnostics);
  if (status == DLS_OK) status = dls_model_system(model, &system);
  if (status == DLS_OK) status = dls_model_differentiate(system, &message);
  if (status == DLS_OK) status = dls_model_state(system, NULL, &start, &message);
  if (status == DLS_OK)
    status = dls_integrator_create(system, &start, &options, &integrator, &message);
  while (status == DLS_OK && !failure && dls_integrator_sample(integrator).t < 3)
    status = dls_integrator_advance(integrator, 3, &failure, &message);
  if (status != DLS_OK || failure) {
    fprintf(stderr, "%s %s: %s\n", dls_status_text(status), dls_failure_text(failure),
            message.text);
    return 2;
  }
  const double y = dls_integrator_sample(integrator).q[0];
  printf("delassus %s: %d events; at t = 3 the ball lies at y = %.2e\n", dls_version(), events, y);
  dls_integrator_free(integrator);
  dls_system_free(system);
  dls_model_free(model);
  return fabs(y) < 1e-9 ? 0 : 1;
}
