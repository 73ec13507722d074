// Runs the all-sticking question alone; for tests that see the library's inside.
#ifndef TEST_STICKING_RUN_H
#define TEST_STICKING_RUN_H

#include "certify/sticking.h"
#include "sticking.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// The result is good until stuck_free.
typedef struct stuck {
  dls_check check;
  dls_arena *arena;
} stuck;

static stuck *stuck_run(const dls_problem *p, unsigned ask, dls_status *status)
{
  stuck *s = calloc(1, sizeof *s);
  dls_check_options options = dls_check_defaults();
  options.ask = ask;
  s->check.problem = *p, s->check.tolerance = options.tolerance;
  s->arena = dls_arena_create();
  dls_context x = {.given = *p,
                   .check = &s->check,
                   .arena = s->arena,
                   .work = dls_arena_create(),
                   .options = &options,
                   .n = p->n,
                   .m_b = p->m_b,
                   .m_u = p->m_u};
  x.basic.noise = 8 * (p->n + p->m_b + p->m_u) * DBL_EPSILON;
  x.basic.tolerance = fmax(options.tolerance, 16 * x.basic.noise);
  *status = x.arena && x.work ? dls_certify_sticking(&x) : DLS_ERR_MEMORY;
  dls_arena_free(x.work);
  return s;
}

static void stuck_free(stuck *s)
{
  dls_arena_free(s->arena);
  free(s);
}

#endif
