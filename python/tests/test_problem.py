"""One-step problems: manufactured solutions, files, arrays without copies, batches, derivatives."""

import os
import tempfile
import unittest

import numpy as np

import delassus as dls
from common import EXAMPLES, program

try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None


def manufactured(seed, contacts=4, dimension=3, modes=None, equations=0):
    """W definite, and (r, u) by construction: strictly complementary, in the modes that are asked for."""
    rng = np.random.default_rng(seed)
    d, n = dimension, dimension * contacts + equations
    A = rng.standard_normal((n, n + 2))
    W = A @ A.T / n + 0.5 * np.eye(n)
    mu = rng.uniform(0.2, 0.8, contacts)
    r, u = np.zeros(n), np.zeros(n)
    modes = modes or rng.choice(["open", "sticking", "sliding"], contacts)
    for c, mode in enumerate(modes):
        k = d * c
        direction = rng.standard_normal(d - 1)
        direction /= np.linalg.norm(direction)
        if mode == "open":
            u[k], u[k + 1:k + d] = rng.uniform(0.5, 2), rng.standard_normal(d - 1)
        else:
            r[k] = rng.uniform(0.5, 2)
            part = mu[c] * r[k] * (rng.uniform(0, 0.8) if mode == "sticking" else 1)
            r[k + 1:k + d] = part * direction
            if mode == "sliding":
                u[k + 1:k + d] = -rng.uniform(0.5, 2) * direction
    r[d * contacts:] = rng.standard_normal(equations)
    return W, u - W @ r, mu, r, u, list(modes)


