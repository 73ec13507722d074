"""A tutorial: a one-step problem, its solution, and how that depends on the data."""

import numpy as np

import delassus as dls

rng = np.random.default_rng(3)
A = rng.standard_normal((6, 9))
W, q, mu = A @ A.T, np.array([-6.0, 8.0, 5.0, -7.0, 9.0, -8.0]), np.array([0.3, 0.6])

problem = dls.Problem(W, q, mu)
solution = problem.solve(tol=1e-12)
print(solution)
assert solution.converged

# A number that depends on the solution: the normal impulses together. Its gradient by all data costs
# one linear solve.
gradient = solution.gradient(dr=[1, 0, 0, 1, 0, 0])
print("by mu:", gradient["mu"])

# The same by differences
step = 1e-6
for contact in range(2):
    total = []
    for sign in (1, -1):
        other = mu.copy()
        other[contact] += sign * step
        r = dls.Problem(W, q, other).solve(tol=1e-13).r
        total.append(r[0] + r[3])
    difference = (total[0] - total[1]) / (2 * step)
    print(f"contact {contact}: {difference:.8f}")
    assert abs(difference - gradient["mu"][contact]) < 1e-5 * (1 + abs(difference))

# Which friction gives these impulses? Newton's method, with derivatives of the solver.
target = dls.Problem(W, q, [0.2, 0.5]).solve(tol=1e-13).r
guess = mu.copy()
for iteration in range(8):
    now = dls.Problem(W, q, guess).solve(tol=1e-13)
    jacobian = np.column_stack([now.derivative(dmu=np.eye(2)[k])[0] for k in range(2)])
    guess = np.clip(guess - np.linalg.lstsq(jacobian, now.r - target, rcond=None)[0], 0.01, 2)
print("found:", guess)
assert np.allclose(guess, [0.2, 0.5], atol=1e-6)
