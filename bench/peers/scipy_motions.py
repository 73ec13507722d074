#!/usr/bin/env python3
"""The motions of motions_models.c by scipy's DOP853 with events; the same table as motions.

Right-hand sides and gaps are those of motions_models.c, in numpy. At a root of a gap velocities
change by Newton's law, and solve_ivp starts anew, choosing its first step. Evaluations are its nfev;
seconds are those of Python, and say nothing about the method.
"""
import time

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY = 9.81


class Pendulum:
    name, until, restitution = "pendulum", 10, 0.8
    q, v = np.array([1, 1.5]), np.array([0.0, 2])

    @staticmethod
    def acceleration(t, q, v):
        s, c = np.sin(q[0]), np.cos(q[0])
        return np.array([s * c * v[1] ** 2 - GRAVITY * s, -2 * c / s * v[0] * v[1]])

    @staticmethod
    def gaps(q):
        return np.array([0.3 - np.sin(q[0]) * np.cos(q[1])])

    @staticmethod
    def gradient(j, q):
        return np.array([-np.cos(q[0]) * np.cos(q[1]), np.sin(q[0]) * np.sin(q[1])])

    @staticmethod
    def mass(q):
        return np.array([1, np.sin(q[0]) ** 2])


class Row:
    name, until, restitution = "ten pendulums", 10, 0.8
    q, v = -0.6 + 0.1 * np.arange(10), np.zeros(10)

    @staticmethod
    def acceleration(t, q, v):
        s, c = np.sin(q), np.cos(q)
        pull = np.zeros(10)
        pull[1:] += s[:-1] - s[1:]
        pull[:-1] += s[1:] - s[:-1]
        return 3 * pull * c - GRAVITY * s

    @staticmethod
    def gaps(q):
        return 0.25 + 0.02 * np.arange(10) - np.sin(q)

    @staticmethod
    def gradient(j, q):
        return -np.cos(q[j]) * (np.arange(10) == j)

    @staticmethod
    def mass(q):
        return np.ones(10)


class Masses:
    name, until, restitution = "120 masses", 2, 0.6
    i = np.arange(120)
    q, v = np.zeros(120), np.sin(0.1 * (i + 1)) * (1 + 0.5 * np.sin(2.0 * i))
    m = 1 + 0.5 * ((i + 1) % 3)

    @classmethod
    def acceleration(cls, t, q, v):
        d = np.diff(np.concatenate(([0], q, [0])))
        pull = 40 * d + 20 * d**3
        return (np.diff(pull) - q - 0.05 * v) / cls.m

    @staticmethod
    def gaps(q):
        return q + 0.25

    @staticmethod
    def gradient(j, q):
        return 1.0 * (np.arange(120) == j)

    @classmethod
    def mass(cls, q):
        return cls.m


class Gear:
    name, until, restitution = "gear", 30, 0.5
    q, v = np.array([0.0]), np.array([0.1])

    @staticmethod
    def acceleration(t, q, v):
        return -0.1 * v - 0.5 * np.sin(q) + 0.2 + 1.5 * np.cos(2 * t)

    @staticmethod
    def gaps(q):
        return np.array([0.4 - q[0], 0.4 + q[0]])

    @staticmethod
    def gradient(j, q):
        return np.array([-1.0 if j == 0 else 1.0])

    @staticmethod
    def mass(q):
        return np.ones(1)


def run(model, tolerance):
    n = len(model.q)
    events = []
    for j in range(len(model.gaps(model.q))):
        def event(t, y, j=j):
            return model.gaps(y[:n])[j]
        event.terminal, event.direction = True, -1
        events.append(event)

    def rhs(t, y):
        return np.concatenate((y[n:], model.acceleration(t, y[:n], y[n:])))

    t, y = 0, np.concatenate((model.q, model.v)).astype(float)
    evaluations = steps = impacts = 0
    while t < model.until:
        s = solve_ivp(rhs, (t, model.until), y, method="DOP853", rtol=max(tolerance, 2.5e-14), atol=tolerance,
                      events=events)
        evaluations, steps = evaluations + s.nfev, steps + len(s.t) - 1
        t, y = s.t[-1], s.y[:, -1].copy()
        if s.status != 1:
            break
        for j in (j for j, times in enumerate(s.t_events) if len(times)):
            impacts += 1
            G, q = model.gradient(j, y[:n]), y[:n]
            moved = G / model.mass(q)
            y[n:] -= (1 + model.restitution) * (G @ y[n:]) / (G @ moved) * moved
    return evaluations, steps, impacts, y


def main():
    for model in (Pendulum, Row, Masses, Gear):
        for tolerance in [10 ** (-k / 2) for k in range(6, 27)] + [2.5e-14]:
            begin = time.process_time()
            evaluations, steps, impacts, y = run(model, tolerance)
            seconds = time.process_time() - begin
            final = " ".join(f"{x:.17g}" for x in y)
            program = "check" if tolerance == 2.5e-14 else "DOP853"
            print(f"{model.name},{program},{tolerance:.3g},{evaluations},{steps},{impacts},{seconds:.4g},{final}",
                  flush=True)


main()
