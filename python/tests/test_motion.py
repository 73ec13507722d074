"""Motions: against closed forms, and against the rows that the program writes."""

import csv
import math
import os
import subprocess
import tempfile
import unittest

import numpy as np

import delassus as dls
from common import BLOCK, EXAMPLES, program

BALL = "coordinate y = 1\nkinetic y'^2/2\npotential 2*y\nunilateral floor: y >= 0 { restitution 1/2 }"
BODIES = """<mujoco><option gravity="0 0 -9.81"/><worldbody><geom type="plane" size="5 5 .1"/>
<body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>
<body name="arm" pos="2 0 1"><joint name="elbow" type="hinge" axis="0 1 0"/><geom type="sphere" size=".1" mass="1" pos=".5 0 0"/></body>
</worldbody><actuator><motor name="motor" joint="elbow"/></actuator></mujoco>"""


def bodies():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bodies.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(BODIES)
        return dls.Model(path)


class Runs(unittest.TestCase):
    def test_a_bouncing_ball(self):
        run = dls.Model.parse(BALL).simulate(scheme="radau5", step=1e-2, until=2.9)
        impacts = [event.t for event in run.events if event.kind == "impact"]
        np.testing.assert_allclose(impacts[:4], [1, 2, 2.5, 2.75], atol=1e-8)
        first = run.events[0]
        np.testing.assert_allclose([first.v_before[0], first.v_after[0], first.impulse[0]], [-2, 1, 3], atol=1e-8)
        self.assertIsNone(run.failure)
        # all momentum: gravity and what the floor gave
        t, v = run.t, run.v["y"]
        self.assertAlmostEqual(v[-1] - v[0], run.contacts["floor"].normal.sum() - 2 * (t[-1] - t[0]), 9)

    def test_rows_are_those_of_the_program(self):
        for name, scheme in (("bouncing-ball", "moreau"), ("block-stack", "moreau"), ("stick-slip", "radau5"),
                             ("chain", "herk4")):
            with tempfile.TemporaryDirectory() as folder:
                out = folder + "/run.csv"
                subprocess.run([os.environ["DELASSUS"], "simulate", EXAMPLES / (name + ".dls"), "--scheme", scheme,
                                "--step", "0.01", "--until", "0.3", "--quiet", "-o", out], check=True)
                with open(out, encoding="utf-8") as file:
                    rows = [row for row in csv.DictReader(file)]
            model = dls.Model(EXAMPLES / (name + ".dls"))
            run = model.simulate(scheme, 0.01, 0.3)
            rows = [row for row in rows if float(row["step"]) > 0]  # rows of events have no step
            self.assertEqual([float(row["t"]) for row in rows], list(run.t), name)
            for x in model.velocities:
                self.assertEqual([float(row[x]) for row in rows], list(run.q[x]), (name, x))
                self.assertEqual([float(row[x + "'"]) for row in rows], list(run.v[x]), (name, x))
            if not run.events:
                for contact in model.contacts:
                    self.assertEqual([float(row[contact[0] + ".impulse_n"]) for row in rows],
                                     list(run.contacts[contact[0]].normal), name)
            for output in model.outputs:
                np.testing.assert_equal([float(row[output]) for row in rows], run.outputs[output])

    def test_thinned_rows_lose_no_impulse(self):
        m = dls.Model.parse(BLOCK)
        all_rows, some = m.simulate(step=0.01, until=1), m.simulate(step=0.01, until=1, every=7)
        self.assertEqual(len(some), 1 + math.ceil(100 / 7))
        np.testing.assert_allclose(some.contacts["floor"].normal.sum(), all_rows.contacts["floor"].normal.sum())
        self.assertEqual(some.q["y"][-1], all_rows.q["y"][-1])
        np.testing.assert_allclose(some.contacts["floor"].force[1:], 2 * 9.81)

    def test_energy_and_final_state(self):
        run = dls.Model.parse(BALL).simulate(step=1e-2, until=0.5, energy=True)
        np.testing.assert_allclose(run.energy["kinetic"] + run.energy["potential"], 2, atol=0.05)
        self.assertEqual(run.final.t, run.t[-1])
        again = dls.Model.parse(BALL).simulate(step=1e-2, until=1.0, at=run.final)
        self.assertEqual(again.t[0], run.t[-1])

    def test_events_of_the_model_end_a_run(self):
        m = dls.Model.parse("coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nevent low: x = 0 { falling; stop }")
        self.assertEqual(m.events, ("low",))
        run = m.simulate("radau5", 0.1, 10)
        self.assertTrue(run.stopped)
        self.assertEqual(run.events[-1].kind, "crossing")
        self.assertAlmostEqual(run.events[-1].t, math.pi / 2, 8)

    def test_a_motion_that_cannot_go_on(self):
        m = dls.Model.parse("coordinate x = 1\nkinetic x'^2/2\nforce x = 1/(0.5 - t)^2*0 + log(0.5 - t)")
        with self.assertRaises(dls.MotionError) as caught:
            m.simulate("radau5", 0.1, 1)
        self.assertLess(caught.exception.run.t[-1], 0.51)
        self.assertIn("t =", str(caught.exception))
        self.assertTrue(m.simulate("radau5", 0.1, 1, strict=False).failure)

    def test_wrong_calls(self):
        m = dls.Model.parse(BLOCK)
        with self.assertRaises(dls.ArgumentError):
            m.simulate("moreaux")
        with self.assertRaises(TypeError):
            m.simulate(thetta=1)
        with self.assertRaises(ValueError):
            m.simulate(every=0)
        with self.assertRaises(dls.StateError):
            m.simulate(at="y = -1")
        for step in (0, -1, math.nan):
            with self.assertRaises(dls.ArgumentError):
                m.simulate(step=step)

    def test_contacts_come_and_go(self):
        run = bodies().simulate(step=5e-3, until=1)
        name = [n for n in run.contacts if "ball" in n]
        self.assertEqual(len(name), 1)
        contact = run.contacts[name[0]]
        self.assertEqual(len(contact.status), len(run))
        self.assertAlmostEqual(contact.normal.sum(), 9.81 + run.v.array[-1][2], 6)
        self.assertIn("absent", contact.status + ["absent"])

    def test_displays(self):
        self.assertIn("<svg", dls.Model.parse(BALL).simulate(until=0.1)._repr_html_())


