#!/usr/bin/python3
"""Steps per second of Siconos' Moreau-Jean scheme on the models of bench_steps.c: the same table.

  bench/peers/siconos_steps.py [MODEL ...]      ball, chain, pile, drop; all when none is named

How the models are set up in Siconos, so that it is fast:
- MoreauJeanOSI(0.5) and TimeStepping. Bodies are LagrangianLinearTIDS (constant mass, gravity).
- The ball has a LagrangianLinearTIR, a NewtonImpactNSL and an LCP. `ball` is TimeStepping.run(),
  the loop in C++; `ball loop` is the loop that Python programs write, hasNextEvent, computeOneStep,
  nextStep. All others are timed in that loop, where it makes no difference.
- Constraints of the chain and the pile are LagrangianScleronomousR with compiled plugins
  (siconos_relations.c, built with cc -O3 when this starts), not Python functions.
- Joints are EqualityConditionNSL(2), contacts NewtonImpactFrictionNSL in the plane. Both together
  need the GenericMechanical problem. Its Gauss-Seidel on all blocks is used; its other three ways
  (substituted or assembled equalities, MLCP) end the process with a segmentation fault here.
- The pile is a FrictionContact(2) with NSGS on blocks, Siconos' default. CPG does not converge and
  LEMKE is slower and lets the pile sink.
- SICONOS_TS_LINEAR: one linearization in each step, the fastest choice; iterating to convergence
  takes longer and has errors of the same size.
- Tolerances of the contact problem: 1e-4, Siconos' own default; the chain also with 1e-6.
  delassus always solves to 1e-9. The chain runs once more with the step that gives Siconos the
  error that delassus has. The names of rows are model, step, tolerance.
Seconds are processor time of the loop alone, the least of two runs.
"""
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy
import siconos.kernel as kernel
import siconos.numerics as numerics

GRAVITY, RESTITUTION, HEIGHT, SAMPLE = 9.81, 0.9, 1.0, 100
# model: until, then step and tolerance of the contact problem for each run
RUNS = {"ball": (10.0, (1e-5, None)),
        "chain": (1.2, (2e-3, 1e-4), (2e-3, 1e-6), (4e-4, 1e-4)),
        "pile": (0.1, (1e-3, 1e-4)),
        "drop": (0.1, (1e-3, 1e-4))}
PLUGIN = "delassus_relations"


def restart_with_plugin():
    """Siconos finds plugins as the loader does: by LD_LIBRARY_PATH, read when a process starts."""
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "siconos_relations.c")
        subprocess.run([os.environ.get("CC", "cc"), "-O3", "-shared", "-fPIC", "-o",
                        os.path.join(directory, PLUGIN + ".so"), source, "-lm"], check=True)
        environment = dict(os.environ, LD_LIBRARY_PATH=directory, SICONOS_STEPS_PLUGIN="1",
                           OPENBLAS_NUM_THREADS="1")
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment).returncode)


def relation(name):
    return kernel.LagrangianScleronomousR(f"{PLUGIN}:{name}_h", f"{PLUGIN}:{name}_G")


def add_body(model, x, y, inertia):
    body = kernel.LagrangianLinearTIDS(numpy.array([x, y, 0.0]), numpy.zeros(3),
                                       numpy.diag([1.0, 1.0, inertia]))
    body.setFExtPtr(numpy.array([0.0, -GRAVITY, 0.0]))
    model.insertDynamicalSystem(body)
    return body


def add_interaction(model, law, name, *bodies):
    interaction = kernel.Interaction(law, relation(name))
    model.link(interaction, *bodies)
    return interaction


def make_ball(until):
    model = kernel.NonSmoothDynamicalSystem(0, until)
    ball = kernel.LagrangianLinearTIDS(numpy.array([HEIGHT]), numpy.zeros(1), numpy.eye(1))
    ball.setFExtPtr(numpy.array([-GRAVITY]))
    model.insertDynamicalSystem(ball)
    floor = kernel.Interaction(kernel.NewtonImpactNSL(RESTITUTION),
                               kernel.LagrangianLinearTIR(numpy.eye(1)))
    model.link(floor, ball)
    return model, [ball], [floor], [], kernel.LCP()


def make_chain(until):
    model = kernel.NonSmoothDynamicalSystem(0, until)
    links = [add_body(model, i + 0.5, 0.0, 1 / 12) for i in range(20)]
    hold, touch = kernel.EqualityConditionNSL(2), kernel.NewtonImpactFrictionNSL(0, 0, 0.3, 2)
    joints = [add_interaction(model, hold, "hinge", links[0])]
    joints += [add_interaction(model, hold, "joint", *links[i - 1:i + 1]) for i in range(1, 20)]
    contacts = [add_interaction(model, touch, "floor", link) for link in links]
    return model, links, contacts, joints, kernel.GenericMechanical()


