// Does a complementarity problem have a solution? Yes and no only with a proof.
#include "base/memory.h"
#include "certify/lcp_proof.h"
#include "certify/lcp_tree.h"
#include "lcp/lcp.h"

#include <math.h>
#include <stdlib.h>

// Lemke's method goes on as long as it can: its points are checked without rounding.
static const double lemke_tolerance = 1e-14;

enum { DEFAULT_NODES = 4000 };

enum { LARGEST = 400, ENUMERATE = 12, MINORS = 12, BEYOND_MINORS = 20 };

dls_lcp_exists_options dls_lcp_exists_defaults(void)
{
  return (dls_lcp_exists_options){.max_nodes = DEFAULT_NODES, .enumerate = true};
}

typedef struct result {
  dls_lcp_existence shown;
  dls_lcp_tree tree;
} result;

static dls_status take_z(result *r, const double *z)
{
  r->shown.z = z;
  return dls_mlcp_natural_error(r->tree.given, z, &r->shown.error, NULL);
}

// ---- the ways to an answer ---------------------------------------------------------------------

static dls_status say_found(result *r)
{
  r->shown.answer = DLS_YES;
  r->shown.exact = r->tree.exact;
  r->shown.by = r->tree.exact ? "a point that solves exactly" : "enclosure of a basic solution";
  r->shown.shows = r->tree.exact
                       ? "z >= 0, w = M z + q >= 0 and z_i w_i = 0 hold without rounding"
                       : "the rows of the basis have one solution; there z > 0 in the basis, w > 0 "
                         "elsewhere, beyond all rounding";
  r->shown.basis = r->tree.exact ? NULL : r->tree.in;
  return take_z(r, r->tree.z);
}

static void say_none(result *r)
{
  r->shown.answer = DLS_NO;
  r->shown.by = r->tree.leaves == 1 ? "Farkas' lemma: no z >= 0 has M z + q >= 0"
                                    : "branch and bound on the complementary choices, each leaf "
                                      "refuted by Farkas' lemma";
  r->shown.shows =
      "the leaves cover all choices of z_i = 0 or w_i = 0, and each y has y^T w >= 0 >= "
      "y^T M z, q^T y < 0";
  r->shown.leaves = r->tree.leaves, r->shown.leaf = r->tree.leaf;
}

// The point given, zero, and what auto finds.
static dls_status try_points(result *r, const double *z0)
{
  dls_lcp_tree *t = &r->tree;
  const ptrdiff_t n = t->given->n;
  dls_status status = z0 ? dls_lcp_tree_try(t, z0) : DLS_OK;
  if (status != DLS_OK || t->found) return status;
  double *z = dls_alloc(n, sizeof *z);
  if (!z) return DLS_ERR_MEMORY;
  dls_lcp_solver *solver = NULL;
  dls_lcp_options options = dls_lcp_defaults();
  dls_lcp_report report;
  options.tolerance = lemke_tolerance;
  status = dls_lcp_tree_try(t, z);
  if (status == DLS_OK && !t->found) {
    status = dls_lcp_solver_create(t->given, &options, &solver, NULL);
    if (status == DLS_OK) status = dls_lcp_solver_solve(solver, z, NULL, &report);
    if (status == DLS_OK) status = dls_lcp_tree_try(t, z);
    dls_lcp_solver_free(solver);
  }
  free(z);
  return status;
}

static dls_status try_matrix(result *r)
{
  const dls_mlcp *p = r->tree.given;
  if (p->free > 0 || (p->n > MINORS && p->n <= BEYOND_MINORS)) return DLS_OK;
  int *index = dls_alloc(p->n, sizeof *index);
  if (!index) return DLS_ERR_MEMORY;
  dls_p_report report;
  const dls_status status = dls_p_matrix(p->n, p->M, index, &report);
  free(index);
  if (status != DLS_OK || report.answer != DLS_YES) return status;
  r->shown.answer = DLS_YES;
  r->shown.by = "M is a P-matrix: one solution for every q";
  r->shown.shows = "all principal minors of M are positive";
  return DLS_OK;
}

static dls_status try_enumeration(result *r)
{
  const dls_mlcp *p = r->tree.given;
  if (p->n - p->free > ENUMERATE) return DLS_OK;
  dls_lcp_solutions *all = NULL;
  dls_status status = dls_mlcp_enumerate(p, &all);
  if (status != DLS_OK) return status == DLS_ERR_LIMIT ? DLS_OK : status;
  const bool sure = !all->ambiguous && all->complete;
  if (sure && all->count == 0) {
    r->shown.answer = DLS_NO;
    r->shown.by = "every complementary basis, signs of determinants proven";
    r->shown.shows = "no basis has z >= 0 and w >= 0";
  }
  if (sure && all->count > 0) {
    r->shown.answer = DLS_YES;
    r->shown.by = "every complementary basis, signs of determinants proven";
    r->shown.shows = "the basis of z has z >= 0 and w >= 0";
    dls_copy(r->tree.z, all->item[0].z, p->n);
    status = take_z(r, r->tree.z);
  }
  dls_lcp_solutions_free(all);
  return status;
}