class Solving(unittest.TestCase):
    def test_manufactured_solutions(self):
        for seed in range(40):
            d, equations = 2 + seed % 2, seed % 3
            W, q, mu, r, u, _ = manufactured(seed, 1 + seed % 5, d, equations=equations)
            s = dls.Problem(W, q, mu, dimension=d).solve(tol=1e-11)
            self.assertTrue(s.converged, s)
            self.assertLessEqual(s.error, 1e-11)
            np.testing.assert_allclose(W @ s.r + q, s.u, atol=1e-9)
            # of definite W solutions need not be unique, but most of these are
            errors, _ = dls.Problem(W, q, mu, dimension=d).residual(r)
            self.assertLess(errors["largest"], 1e-13)

    def test_forms_of_the_matrix(self):
        W, q, mu, *_ = manufactured(3)
        W = W + 1e-3 * np.triu(W)  # by rows and by columns are not the same
        expected = dls.Problem(W, q, mu).solve(tol=1e-10).r
        forms = [np.asfortranarray(W), W.tolist(), W.astype(np.longdouble)]
        if sparse:
            forms += [sparse.csc_matrix(W), sparse.csr_matrix(W), sparse.coo_matrix(W), sparse.csc_array(W)]
            wide = sparse.csc_matrix(W)
            wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
            forms.append(wide)
        for form in forms:
            p = dls.Problem(form, q, mu)
            np.testing.assert_array_equal(p.solve(tol=1e-10).r, expected, str(type(form)))
            np.testing.assert_allclose(p.matrix().toarray() if hasattr(p.matrix(), "toarray") else p.matrix(), W)

    def test_numbers_are_not_copied(self):
        W, q, mu, *_ = manufactured(4)
        dense, load = np.asfortranarray(W), q.copy()
        p = dls.Problem(dense, load, mu)
        first = p.solve(tol=1e-11).r
        load *= 2
        np.testing.assert_allclose(p.solve(tol=1e-11).r, 2 * first, rtol=1e-8)
        dense *= 2
        np.testing.assert_allclose(p.solve(tol=1e-11).r, first, rtol=1e-8)
        self.assertTrue(np.shares_memory(p.W[4], dense))
        if sparse:
            columns = sparse.csc_matrix(W)
            p = dls.Problem(columns, q, mu)
            self.assertTrue(np.shares_memory(p.W[4], columns.data))
            p.solve()
            columns.indices[:] = 10**6  # the solver has its own pattern
            p.solve()

    def test_the_global_form(self):
        rng = np.random.default_rng(1)
        M, H = np.diag(rng.uniform(1, 2, 6)), rng.standard_normal((6, 3))
        f, w, mu = rng.standard_normal(6), np.zeros(3), [0.3]
        s = dls.Problem(M=M, H=H, f=f, w=w, mu=mu).solve(tol=1e-10)
        self.assertTrue(s.converged)
        np.testing.assert_allclose(M @ s.v, H @ s.r + f, atol=1e-9)
        np.testing.assert_allclose(s.u, H.T @ s.v, atol=1e-9)
        local = dls.Problem(H.T @ np.linalg.inv(M) @ H, H.T @ np.linalg.inv(M) @ f, mu).solve(tol=1e-10)
        np.testing.assert_allclose(local.r, s.r, atol=1e-7)

    def test_history_and_words(self):
        W, q, mu, *_ = manufactured(7, 6)
        s = dls.Problem(W, q, mu).solve("gauss-seidel" if any(x[0] == "gauss-seidel" for x in dls.SOLVERS) else "auto",
                                        tol=1e-9, history=50)
        self.assertTrue(s.history)
        self.assertLessEqual(len(s.history), 50)
        self.assertEqual(s.errors["largest"], s.error)
        few = dls.Problem(W, q, mu).solve(tol=1e-300, max_iterations=1)
        self.assertFalse(few.converged)
        self.assertIn("Solution", repr(few))
        self.assertIn("converged", few._repr_html_())

    def test_it_is_not_converged_where_there_is_no_solution(self):
        s = dls.Problem([[0, 0], [0, 0]], [-1, 0], [0.5]).solve(time_limit=5)
        self.assertFalse(s.converged)

    def test_wrong_calls(self):
        W, q, mu, *_ = manufactured(1)
        for call in (lambda: dls.Problem(W, q[:-1], mu), lambda: dls.Problem(W[:-1], q, mu).solve(),
                     lambda: dls.Problem(W, q, -mu).solve(), lambda: dls.Problem(W, q * np.nan, mu).solve(),
                     lambda: dls.Problem(W, q, mu).solve("no such solver"),
                     lambda: dls.Problem(W, q, mu).solve(start=[1, 2]), lambda: dls.Problem(W, q, mu, dimension=4),
                     lambda: dls.Problem((12, 12, [0] * 13, [1], [1.0]), q, mu).solve(max_iterations=-1),
                     lambda: dls.Problem((12, 12, [0] * 12 + [200], [1], np.ones(1)), q, mu).solve(),
                     lambda: dls.Problem((12, 12, [0, 1] + [1] * 11, [77], np.ones(1)), q, mu).solve(),
                     lambda: dls.Problem((12, 12, [0, -5] + [1] * 11, [0], np.ones(1)), q, mu).solve(),
                     lambda: dls.Problem(W.astype(complex), q, mu), lambda: dls.Problem(W[0], q, mu)):
            with self.assertRaises((dls.Error, ValueError, TypeError)):
                call()
        with self.assertRaises(TypeError):
            dls.Problem(W, mu=mu)


class Files(unittest.TestCase):
    def test_fclib_there_and_back(self):
        path = EXAMPLES / "spheres.hdf5"
        p = dls.Problem.from_fclib(path)
        s = p.solve(tol=1e-8)
        theirs = program("solve", path)
        self.assertEqual((s.converged, s.error), (theirs["converged"], theirs["error"]))
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "copy.hdf5")
            p.to_fclib(copy, s)
            again = dls.Problem.from_fclib(copy)
        np.testing.assert_array_equal(again.stored["r"], s.r)
        np.testing.assert_array_equal(again.mu, p.mu)
        self.assertLessEqual(again.residual(again.stored["r"], again.stored.get("v"))[0]["largest"], 1e-8)

    def test_no_file(self):
        with self.assertRaises(dls.FileError) as caught:
            dls.Problem.from_fclib("nowhere.hdf5")
        self.assertIsInstance(caught.exception, OSError)


