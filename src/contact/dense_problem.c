#include "contact/dense_problem.h"

#include "base/message.h"
#include "linalg/sparse.h"

#include <stdlib.h>

enum { max_coordinates = 15000 };  // dense matrices of 1.8 GB

static bool scatter(dls_arena *arena, const dls_matrix_view *A, const double **out)
{
  double *dense =
      dls_arena_alloc(arena, (ptrdiff_t)A->pattern.rows * A->pattern.cols, sizeof(double));
  if (dense) dls_pattern_to_dense(&A->pattern, A->x, dense);
  *out = dense;
  return dense != NULL;
}

dls_status dls_problem_make_dense(const dls_problem *p, dls_arena *arena, dls_problem *out,
                                  dls_message *message)
{
  *out = *p;
  if (!p->sparse) return DLS_OK;
  const dls_problem_matrices *x = p->sparse;
  const int contacts = p->m_b + p->m_u;
  if (p->n > max_coordinates || contacts > max_coordinates)
    return dls_fail(message, DLS_ERR_LIMIT,
                    "%d coordinates and %d closed contacts: dense matrices go up to %d of each",
                    p->n, contacts, max_coordinates);
  out->sparse = NULL;
  if (!scatter(arena, &x->M, &out->M) || !scatter(arena, &x->G_b, &out->G_b) ||
      !scatter(arena, &x->G_u, &out->G_u))
    return DLS_ERR_MEMORY;
  if (x->G_b_change) {
    const dls_matrix_view bilateral = {x->G_b.pattern, x->G_b_change};
    const dls_matrix_view unilateral = {x->G_u.pattern, x->G_u_change};
    if (!scatter(arena, &bilateral, &out->G_b_change) ||
        !scatter(arena, &unilateral, &out->G_u_change))
      return DLS_ERR_MEMORY;
  }
  if (!p->friction) return DLS_OK;
  dls_friction *friction = dls_arena_alloc(arena, 1, sizeof *friction);
  if (!friction) return DLS_ERR_MEMORY;
  *friction = *p->friction;
  out->friction = friction;
  return scatter(arena, &x->H, &friction->H) ? DLS_OK : DLS_ERR_MEMORY;
}

// The problem is the first thing in its own arena, so that freeing needs only the problem.
typedef struct owned_problem {
  dls_problem problem;
  dls_arena *arena;
} owned_problem;

dls_status dls_problem_dense(const dls_problem *problem, dls_problem **out, dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = 0;
  owned_problem *owner = dls_alloc(1, sizeof *owner);
  if (!owner) return DLS_ERR_MEMORY;
  owner->arena = dls_arena_create();
  const dls_status status =
      owner->arena ? dls_problem_make_dense(problem, owner->arena, &owner->problem, message)
                   : DLS_ERR_MEMORY;
  if (status == DLS_OK) *out = &owner->problem;
  else dls_problem_dense_free(&owner->problem);
  return status;
}

void dls_problem_dense_free(dls_problem *dense)
{
  if (!dense) return;
  owned_problem *owner = (owned_problem *)dense;
  dls_arena_free(owner->arena);
  free(owner);
}
