"""Models and checks: against closed forms, and against what the program says."""

import json
import math
import unittest

import numpy as np

import delassus as dls
from common import BLOCK, EXAMPLES, SOURCE, program


class Parsing(unittest.TestCase):
    def test_an_error_has_its_place(self):
        with self.assertRaises(dls.ModelError) as caught:
            dls.Model.parse("coordinate x\nkinetic x'^2/2\nforce y = 1", "wrong.dls")
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), ("wrong.dls", 3, 7))
        self.assertEqual(error.status, 4)
        message = str(error).split("\n")
        self.assertTrue(message[0].startswith("wrong.dls:3:7: "), message)
        self.assertEqual(message[2].index("^"), message[1].index("y"))
        self.assertTrue(error.reason)

    def test_several_errors(self):
        with self.assertRaises(dls.ModelError) as caught:
            dls.Model.parse("coordinate x\nkinetic x'^2/2\nforce y = 1\nforce z = 2")
        self.assertEqual([place[0] for place in caught.exception.places], [3, 4])

    def test_files_of_others_say_where_too(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/bad.xml"
            with open(path, "w", encoding="utf-8") as file:
                file.write("<mujoco>\n<worldbody><body><geom size='x'/></body></worldbody>\n</mujoco>")
            with self.assertRaises(dls.ModelError) as caught:
                dls.Model(path)
        self.assertEqual(caught.exception.line, 2)

    def test_no_file(self):
        with self.assertRaises(FileNotFoundError):
            dls.Model("nowhere.dls")
        with self.assertRaises(FileNotFoundError):
            dls.Model("nowhere.xml")

    def test_zero_bytes_and_other_rubbish(self):
        for text in ("\0", "coordinate x\0y", "\xff", ""):
            with self.assertRaises(dls.Error):
                dls.Model.parse(text)

    def test_examples_are_there(self):
        for path in sorted(EXAMPLES.glob("*.dls")):
            model = dls.Model(path)
            self.assertEqual(len(model.coordinates) >= len(model.velocities), True, path)
            self.assertEqual(len(set(model.parameters)), len(model.parameters))


class Parameters(unittest.TestCase):
    def test_numbers_and_expressions(self):
        m = dls.Model.parse(BLOCK)
        m["mu"] = 0.1
        m["g"] = "2*pi"
        self.assertEqual(m["mu"], 0.1)
        self.assertEqual(m["g"], 2 * math.pi)
        self.assertEqual(dict(m), {"m": 2, "g": 2 * math.pi, "mu": 0.1, "push": 0})
        with self.assertRaises(KeyError):
            m["nu"]
        with self.assertRaises(dls.ArgumentError):
            m["nu"] = 1
        with self.assertRaises(dls.ArgumentError):
            m["mu"] = "1 +"
        self.assertEqual(m["mu"], 0.1)

    def test_every_digit_arrives(self):
        m = dls.Model.parse(BLOCK)
        for value in (0.1, 1 / 3, 1e-300, 123456789.123456789):
            m["g"] = value
            self.assertEqual(m["g"], value)

    def test_expressions_mean_the_values_of_their_time(self):
        m = dls.Model.parse("parameter a = 1, b = 2, c = 2*a\ncoordinate x\nkinetic x'^2/2\nforce x = c")
        m["b"] = 3
        m["a"] = "2*b"
        m["b"] = 5
        for one in (m, m.copy()):
            self.assertEqual(dict(one), {"a": 6, "b": 5, "c": 12})
        self.assertAlmostEqual(m.simulate("herk4", 0.1, 1).v["x"][-1], 12, 12)
        for wrong in (math.inf, math.nan, "1e999", None, ""):
            with self.assertRaises((dls.ArgumentError, TypeError)):
                m["a"] = wrong
        self.assertEqual(m["a"], 6)

    def test_copies_are_on_their_own(self):
        m = dls.Model.parse(BLOCK)
        m["mu"] = 0.1
        other = m.copy()
        other["mu"] = 0.7
        self.assertEqual((m["mu"], other["mu"]), (0.1, 0.7))


class Checking(unittest.TestCase):
    def test_forces_of_a_block(self):
        m = dls.Model.parse(BLOCK)
        m["push"] = 3
        r = m.check()
        self.assertAlmostEqual(r.forces["floor"]["normal"], 2 * 9.81, 12)
        self.assertAlmostEqual(r.forces["floor"]["tangential"][0], -3, 12)
        self.assertEqual(r.acceleration_exists.answer, "yes")
        self.assertTrue(r.acceleration_unique)
        self.assertIs(r.require("acceleration_unique", "forces_unique"), r)
        m["push"] = 30
        self.assertAlmostEqual(m.check().acceleration["x"], (30 - 0.5 * 2 * 9.81) / 2, 12)

    def test_it_says_what_the_program_says(self):
        for name, at in (("ladder", "falling"), ("shelf", None), ("painleve-klein", None), ("hand", None),
                         ("newtons-cradle", None), ("three-finger", None), ("bouncing-ball", "q = 0, q' = -1")):
            path = EXAMPLES / (name + ".dls")
            theirs = program("check", path, *(["--at", at] if at else []))
            ours = dict(dls.Model(path).check(at=at))
            self.assertEqual(json.dumps(ours), json.dumps(theirs), name)

    def test_no_solution_is_a_result(self):
        # Painleve's rod where no acceleration exists
        m = dls.Model.parse("parameter mu = 3\ncoordinate x, y = cos(1), th = 1\nvelocity x = 1\n"
                            "kinetic (x'^2 + y'^2)/2 + th'^2/6\npotential 9.81*y\n"
                            "unilateral floor: y - cos(th) >= 0 { slip x' + cos(th)*th'; friction mu }")
        r = m.check()
        theirs = r.acceleration_exists.answer
        self.assertIn(theirs, ("yes", "no"))
        found = [k for k in np.linspace(0.1, 1.5, 60) if m.check(at=f"th = {k}, y = cos({k})").acceleration_exists.answer == "no"]
        if theirs == "no":
            found.append(1)
        self.assertTrue(found)
        r = m.check(at=f"th = {found[0]}, y = cos({found[0]})") if theirs != "no" else r
        self.assertEqual(r.solutions, [])
        self.assertIsNone(r.forces)
        self.assertTrue(r.verify())
        with self.assertRaises(dls.RequirementError):
            r.require("acceleration_exists")

    def test_questions_that_are_not_asked(self):
        r = dls.Model.parse(BLOCK).check()
        with self.assertRaises(AttributeError):
            r.form_closure
        with self.assertRaises(AttributeError):
            r.nonsense
        with self.assertRaises(dls.RequirementError):
            r.require("form_closure")
        with self.assertRaises(ValueError):
            r.require("acceleration_uniqe")

    def test_states(self):
        m = dls.Model(EXAMPLES / "ladder.dls")
        s = m.state("falling")
        self.assertEqual(s.v["theta"], 1)
        by_name, by_state = m.check("falling"), m.check(s)
        by_arrays = m.check((s.t, np.array(s.q.array), list(s.v.array)))
        for other in (by_state, by_arrays):
            self.assertEqual(other["solutions"], by_name["solutions"])
            self.assertTrue(other.verify())
        with self.assertRaises(dls.StateError):
            m.check("y = 0.2")
        self.assertLess(m.check("y = 0.2", project=True)["contacts"][1]["gap"], 1e-9)
        with self.assertRaises(ValueError):
            m.check(([0, 0], [0, 0, 0]))
        with self.assertRaises(dls.ArgumentError):
            m.check("nowhere")

    def test_verify_finds_a_forged_report(self):
        m = dls.Model.parse(BLOCK)
        r = m.check()
        self.assertTrue(r.verify())
        forged = json.loads(r.json)
        forged["solutions"][0]["forces"]["floor"]["normal"] += 1
        self.assertFalse(dls.Report(json.dumps(forged), "", m).verify())
        with self.assertRaises(dls.ArgumentError):
            dls.Report(json.dumps({"verdicts": {}, "model": "m"}), "", m).verify()

    def test_verify_knows_the_parameters_of_the_report(self):
        m = dls.Model.parse(BLOCK)
        m["m"], m["push"] = 5, 2
        r = m.check()
        m["m"] = 1
        self.assertTrue(r.verify())
        self.assertAlmostEqual(r.forces["floor"]["normal"], 5 * 9.81, 12)

    def test_an_impact(self):
        r = dls.Model(EXAMPLES / "newtons-cradle.dls").check()
        theirs = program("check", EXAMPLES / "newtons-cradle.dls")
        self.assertEqual(r.get("impact"), theirs.get("impact"))

    def test_matrices_and_tolerance(self):
        m = dls.Model.parse(BLOCK)
        self.assertEqual(np.array(m.check(matrices=True)["matrices"]["M"]).tolist(), [[2, 0], [0, 2]])
        self.assertEqual(m.check("y = 1e-5")["contacts"][0]["status"], "open")
        self.assertEqual(m.check("y = 1e-5", tolerance=1e-4)["contacts"][0]["status"], "sticking")

    def test_displays(self):
        m = dls.Model(EXAMPLES / "ladder.dls")
        self.assertIn("<svg", m.draw("falling"))
        self.assertIn("<svg", m._repr_html_())
        self.assertIsNone(dls.Model.parse(BLOCK).draw())
        self.assertIn("Can all contacts", m.check("leaning")._repr_html_())
        self.assertIn("mfcq", dls.explain("mfcq").lower())
        with self.assertRaises(KeyError):
            dls.explain("no such thing")


class Mapping(unittest.TestCase):
    def test_it_says_what_the_program_says(self):
        path = EXAMPLES / "painleve-klein.dls"
        model = dls.Model(path)
        state = model.states[0] if model.states else None
        names = [p for p in model.parameters if p.startswith("mu")][:2]
        call = ["map", path, *(["--at", state] if state else []), "--x", f"{names[0]}=0:4:6", "--y", f"{names[1]}=0:4:5",
                "--ask", "solution_count"]
        theirs = program(*call)
        grid = model.map(x=(names[0], 0, 4, 6), y=(names[1], 0, 4, 5), ask="solution_count", at=state, workers=2)
        rows = theirs["questions"][0]["values"]
        flat = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float)
        np.testing.assert_array_equal(flat, grid.values)

    def test_a_threshold(self):
        m = dls.Model.parse(BLOCK)
        m["push"] = 5
        grid = m.map(x=("mu", [0.1, 0.2, 0.3, 0.4]), ask=["can_all_stick", "friction.least_for_sticking"])
        need = 5 / (2 * 9.81)
        self.assertEqual(grid.answers(), ["yes" if mu > need else "no" for mu in (0.1, 0.2, 0.3, 0.4)])
        np.testing.assert_allclose(grid["friction.least_for_sticking"], need, rtol=1e-6)

    def test_where_there_is_no_state(self):
        grid = dls.Model.parse(BLOCK).map(x=("y", [-1, 0, 1]), ask="acceleration_exists")
        self.assertEqual(grid.answers(), ["", "yes", "yes"])
        self.assertIn("floor", grid.why[0, 0])

    def test_wrong_calls(self):
        m = dls.Model.parse(BLOCK)
        for wrong in (dict(x=("nu", 0, 1, 3)), dict(x=("mu", 0, 1, 3), ask="nothing"), dict(x=("mu", 0, 1, 1)),
                      dict(x=("mu", [])), dict(x=("mu", 0, 1, 3), object="hand")):
            with self.assertRaises(ValueError):
                m.map(**wrong)

    def test_displays(self):
        m = dls.Model.parse(BLOCK)
        self.assertIn("<svg", m.map(x=("mu", 0, 1, 3), ask="can_all_stick")._repr_html_())
        self.assertIn("<svg", m.map(x=("mu", 0, 1, 3), y=("push", 0, 9, 3), ask="can_all_stick")._repr_html_())
        self.assertTrue(SOURCE.exists())


if __name__ == "__main__":
    unittest.main()
