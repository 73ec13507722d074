"""Memory, threads, interrupts: what is shown stays alive, what is dropped goes, work can be stopped."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref

import numpy as np

import delassus as dls
from common import BLOCK, EXAMPLES, SANITIZED
from test_own import Block
from test_problem import manufactured


def pages():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Lives(unittest.TestCase):
    def test_arrays_outlive_what_they_came_from(self):
        m = dls.Model.parse(BLOCK)
        run = m.simulate(until=0.5)
        x, normal, step = run.q["x"], run.contacts["floor"].normal, m.stepper(0.01)
        step.step()
        q, state = step.q.array, m.state()
        expected = (list(x), list(normal), list(q), list(state.q.array))
        del m, run, step
        gc.collect()
        junk = [bytearray(b"\xff" * 4096) for _ in range(1000)]
        self.assertEqual((list(x), list(normal), list(q), list(state.q.array)), expected)
        q[0] = 5  # they are the caller's
        del junk

    def test_a_stepper_keeps_its_model(self):
        step = dls.Model.parse(BLOCK).stepper(0.01)
        gc.collect()
        for _ in range(10):
            step.step()
        old = step.q
        step.step()
        self.assertIsNot(old, step.q)

    def test_problems_keep_their_numbers(self):
        W, q, mu, *_ = manufactured(2)
        p = dls.Problem(np.asfortranarray(W), q.copy(), mu.copy())
        expected = p.solve().r.tolist()
        del W, q, mu
        gc.collect()
        self.assertEqual(p.solve().r.tolist(), expected)
        s = p.solve()
        r = s.r
        del p, s
        gc.collect()
        self.assertEqual(r.tolist(), expected)

    def test_arrays_that_a_solver_uses_are_not_resized(self):
        load = bytearray(np.array([-1.0, 0.2]).tobytes())
        p = dls.Problem(np.eye(2), memoryview(load).cast("d"), [0.5])
        p.solve()
        with self.assertRaises(BufferError):
            load.clear()

    def test_another_array_is_another_problem(self):
        p = dls.Problem(np.eye(2), np.array([-1.0, 0]), [0.5])
        self.assertAlmostEqual(p.solve().r[0], 1)
        p.q = np.array([-3.0, 0])
        self.assertAlmostEqual(p.solve().r[0], 3)

    def test_cycles_are_found(self):
        class Own(Block):
            pass

        own = Own()
        own.stepping = own.stepper(0.01)  # the functions keep the object, which keeps the stepper
        gone = weakref.ref(own)
        del own
        gc.collect()
        self.assertIsNone(gone())

    def test_half_made_things_are_freed(self):
        for _ in range(300):
            for call in (lambda: dls.Model.parse("coordinate"), lambda: dls.Model.parse(BLOCK).stepper(-1),
                         lambda: dls.Problem([[1, 0], [0, 1]], [1, 2], [-1]).solve(), lambda: dls.World(tolerance=-1)):
                with self.assertRaises(dls.Error):
                    call()

    @unittest.skipIf(SANITIZED, "memory is not given back there")
    def test_no_leak_over_many_calls(self):
        m, own, world = dls.Model.parse(BLOCK), Block(), dls.World()
        body = world.add_body(1, 1)
        W, q, mu, *_ = manufactured(2, 1, 2)
        p = dls.Problem(W, q, mu)
        step = m.stepper(1e-6)

        def wrong():
            try:
                m["nothing"] = 1
            except dls.Error:
                pass

        calls = ((40, m.check), (40, lambda: m.simulate(until=0.03)), (40, own.check), (20, lambda: dls.Model.parse(BLOCK)),
                 (20000, p.solve), (20000, step.step), (20000, lambda: world.body(body)), (20000, lambda: m.__setitem__("mu", 0.4)),
                 (20000, lambda: m["mu"]), (2000, lambda: dls.lcp([[2.0]], [-1.0])), (2000, wrong),
                 (200, lambda: m.stepper(0.1).set_force("x", 1)), (2000, lambda: step.contacts), (1000, m.state))

        def go():
            for count, call in calls:
                for _ in range(count):
                    call()
            gc.collect()

        go()
        before = pages()
        go()
        self.assertLess(pages() - before, 600_000)


SLOW = """
import delassus as dls, threading, sys
m = dls.Model.parse("coordinate x = 1, y\\nkinetic (x'^2 + y'^2)/2\\npotential x^2*50 + y^2")
class Own(dls.System):
    coordinates = ("x",)
    def mass(self, t, q, v): return [[1.0]]
    def force(self, t, q, v): return [q[0]]
