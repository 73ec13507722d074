"""What Python costs:  PYTHONPATH=build/release/python /usr/bin/python3 bench/bench_python.py

Times of small calls, the best of several rounds; a batch beside the same loop over single problems.
OPENBLAS_NUM_THREADS=1 is set: small problems only lose time by more threads.
"""

import os
import timeit

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

import delassus as dls  # noqa: E402

ROUNDS = 7


def best(call, count):
    """Microseconds of one call."""
    return 1e6 * min(timeit.repeat(call, number=count, repeat=ROUNDS)) / count


def row(name, microseconds):
    print(f"{name:58s}{microseconds:10.2f} us")


def small_calls():
    m = dls.Model.parse("parameter k = 1\ncoordinate x = 1\nkinetic x'^2/2\npotential k*x^2/2")
    stepper = m.stepper(1e-9)
    raw = stepper._integrator
    world = dls.World()
    body = world.add_body(1, 1)
    row("nothing: a function of Python", best(lambda: None, 10**5))
    row("extension: time of a stepper", best(raw.time, 10**5))
    row("extension: a parameter", best(lambda: m._system.parameter(0), 10**5))
    row("extension: clear the contacts of a world", best(world._world.clear, 10**5))
    row("extension: a step of a world without contacts", best(lambda: world._world.step(1e-6), 10**4))
    row("extension: a step of an oscillator (moreau)", best(lambda: raw.step(1e9), 10**4))
    row("m['k']", best(lambda: m["k"], 10**5))
    row("stepper.t", best(lambda: stepper.t, 10**5))
    row("stepper.step()", best(stepper.step, 10**4))
    row("stepper.step(); stepper.q['x']", best(lambda: stepper.step().q["x"], 10**4))
    row("world.body(0)", best(lambda: world.body(body), 10**4))


def problems(count=10**4):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((count, 6, 9))
    W, q = A @ A.transpose(0, 2, 1) / 6, rng.standard_normal((count, 6))
    mu = np.full((count, 2), 0.5)
    each = best(lambda: dls.solve_batch(W, q, mu, tol=1e-8), 1) / count
    row(f"solve_batch, {count} problems of 2 contacts: each", each)
    load = q[0].copy()
    p = dls.Problem(W[0], load, mu[0])
    p.solve(tol=1e-8)

    def loop():
        for k in range(1000):
            load[:] = q[k]
            p.solve(tol=1e-8)

    row("Problem.solve, another q: each", best(loop, 1) / 1000)
    solver = next(iter(p._solvers.values()))
    r, u = np.zeros(6), np.zeros(6)

    def again():
        solver.solve(r, u, None)

    load[:] = q[0]
    again()
    row("extension: solve from the solution", best(again, 10**4))
    return W, q, mu, each


def write_for_c(path, W, q, mu):
    """The problems of the batch, for bench_batch: sizes, then W by rows, q and mu of each."""
    with open(path, "wb") as file:
        np.array([len(q), q.shape[1], mu.shape[1]], dtype=np.int32).tofile(file)
        for part in (W, q, mu):
            part.tofile(file)


if __name__ == "__main__":
    small_calls()
    W, q, mu, each = problems()
    if "BATCH" in os.environ:
        write_for_c(os.environ["BATCH"], W, q, mu)
