"""Worlds and systems of one's own."""

import math
import unittest

import numpy as np

import delassus as dls
from common import BLOCK


class Block(dls.System):
    """That of common.BLOCK, in Python."""

    coordinates = ("x", "y")
    contacts = (dls.ContactInfo("floor", slips=1),)
    push = 0.0
    calls = 0

    def mass(self, t, q, v):
        self.calls += 1
        return 2 * np.eye(2)

    def force(self, t, q, v):
        return [-self.push, 2 * 9.81]

    def gap(self, t, q, v):
        return [q[1]]

    def gradient(self, t, q, v):
        return [[0, 1]]

    def slip_gradient(self, t, q, v):
        return [[1, 0]]

    def friction(self, t, q, v):
        return [0.5]


class Systems(unittest.TestCase):
    def test_it_is_the_model(self):
        own, model = Block(), dls.Model.parse(BLOCK)
        for push in (0, 3, 30):
            own.push, model["push"] = push, push
            a, b = own.check(), model.check()
            self.assertEqual(a.forces["floor"]["mode"], b.forces["floor"]["mode"])
            for name in ("x", "y"):
                self.assertAlmostEqual(a.acceleration[name], b.acceleration[name], 9)
            for scheme in ("moreau", "herk4", "schatzman-paoli"):
                one = own.simulate(scheme, 0.01, 0.3, at=([0, 0.1], [1, 0]))
                other = model.simulate(scheme, 0.01, 0.3, at="y = 0.1, x' = 1")
                np.testing.assert_allclose(one.q.array[-1], other.q.array[-1], atol=1e-9)

    def test_a_step_at_a_time(self):
        own = Block()
        step = own.stepper(0.01)
        step.set_force("x", 20)
        step.step()
        self.assertAlmostEqual(step.v["x"], (20 - 9.81) / 2 * 0.01)

    def test_what_is_raised_comes_out(self):
        class Broken(Block):
            def force(self, t, q, v):
                if t > self.until:
                    raise KeyError("out of order")
                return super().force(t, q, v)

        own = Broken()
        for until in (-1, 0.1):
            own.until = until
            with self.assertRaisesRegex(KeyError, "out of order"):
                own.simulate("moreau", 0.01, 1)
        own.until = -1
        with self.assertRaisesRegex(KeyError, "out of order"):
            own.check()
        own.until = 9
        self.assertAlmostEqual(own.check().forces["floor"]["normal"], 19.62, 9)
        own.until = 0.055
        step = own.stepper(0.01)
        with self.assertRaises(KeyError):
            for _ in range(20):
                step.step()

    def test_an_interrupt_in_a_function(self):
        class Stops(Block):
            def force(self, t, q, v):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            Stops().check()

    def test_wrong_numbers(self):
        cases = {"force": [1.0], "mass": [[1, 0]], "gap": [], "gradient": [[1]], "friction": "x", "slip_gradient": None}
        for name, value in cases.items():
            own = Block()
            setattr(own, name, lambda t, q, v, value=value: value)
            with self.assertRaises((ValueError, TypeError), msg=name):
                own.check()
        own = Block()
        own.force = lambda t, q, v: [math.nan, 0]
        with self.assertRaises(dls.NumberError):
            own.check()
        own = Block()
        own.contacts = (dls.ContactInfo("floor", slips=3),)
        with self.assertRaises(ValueError):
            own.check()
        with self.assertRaises(NotImplementedError):
            type("Empty", (dls.System,), {"coordinates": ("x",)})().check()
        with self.assertRaises(ValueError):
            type("None_", (dls.System,), {})().check()

    def test_schemes_with_derivatives_say_that_there_are_none(self):
        with self.assertRaises(dls.ArgumentError):
            Block().simulate("radau5", 0.01, 0.1)

    def test_a_function_that_asks_again(self):
        class Asks(Block):
            def force(self, t, q, v):
                self.inner = dls.Model.parse(BLOCK).check().forces["floor"]["normal"]
                return super().force(t, q, v)

        own = Asks()
        own.check()
        self.assertAlmostEqual(own.inner, 19.62)


class Worlds(unittest.TestCase):
    def test_a_sliding_box(self):
        world = dls.World(gravity=(0, 0, -10))
        box = world.add_body(2, (1, 1, 1), position=(0, 0, 0), velocity=(1, 0, 0))
        self.assertEqual((len(world), box), (1, 0))
        for _ in range(10):
            world.clear_contacts()
            # four corners, so that it does not turn
            for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
                at = world.body(0).position
                world.add_contact(0, dls.GROUND, (at[0] + x, at[1] + y, 0), (0, 0, 1), 0.0, friction=0.2, id=k + 1)
            step = world.step(0.01)
            self.assertTrue(step.converged)
        self.assertAlmostEqual(world.body(0).velocity[0], 1 - 0.2 * 10 * 0.1, 6)
        total = sum(world.impulse(k)[2] for k in range(4))
        self.assertAlmostEqual(total, 2 * 10 * 0.01, 7)
        self.assertEqual(world.table.shape, (1, 13))

    def test_changes(self):
        world = dls.World()
        body = world.add_body(1, 1)
        world.set_body(body, velocity=(1, 2, 3), mass=4)
        self.assertEqual((world.body(body).mass, list(world.body(body).velocity)), (4, [1, 2, 3]))
        world.set_force(body, force=(4, 0, 0))
        world.step(0.5)
        self.assertAlmostEqual(world.body(body).velocity[0], 1.5, 12)

    def test_wrong_calls(self):
        world = dls.World()
        body = world.add_body(1, 1)
        for call in (lambda: world.body(5), lambda: world.body(-1), lambda: world.add_body(-1, 1),
                     lambda: world.add_body(1, (1, 2)), lambda: world.add_body(1), lambda: world.step(-1),
                     lambda: world.add_contact(body, 7, (0, 0, 0), (0, 0, 1), 0), lambda: world.impulse(0),
                     lambda: world.add_contact(body, -1, (0, 0, 0), (0, 0, 0), 0), lambda: world.set_force(9),
                     lambda: dls.World(solver="none"), lambda: dls.World(tolerance=-1),
                     lambda: world.add_contact(body, -1, (0, 0), (0, 0, 1), 0)):
            with self.assertRaises((dls.Error, ValueError, IndexError, TypeError)):
                call()


if __name__ == "__main__":
    unittest.main()