print("ready", flush=True)
try:
    WORK
except KeyboardInterrupt:
    print("stopped", flush=True)
m.check()
"""


class Interrupts(unittest.TestCase):
    def stop(self, work):
        with subprocess.Popen([sys.executable, "-c", SLOW.replace("WORK", work)], stdout=subprocess.PIPE, text=True) as child:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.4)
            child.send_signal(signal.SIGINT)
            began = time.monotonic()
            self.assertEqual(child.stdout.readline(), "stopped\n")
            self.assertLess(time.monotonic() - began, 5)
            self.assertEqual(child.wait(20), 0)

    def test_a_run(self):
        self.stop('m.simulate("herk4", 1e-7, 1e3, every=10**9)')

    def test_a_run_of_functions(self):
        self.stop("Own().simulate(step=1e-7, until=1e3)")

    def test_a_map(self):
        self.stop('m.map(x=("x", 0, 1, 2000), y=("y", 0, 1, 2000), workers=1)')

    def test_a_batch(self):
        self.stop("import numpy as np; dls.solve_batch(np.tile(np.eye(3), (10**6, 1, 1)), -np.ones((10**6, 3)), "
                  "np.full((10**6, 1), 0.5))")

    def test_measuring_order(self):
        self.stop('m.order("herk2", [1e-6, 1e-7], 100)')


class Threads(unittest.TestCase):
    def test_two_models_at_once_give_the_same(self):
        def work():
            m = dls.Model(EXAMPLES / "block-stack.dls")
            out.append((m.simulate(until=0.2).q.array.tolist(), m.check().json))

        out = []
        work()
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(out), 5)
        self.assertTrue(all(one == out[0] for one in out))

    def test_one_model_in_two_threads_is_asked_in_turn(self):
        m = dls.Model.parse(BLOCK)
        out = []
        threads = [threading.Thread(target=lambda: out.extend(m.check().json for _ in range(30))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(out), len(set(out))), (120, 1))

    def test_others_run_meanwhile(self):
        m = dls.Model.parse("coordinate x = 1\nkinetic x'^2/2\npotential x^2*50")
        done = threading.Event()

        def run():
            m.simulate("herk4", 1e-5, 8, every=10**6)
            done.set()

        thread = threading.Thread(target=run)
        thread.start()
        count = 0
        while not done.is_set():
            count += 1
            time.sleep(1e-4)
        thread.join()
        self.assertGreater(count, 20)

    def test_a_stepper_in_two_threads_says_so(self):
        class Waits(Block):
            def force(self, t, q, v):
                if self.waits:
                    inside.set()
                    leave.wait(10)
                return super().force(t, q, v)

        inside, leave, own = threading.Event(), threading.Event(), Waits()
        own.waits = False
        step = own.stepper(0.01)
        own.waits = True
        thread = threading.Thread(target=step.step)
        thread.start()
        inside.wait(10)
        own.waits = False
        for call in (step.step, lambda: step.t, lambda: step.q, lambda: step.counts, step.take_events,
                     lambda: step.set_force("x", 1)):
            with self.assertRaises(RuntimeError):
                call()
        leave.set()
        thread.join()
        self.assertGreater(step.t, 0)


if __name__ == "__main__":
    unittest.main()