def make_pile(until, gap):
    model = kernel.NonSmoothDynamicalSystem(0, until)
    blocks = [add_body(model, 0.0, 0.5 + gap + i * (1 + gap), 1 / 6) for i in range(50)]
    touch = kernel.NewtonImpactFrictionNSL(0, 0, 0.5, 2)
    contacts = [add_interaction(model, touch, side, *blocks[max(i - 1, 0):i + 1])
                for i in range(50) for side in ("left", "right")]
    problem = kernel.FrictionContact(2, numerics.SICONOS_FRICTION_2D_NSGS)
    problem.setMStorageType(1)  # blocks
    return model, blocks, contacts, [], problem


def make(name, step, tolerance):
    until = RUNS[name][0]
    if name == "ball":
        parts = make_ball(until)
    elif name == "chain":
        parts = make_chain(until)
    else:
        parts = make_pile(until, 0.001 if name == "drop" else 0.0)
    problem = parts[-1]
    if name != "ball":
        options = problem.numericsSolverOptions()
        options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 100000
        problem.setKeepLambdaAndYState(True)
    scheme = kernel.MoreauJeanOSI(0.5)
    scheme.setConstraintActivationThreshold(1e-9)  # as in delassus
    simulation = kernel.TimeStepping(parts[0], kernel.TimeDiscretisation(0, step), scheme, problem)
    simulation.setNewtonOptions(1)  # SICONOS_TS_LINEAR
    return simulation, parts


def closed_form(t):
    """Where the ball is, impact after impact until they accumulate."""
    begin, v = math.sqrt(2 * HEIGHT / GRAVITY), math.sqrt(2 * HEIGHT * GRAVITY)
    if t < begin:
        return HEIGHT - GRAVITY * t * t / 2
    if t >= begin * (1 + RESTITUTION) / (1 - RESTITUTION):
        return 0.0
    while True:
        v *= RESTITUTION
        flight = 2 * v / GRAVITY
        if t < begin + flight or flight < 1e-14:
            return (t - begin) * (v - GRAVITY * (t - begin) / 2)
        begin += flight


def loop(simulation, contacts=(), joints=(), ball=None):
    """(steps, largest penetration and joint gap, error of the ball); plain when nothing is asked."""
    steps, penetration, gap, error = 0, 0.0, 0.0, 0.0
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        simulation.nextStep()
        steps += 1
        for contact in contacts:
            penetration = max(penetration, -contact.y(0)[0])
        for joint in joints:
            gap = max(gap, abs(joint.y(0)).max())
        if ball and steps % SAMPLE == 0:
            step = RUNS["ball"][1][0]
            error += SAMPLE * step * abs(ball.q()[0] - closed_form(steps * step))
    return steps, penetration, gap, error


def timed(run):
    begin = time.process_time()
    run()
    return time.process_time() - begin


def measure(name, step, tolerance, out):
    steps = round(RUNS[name][0] / step)
    seconds, plain = [], []
    for _ in range(2):
        simulation, parts = make(name, step, tolerance)
        seconds.append(timed(simulation.run if name == "ball" else lambda: loop(simulation)))
    final = numpy.concatenate([body.q() for body in parts[1]])
    if name == "ball":
        for _ in range(2):
            simulation, _ = make(name, step, tolerance)
            plain.append(timed(lambda: loop(simulation)))
    # what the run was like, not timed
    simulation, parts = make(name, step, tolerance)
    _, penetration, gap, error = loop(simulation, parts[2] if name != "ball" else (), parts[3],
                                      parts[1][0] if name == "ball" else None)
    title = f"{name} {step:g} {tolerance:g}" if tolerance else name
    rates = [(title, min(seconds))] + ([(f"{name} loop", min(plain))] if plain else [])
    for label, least in rates:
        out.write(f"siconos,{label},{step:g},{steps},{least:.6g},{steps / least:.6g},"
                  f"{error if name == 'ball' else math.nan:.6g},{penetration:.3g},{gap:.3g},"
                  + " ".join(f"{x:.17g}" for x in final) + "\n")
    out.flush()


def main():
    if "SICONOS_STEPS_PLUGIN" not in os.environ:
        restart_with_plugin()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Siconos talks on the standard output
    out.write("program,model,step,steps,seconds,steps_per_second,error,penetration,bilateral,final\n")
    for name in sys.argv[1:] or RUNS:
        for step, tolerance in RUNS[name][1:]:
            measure(name, step, tolerance, out)


main()
