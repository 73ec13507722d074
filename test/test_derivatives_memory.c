// The k-th allocation fails, for every k: no crash, no leak, DLS_ERR_MEMORY, and the system is as
// it was. Derivatives and energies are evaluated without allocating.
#include "language.h"

#include "failing.h"

#include "cases.h"

static const char *const text =
    "parameter k = 2, c = 0.1\n"
    "coordinate x = 0.1, y = 0.2\n"
    "kinetic exp(x*y)*(x'^2 + y'^2)/2 + x'*y'/3\n"
    "potential k*sin(x)*cos(y)\n"
    "dissipation c*x^2*y'^2\n"
    "force x = if(x > 0, sqrt(x)*y, min(x, y*x')) - abs(x')*x'\n"
    "unilateral floor: y + x^2 + 0.1*sin(t) >= 0 { slip x' + y*y', y'*x; friction 0.3 }\n";

static void evaluate_all(const running *r, const dls_derivatives *d)
{
  const double a[2] = {1, 2}, lambda[1] = {3}, tau[2] = {4, 5};
  const dls_system *s = r->system;
  double T, V;
  const long before = allocations_made();
  for (int i = 0; i < 10; i++) {
    assert_int_equal(
        s->differentiate(s->self, 0.1 * i, r->state.q, r->state.v, a, lambda, tau, d, NULL),
        DLS_OK);
    assert_int_equal(s->energy(s->self, 0.1 * i, r->state.q, r->state.v, &T, &V, NULL), DLS_OK);
  }
  assert_int_equal(allocations_made(), before);
}

static void test_allocation_failure(void **state)
{
  (void)state;
  running r = run(text);
  go_to(&r, NULL);
  long k = 0;
  for (;; k++) {
    at_case("k %ld", k);
    dls_system *system;
    dls_derivatives *d = NULL;
    assert_int_equal(dls_model_system(r.model, &system), DLS_OK);
    failing_start(k);
    dls_status status = dls_model_differentiate(system, &r.message);
    const bool made = status == DLS_OK;
    if (made) status = dls_derivatives_create(system, &d);
    const bool failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
    assert_true(made == (system->derivative != NULL));
    assert_true(made == (system->differentiate != NULL));
    assert_true(failed == (d == NULL));
    // and now it works
    assert_int_equal(dls_model_differentiate(system, NULL), DLS_OK);
    if (!d) assert_int_equal(dls_derivatives_create(system, &d), DLS_OK);
    running again = r;
    again.system = system;
    evaluate_all(&again, d);
    dls_derivatives_free(d);
    dls_system_free(system);
    if (!failed) break;
  }
  assert_true(k > 50);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocation_failure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