static dls_status decide(result *r, const dls_lcp_exists_options *options)
{
  dls_lcp_tree *t = &r->tree;
  dls_status status = dls_lcp_tree_start(t);
  if (status == DLS_OK) status = try_points(r, options->z0);
  if (status != DLS_OK) return status;
  if (t->found) return say_found(r);
  status = try_matrix(r);
  if (status == DLS_OK && r->shown.answer == DLS_YES) return take_z(r, t->best);
  if (status == DLS_OK) status = dls_lcp_tree_grow(t);
  r->shown.nodes = t->nodes;
  if (status != DLS_OK) return status;
  if (t->found) return say_found(r);
  if (!t->open && dls_lcp_covers(t->given->n, t->given->free, t->leaves, t->leaf)) {
    say_none(r);
    return DLS_OK;
  }
  if (options->enumerate) status = try_enumeration(r);
  if (status != DLS_OK || r->shown.answer != DLS_UNDECIDED) return status;
  r->shown.by = t->nodes > t->max_nodes ? "the limit of nodes was reached"
                                        : "rounding decides: a point is nearly a solution";
  return t->best_error < INFINITY ? take_z(r, t->best) : DLS_OK;
}

// ---- public ------------------------------------------------------------------------------------

dls_status dls_mlcp_exists(const dls_mlcp *mlcp, const dls_lcp_exists_options *options,
                           dls_lcp_existence **out)
{
  *out = NULL;
  dls_status status = dls_mlcp_validate(mlcp);
  if (status != DLS_OK) return status;
  if (mlcp->n > LARGEST) return DLS_ERR_LIMIT;
  const dls_lcp_exists_options o = options ? *options : dls_lcp_exists_defaults();
  if (o.max_nodes < 0) return DLS_ERR_ARGUMENT;
  result *r = dls_alloc(1, sizeof *r);
  if (!r) return DLS_ERR_MEMORY;
  r->shown = (dls_lcp_existence){
      .answer = DLS_UNDECIDED, .by = "", .shows = "", .n = mlcp->n, .error = NAN};
  r->tree.given = mlcp, r->tree.max_nodes = o.max_nodes;
  r->tree.watch = o.watch, r->tree.self = o.self;
  r->tree.arena = dls_arena_create();
  status = r->tree.arena ? decide(r, &o) : DLS_ERR_MEMORY;
  r->tree.given = NULL;
  if (status == DLS_OK) *out = &r->shown;
  else dls_lcp_existence_free(&r->shown);
  return status;
}

void dls_lcp_existence_free(dls_lcp_existence *existence)
{
  result *r = (result *)existence;  // it is the first member
  if (!r) return;
  dls_arena_free(r->tree.arena);
  free(r->tree.leaf), free(r->tree.choices), free(r);
}

static dls_status check_basis(const dls_mlcp *mlcp, const bool *in, bool *holds)
{
  dls_lcp_tree t = {.given = mlcp, .arena = dls_arena_create()};
  dls_status status = t.arena ? dls_lcp_tree_start(&t) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_lcp_proves_basis(&t.scaled, in, t.z, holds);
  dls_arena_free(t.arena);
  return status;
}

dls_status dls_lcp_existence_check(const dls_mlcp *mlcp, const dls_lcp_existence *e, bool *holds)
{
  *holds = false;
  const dls_status status = dls_mlcp_validate(mlcp);
  if (status != DLS_OK) return status;
  if (!e || e->n != mlcp->n) return DLS_ERR_ARGUMENT;
  if (e->answer == DLS_YES && e->exact) {
    double *work = dls_alloc(mlcp->n, sizeof *work);
    if (!work) return DLS_ERR_MEMORY;
    *holds = dls_lcp_proves_point(mlcp, e->z, work);
    free(work);
  } else if (e->answer == DLS_YES && e->basis) {
    return check_basis(mlcp, e->basis, holds);
  } else if (e->answer == DLS_NO && e->leaves > 0) {
    *holds = dls_lcp_covers(mlcp->n, mlcp->free, e->leaves, e->leaf);
    for (int k = 0; k < e->leaves && *holds; k++)
      *holds = dls_lcp_proves_none(mlcp, e->leaf[k].choice, e->leaf[k].y);
  }
  return DLS_OK;
}
