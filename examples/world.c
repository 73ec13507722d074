// A simulator of one's own: spheres fall into a bowl, and delassus finds the forces. All that knows
// about shapes is in `touch`.
//
//   cc world.c $(pkg-config --cflags --libs delassus) -lm
#include <delassus/delassus.h>

#include <math.h>
#include <stdio.h>

enum { SPHERES = 24, STEPS = 1200 };
static const double radius = 0.1, bowl = 1;

// Sphere i and sphere j, or the bowl about the origin.
static void touch(dls_world *world, int i, int j)
{
  const double *x = dls_world_body(world, i)->position, zero[3] = {0};
  const double *y = j == DLS_GROUND ? zero : dls_world_body(world, j)->position;
  const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]},
               apart = hypot(hypot(d[0], d[1]), d[2]);
  const double inwards = j == DLS_GROUND ? -1 : 1;  // the bowl pushes towards its centre
  dls_world_contact c = {.id = 1 + (uint64_t)(i * SPHERES + (j == DLS_GROUND ? i : j)),
                         .a = i,
                         .b = j,
                         .gap = j == DLS_GROUND ? bowl - radius - apart : apart - 2 * radius,
                         .friction = 0.5};
  for (int k = 0; k < 3; k++) c.normal[k] = inwards * d[k] / apart;
  for (int k = 0; k < 3; k++) c.point[k] = x[k] - radius * c.normal[k];
  if (c.gap < 0.05) dls_world_add_contact(world, &c, NULL);  // farther than it goes in a step
}

int main(void)
{
  dls_world_options options = dls_world_defaults();
  options.gravity[2] = -9.81;
  dls_world *world = NULL;
  dls_status status = dls_world_create(&options, &world, NULL);
  for (int i = 0; i < SPHERES && status == DLS_OK; i++) {
    const dls_body sphere = {
        .mass = 1,
        .inertia = {0.004, 0.004, 0.004},
        .quaternion = {1},
        .position = {0.3 * (i % 3) - 0.29, 0.3 * (i / 3 % 3) - 0.3, 0.21 * (i / 9)}};
    status = dls_world_add_body(world, &sphere, NULL, NULL);
  }
  dls_world_report report = {0};
  double speed = 0;
  for (int step = 0; step < STEPS && status == DLS_OK; step++) {
    dls_world_clear_contacts(world);
    for (int i = 0; i < SPHERES; i++)
      for (int j = DLS_GROUND; j < i; j++) touch(world, i, j);
    status = dls_world_step(world, 2.5e-3, &report, NULL);
    if (!report.converged) printf("step %d: residual %.1e\n", step, report.error.largest);
  }
  for (int i = 0; i < SPHERES && status == DLS_OK; i++)
    for (int k = 0; k < 3; k++) speed = fmax(speed, fabs(dls_world_body(world, i)->velocity[k]));
  printf("delassus %s: %d spheres, %s, fastest %.1e m/s\n", dls_version(), SPHERES,
         dls_status_text(status), speed);
  dls_world_free(world);
  return status == DLS_OK ? 0 : 1;
}
