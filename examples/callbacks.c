// A model without the language: a pendulum against a stop, its functions written in C.
//
//   m l^2 theta'' + m g l sin(theta) = lambda,   0 <= lambda _|_ theta'' >= 0   at theta = 0.3
//
//   cc callbacks.c $(pkg-config --cflags --libs delassus-io) -lm
#include <delassus/delassus.h>

#include <math.h>
#include <stdio.h>

typedef struct pendulum {
  double mass, length, gravity, stop;
} pendulum;

// Fills everything that a system must say at (t, q, v). G = dh/dq, h_dot = G v, b_n = d/dt(G) v.
static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  const pendulum *p = self;
  (void)t, (void)bound, (void)message;  // no rounding-error bounds: they stay 0
  values->M[0] = p->mass * p->length * p->length;
  values->F[0] = p->mass * p->gravity * p->length * sin(q[0]);
  values->h[0] = q[0] - p->stop;
  values->h_dot[0] = v[0];
  values->G[0] = 1;
  values->b_n[0] = 0;
  values->friction[0] = 0;
  values->restitution[0] = 0;
  return DLS_OK;
}

int main(void)
{
  // one coordinate, one contact without slip: every matrix has at most one entry
  static const int one_column[] = {0, 1}, no_column[] = {0}, first_row[] = {0};
  static const char *const names[] = {"theta"};
  static const dls_contact_info contacts[] = {{.name = "stop", .kind = DLS_UNILATERAL}};
  pendulum data = {.mass = 2, .length = 0.5, .gravity = 9.81, .stop = 0.3};
  const dls_system system = {.n = 1,
                             .m = 1,
                             .coordinates = names,
                             .contacts = contacts,
                             .mass = {1, 1, one_column, first_row},
                             .normal = {1, 1, one_column, first_row},
                             .tangent = {1, 0, no_column, first_row},
                             .self = &data,
                             .evaluate = evaluate};

  double q[] = {0.3}, v[] = {0};
  const dls_state state = {.q = q, .v = v};
  dls_contact_state *contact_state = NULL;
  dls_check *check = NULL;
  dls_message message = {0};
  dls_status status = dls_contact_state_create(&system, &state, NULL, &contact_state, &message);
  if (status == DLS_OK) status = dls_check_run(&contact_state->problem, NULL, &check, &message);
  if (status != DLS_OK) {
    fprintf(stderr, "%s: %s\n", dls_status_text(status), message.text);
    return 2;
  }
  printf("delassus %s: the stop holds the pendulum with %.6g N m (m g l sin 0.3 = %.6g)\n",
         dls_version(), check->solution->lambda_u[0],
         data.mass * data.gravity * data.length * sin(0.3));
  const double error = check->solution->lambda_u[0] - contact_state->problem.F[0];
  dls_check_free(check);
  dls_contact_state_free(contact_state);
  return fabs(error) < 1e-12 ? 0 : 1;
}