class Complementarity(unittest.TestCase):
    def test_random_problems(self):
        rng = np.random.default_rng(5)
        for n in (1, 3, 10):
            A = rng.standard_normal((n, n))
            M, q = A @ A.T + np.eye(n) + A - A.T, rng.standard_normal(n)
            s = dls.lcp(M, q, tol=1e-11)
            self.assertTrue(s.converged)
            np.testing.assert_allclose(s.w, M @ s.z + q, atol=1e-12)
            self.assertLess(np.abs(np.minimum(s.z, s.w)).max(), 1e-9)
        free = dls.lcp([[0, 1], [-1, 0]], [-1, 3], free=1, tol=1e-12)
        self.assertTrue(free.converged)
        np.testing.assert_allclose([free.w[0], min(free.w[1], free.z[1])], 0, atol=1e-8)

    def test_none(self):
        self.assertFalse(dls.lcp([[0.0]], [-1]).converged)
        with self.assertRaises(ValueError):
            dls.lcp([[1, 2]], [1, 2])


class Batches(unittest.TestCase):
    def test_one_by_one_is_the_same(self):
        problems = [manufactured(seed, 2, 3) for seed in range(50)]
        W, q, mu = (np.array([p[k] for p in problems]) for k in range(3))
        W[:, 0, 1] += 1e-3  # not symmetric: rows are rows
        batch = dls.solve_batch(W, q, mu, tol=1e-10)
        self.assertTrue(batch.converged.all())
        for k in range(50):
            alone = dls.Problem(W[k], q[k], mu[k])
            self.assertLessEqual(alone.residual(batch.r[k])[0]["largest"], 1e-10)

    def test_sizes(self):
        self.assertEqual(len(dls.solve_batch(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 1))).r), 0)
        with self.assertRaises(ValueError):
            dls.solve_batch(np.zeros((2, 3, 2)), np.zeros((2, 3)), np.zeros((2, 1)))
        W, q, mu = np.tile(np.eye(3), (3, 1, 1)), np.zeros((3, 3)), np.zeros((3, 1))
        for array, value in ((W, np.nan), (W, np.inf), (q, -np.inf), (q, np.nan), (mu, np.nan), (mu, -1)):
            kept = array[2].copy()
            array[2].flat[0] = value
            with self.assertRaisesRegex(dls.Error, "problem 2: "):
                dls.solve_batch(W, q, mu)
            array[2] = kept
        self.assertTrue(dls.solve_batch(W, q, mu).converged.all())