class Steps(unittest.TestCase):
    def test_steps_are_those_of_a_run(self):
        for scheme in ("moreau", "radau5", "herk4"):
            m = dls.Model.parse(BALL)
            run = m.simulate(scheme, 0.01, 1.5)
            times, heights, pushed = [0.0], [1.0], 0
            for step in m.stepper(0.01, scheme=scheme, until=1.5):
                times.append(step.t)
                heights.append(step.q["y"])
                pushed += step.contacts["floor"].normal
            self.assertEqual(times, list(run.t))
            self.assertEqual(heights, list(run.q["y"]))
            self.assertAlmostEqual(pushed, run.contacts["floor"].normal.sum(), 12)

    def test_a_force_is_that_of_the_model(self):
        text = BLOCK + "coordinate z\nkinetic z'^2/2\n"
        for scheme in [s[0] for s in dls.SCHEMES]:
            with self.subTest(scheme=scheme):
                pushed, own = dls.Model.parse(text), dls.Model.parse(text)
                own["push"] = 13
                a, b = pushed.stepper(0.01, scheme=scheme), own.stepper(0.01, scheme=scheme)
                a.set_force("x", 13)
                for _ in range(20):
                    a.step(), b.step()
                self.assertEqual((a.t, a.q["x"], a.v["x"]), (b.t, b.q["x"], b.v["x"]))
                self.assertGreater(a.q["x"], 0)

    def test_a_parameter_counts_from_the_next_step_on(self):
        changes = ({"m": 3}, {"mu": 0.01}, {"push": 4}, {"g": 3}, {"m": 2.5, "push": 7})
        for scheme in ("moreau", "moreau-projected", "lcp", "radau3", "radau5", "lobatto4", "herk4", "herk8"):
            for change in changes:
                with self.subTest(scheme=scheme, change=change):
                    m, fresh = dls.Model.parse(BLOCK), dls.Model.parse(BLOCK)
                    a = m.stepper(0.01, scheme=scheme, at="x' = 1")
                    for _ in range(10):
                        a.step()
                    state = a.state
                    for name, value in change.items():
                        a[name] = value
                        fresh[name] = value
                    b = fresh.stepper(0.01, scheme=scheme, at=state)
                    for _ in range(15):
                        a.step(), b.step()
                    np.testing.assert_allclose([a.t, *a.q.array, *a.v.array], [b.t, *b.q.array, *b.v.array], atol=1e-9)
                    self.assertEqual(m["mu"], 0.5)  # the model itself stays

    def test_a_motor(self):
        m = bodies()
        self.assertIn("elbow", m.velocities)
        control = [name for name in m.parameters if "motor" in name]
        self.assertEqual(len(control), 1)
        by_control, by_force = m.stepper(4e-3), m.stepper(4e-3)
        for k in range(150):
            torque = math.sin(0.1 * k)
            by_control[control[0]] = torque
            by_force.set_force("elbow", torque)
            by_control.step(), by_force.step()
        self.assertAlmostEqual(by_control.q["elbow"], by_force.q["elbow"], 12)
        self.assertTrue(by_control.contacts)  # the ball has come down meanwhile
        without = m.stepper(4e-3)
        for _ in range(150):
            without.step()
        self.assertGreater(abs(without.q["elbow"] - by_force.q["elbow"]), 1e-5)

    def test_numbers_of_bodies_may_change(self):
        m = dls.Model.parse("parameter mass = 1, mu = 0.5, tilt = 0\ngravity 0, 0, -9.81\n"
                            "body box { box 2, 2, 2; mass mass; position 0, 0, 1; velocity 3, 0, 0 }\n"
                            "fixed ground { plane 0, 0, 1 }\ncontact * * { friction mu }\nforce box = (tilt, 0, 0)")
        step = m.stepper(1e-2)
        for k in range(20):
            step["mass"] = 1 + 0.1 * k
            step["mu"] = 0.5 if k < 10 else 0.0
            before = step.v.array[0]
            step.step()
            self.assertAlmostEqual(before - step.v.array[0], 9.81 * (0.5 if k < 10 else 0) * 1e-2, 6)
            total = sum(contact.normal for contact in step.contacts.values())
            self.assertAlmostEqual(total, (1 + 0.1 * k) * 9.81 * 1e-2, 6)

    def test_a_force_on_a_body_that_moves(self):
        m = bodies()
        step = m.stepper(1e-3)
        up = [name for name in m.velocities if name in m.coordinates and "ball" in name]
        for name in m.velocities:
            if name not in m.coordinates:
                with self.assertRaises(ValueError):
                    step.set_force(name, 1)
        if len(up) >= 3:
            step.set_force(up[2], 9.81)
            for _ in range(50):
                step.step()
            self.assertAlmostEqual(step.q[up[2]], 1, 9)

    def test_wrong_calls(self):
        step = dls.Model.parse(BLOCK).stepper(0.01)
        with self.assertRaises(KeyError):
            step.set_force("nothing", 1)
        with self.assertRaises(ValueError):
            step.set_force("x", math.nan)
        with self.assertRaises(dls.ArgumentError):
            step["nothing"] = 1
        self.assertEqual(step.step().t, 0.01)


class Orders(unittest.TestCase):
    def test_what_the_program_says(self):
        path = EXAMPLES / "bouncing-ball.dls"
        theirs = program("order", path, "--scheme", "radau5", "--steps", "0.1:0.025:3", "--until", "2.5")
        steps = [run["step"] for run in theirs["runs"]]
        ours = dls.Model(path).order("radau5", steps, 2.5)
        for a, b in zip(ours.runs, theirs["runs"]):
            self.assertEqual(a["error_q"], b["error_q"])
            self.assertEqual(a["rhs_evaluations"], b["rhs_evaluations"])
        self.assertIn("order", ours._repr_html_())


if __name__ == "__main__":
    unittest.main()
