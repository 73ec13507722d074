"""What is written down runs: docstrings, the page, tutorials; and the command line; and all without NumPy."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest

import delassus
from common import SOURCE


def modules():
    for found in pkgutil.iter_modules(delassus.__path__):
        if not found.name.startswith("_"):
            yield importlib.import_module("delassus." + found.name)
    yield delassus


class Pages(unittest.TestCase):
    def test_docstrings(self):
        tried = 0
        for module in modules():
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            tried += result.attempted
        self.assertGreater(tried, 60)

    def test_everything_public_is_described(self):
        for name in delassus.__all__:
            thing = getattr(delassus, name)
            if isinstance(thing, type) or callable(thing):
                self.assertTrue(thing.__doc__, name)

    def test_the_page(self):
        text = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertGreater(len(blocks), 5)
        names = {}
        folder = os.getcwd()
        with tempfile.TemporaryDirectory() as empty:
            os.chdir(SOURCE / "examples")  # the page loads examples by their names
            try:
                for block in blocks:
                    parsed = doctest.DocTestParser().get_doctest(block, names, "docs/python.md", None, 0)
                    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(parsed, clear_globs=False)
                    names = parsed.globs
                    self.assertEqual(result.failed, 0, block)
            finally:
                os.chdir(folder)
            self.assertEqual(os.listdir(empty), [])

    def test_tutorials(self):
        scripts = sorted((SOURCE / "examples/python").glob("*.py"))
        self.assertGreater(len(scripts), 2)
        for script in scripts:
            with self.subTest(script=script.name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=200)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout)


class Pictures(unittest.TestCase):
    """By matplotlib and xarray, where they are."""

    def test_plots(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        m = delassus.Model(SOURCE / "examples/bouncing-ball.dls")
        run = m.simulate("radau5", 0.01, 1.5)
        for thing in (run, m.map(x=("q", 0, 1, 3), ask="acceleration_exists"),
                      m.map(x=("q", 0, 1, 3), y=("q'", 0, 1, 3), ask="acceleration_exists"),
                      m.order("radau5", [0.1, 0.05], 0.5)):
            figure, axes = plt.subplots()
            self.assertIs(thing.plot(axes=axes), axes)
            self.assertTrue(axes.lines or axes.collections)
            plt.close(figure)
        self.assertEqual(len(run.plot("q", "q'").lines), 2)
        with self.assertRaises(KeyError):
            run.plot("nothing")

    def test_datasets(self):
        try:
            import xarray  # noqa: F401
        except ImportError:
            self.skipTest("no xarray")
        data = delassus.Model(SOURCE / "examples/bouncing-ball.dls").simulate(until=0.1).to_xarray()
        self.assertEqual(len(data["q"]), 11)


class CommandLine(unittest.TestCase):
    def call(self, *words):
        return subprocess.run([sys.executable, "-m", "delassus", *words], capture_output=True, text=True)

    def test_it_is_the_program(self):
        self.assertIn(delassus.__version__, self.call("--version").stdout)
        self.assertEqual(self.call("check", "nowhere.dls").returncode, 2)

    def test_without_a_program(self):
        environment = {**os.environ, "DELASSUS": "/nowhere", "PATH": "/nowhere"}
        done = subprocess.run([sys.executable, "-m", "delassus", "--version"], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not installed", done.stderr)


WITHOUT = """
import sys
sys.modules["numpy"] = None
import delassus as dls
m = dls.Model.parse("coordinate y = 1\\nkinetic y'^2/2\\npotential 2*y\\nunilateral floor: y >= 0 { restitution 1/2 }")
run = m.simulate("radau5", 0.01, 1.5)
assert abs(run.events[0].t - 1) < 1e-8 and len(run.q["y"]) == len(run.t) == 151
assert abs(run.contacts["floor"].force[1]) < 1e-12
assert m.map(x=("y", 0, 1, 3), ask="acceleration_exists").answers() == ["yes"] * 3
assert m.map(x=("y", 0, 1, 3), y=("y'", [0]), ask="acceleration_exists").answers() == [["yes"] * 3]
s = dls.Problem([[1, 0], [0, 1]], [-1, 0.2], [0.5]).solve(tol=1e-10)
assert s.converged and abs(s.r[1] + 0.2) < 1e-9
assert dls.lcp([[2, 1], [1, 2]], [-5, -6]).converged
for step in m.stepper(0.1, until=0.3): pass
assert step.q["y"] < 1
w = dls.World(); w.add_body(1, 1); w.step(0.1); assert w.table[0, 3] == 1
assert "<svg" in run._repr_html_()
class Own(dls.System):
    coordinates = ("x",)
    def mass(self, t, q, v): return [[1.0]]
    def force(self, t, q, v): return [q[0]]
Own().simulate(step=0.1, until=1, at=([1.0], [0.0]))
try: s.derivative(dq=[1, 0])
except ImportError: print("done")
"""


class WithoutNumPy(unittest.TestCase):
    def test_the_rest_works(self):
        done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("done\n", ""))


class Types(unittest.TestCase):
    def test_stubs_name_what_the_extension_has(self):
        folder = pathlib.Path(delassus.__file__).parent
        stub = (folder / "_delassus.pyi").read_text(encoding="utf-8")
        self.assertTrue((folder / "py.typed").exists())
        for name in dir(delassus._delassus):
            if not name.startswith("__"):
                self.assertRegex(stub, rf"(?m)^(def|class) {name}\b|^{name}:")


if __name__ == "__main__":
    unittest.main()