class Derivatives(unittest.TestCase):
    def differences(self, W, q, mu, d, dq, dmu, dW, h=1e-6):
        def at(t):
            s = dls.Problem(W + t * dW, q + t * dq, mu + t * dmu, dimension=d).solve(tol=1e-13, max_iterations=0)
            return s.r, s.u
        (r1, u1), (r0, u0) = at(h), at(-h)
        return (r1 - r0) / (2 * h), (u1 - u0) / (2 * h)

    def test_differences(self):
        rng = np.random.default_rng(0)
        tried = 0
        for seed in range(30):
            d = 2 + seed % 2
            W, q, mu, r, u, modes = manufactured(seed, 3, d, equations=seed % 2)
            s = dls.Problem(W, q, mu, dimension=d).solve(tol=1e-13)
            if np.abs(s.r - r).max() > 1e-6:
                continue
            dq, dmu, dW = rng.standard_normal(len(q)), rng.standard_normal(3), rng.standard_normal(W.shape)
            dr, du = s.derivative(dq=dq, dmu=dmu, dW=dW)
            r_h, u_h = self.differences(W, q, mu, d, dq, dmu, dW)
            np.testing.assert_allclose(dr, r_h, atol=2e-5 * (1 + np.abs(dr).max()), err_msg=f"{seed} {modes}")
            np.testing.assert_allclose(du, u_h, atol=2e-5 * (1 + np.abs(du).max()))
            by_r, by_u = rng.standard_normal(len(q)), rng.standard_normal(len(q))
            g = s.gradient(dr=by_r, du=by_u)
            forward = by_r @ dr + by_u @ du
            self.assertAlmostEqual(g["q"] @ dq + g["mu"] @ dmu + (g["W"] * dW).sum(), forward,
                                   delta=1e-9 * (1 + abs(forward)))
            tried += 1
        self.assertGreater(tried, 20)

    def test_the_global_form(self):
        rng, tried = np.random.default_rng(4), 0
        for _ in range(20):
            A = rng.standard_normal((9, 9))
            M, H = A @ A.T + np.eye(9) + 0.1 * (A - A.T), rng.standard_normal((9, 6))
            f, w, mu = 3 * rng.standard_normal(9), rng.standard_normal(6), rng.uniform(0.2, 0.8, 2)
            df, dw, dmu = rng.standard_normal(9), rng.standard_normal(6), rng.standard_normal(2)

            def at(t):
                return dls.Problem(M=M, H=H, f=f + t * df, w=w + t * dw, mu=mu + t * dmu).solve(tol=1e-13)

            s = at(0)
            try:
                dr, du = s.derivative(df=df, dw=dw, dmu=dmu)
            except dls.NotDifferentiable:
                continue
            np.testing.assert_allclose(dr, (at(1e-6).r - at(-1e-6).r) / 2e-6, atol=2e-5 * (1 + np.abs(dr).max()))
            by_r, by_u = rng.standard_normal(6), rng.standard_normal(6)
            g = s.gradient(dr=by_r, du=by_u)
            self.assertAlmostEqual(g["f"] @ df + g["w"] @ dw + g["mu"] @ dmu, by_r @ dr + by_u @ du, 8)
            with self.assertRaises(TypeError):
                s.derivative(dq=dw)
            tried += 1
        self.assertGreater(tried, 10)

    def test_units_do_not_matter(self):
        W, q, mu, *_ = manufactured(11, 3, 3)
        plain = dls.Problem(W, q, mu).solve(tol=1e-13).derivative(dq=q)
        scaled = dls.Problem(W * 1e-9, q * 1e-3, mu).solve(tol=1e-13).derivative(dq=q * 1e-3)
        np.testing.assert_allclose(scaled[0] * 1e-6, plain[0], atol=1e-8 * np.abs(plain[0]).max())

    def test_corners_are_named(self):
        eye = np.eye(4)
        for q, mu, contact in (([-1, 0.5, -1, 0.5], [0.8, 0.5], 1),   # 1 sticks at the limit
                               ([-1, 0.1, 0, 0.3], [0.5, 0.5], 1),    # touches without force
                               ([0, 0, -1, 2], [0.5, 0.5], 0)):
            s = dls.Problem(eye, q, mu).solve(tol=1e-12)
            self.assertTrue(s.converged)
            with self.assertRaises(dls.NotDifferentiable) as caught:
                s.derivative(dq=[1, 0, 0, 0])
            self.assertEqual(caught.exception.contact, contact)

    def test_what_has_no_derivative(self):
        hyperstatic = dls.Problem(np.ones((4, 4)), [-1.0, -1, -1, -1], [0.0, 0.0]).solve()
        if hyperstatic.converged:
            with self.assertRaises(dls.NotDifferentiable):
                hyperstatic.derivative(dq=[1, 0, 0, 0])
        impossible = dls.Problem([[0, 0], [0, 0]], [-1, 0], [0.5]).solve(time_limit=5)
        with self.assertRaises(dls.NotDifferentiable):
            impossible.derivative(dq=[1, 0])

    def test_contacts_without_friction(self):
        W, q = np.array([[2.0, 0.3], [0.3, 1]]), np.array([-1.0, 0.0])
        s = dls.Problem(W, q, [0.0]).solve(tol=1e-13)
        dr, _ = s.derivative(dq=[1, 0])
        np.testing.assert_allclose(dr, [-0.5, 0], atol=1e-9)
        self.assertTrue(np.isnan(s.gradient(dr=[1, 0])["mu"][0]))
        with self.assertRaises(dls.NotDifferentiable):
            s.derivative(dmu=[1])


if __name__ == "__main__":
    unittest.main()
