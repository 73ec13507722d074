"""Arrays: NumPy's where it is, else memoryviews of doubles. They own their numbers."""

from __future__ import annotations

from array import array
from typing import Any, Iterable, Sequence

try:
    import numpy as np
except ImportError:  # everything but gradients and pictures works without
    np = None  # type: ignore[assignment]

Array = Any  # numpy.ndarray, or a memoryview of doubles


def doubles(buffer: Any, shape: Sequence[int] | None = None) -> Array:
    """Bytes of the library as an array, which keeps them alive."""
    if np is not None:
        flat = np.frombuffer(buffer)
        return flat if shape is None else flat.reshape(shape)
    view = memoryview(buffer).cast("B")
    if shape is None or len(shape) == 1 or len(view) == 0:
        return view.cast("d")
    return view.cast("d", list(shape))


def zeros(*shape: int) -> Array:
    count = 1
    for size in shape:
        count *= size
    if np is not None:
        return np.zeros(shape)
    return doubles(bytearray(8 * count), shape)


def _real(values: Any) -> Any:
    if np.iscomplexobj(values):
        raise TypeError("expected real numbers")
    return values


def vector(values: Any) -> Array:
    """Numbers as contiguous doubles; without a copy where they are that already."""
    if np is not None:
        _real(values)
        return np.ascontiguousarray(values, dtype=float).reshape(-1)
    if isinstance(values, (array, memoryview, bytearray)):
        view = memoryview(values)
        if view.format == "d" and view.contiguous:
            return view
    if isinstance(values, (int, float)):
        return array("d", [values])
    return array("d", _flat(values))


def copy(values: Any) -> Array:
    """A writable copy."""
    return np.array(values, dtype=float) if np is not None else array("d", _flat(values))


def _flat(values: Iterable) -> Iterable[float]:
    for value in values:
        if isinstance(value, (int, float)):
            yield value
        else:
            yield from _flat(value)


def column(rows: Array, index: int, width: int) -> Array:
    """Column `index` of a table with that many columns."""
    if np is not None:
        return rows[:, index]
    flat = memoryview(rows).cast("B").cast("d") if len(memoryview(rows).shape) > 1 else rows
    return memoryview(array("d", list(flat)[index::width]))


def is_sparse(matrix: Any) -> bool:
    return hasattr(matrix, "tocsc")


def ints(values: Any) -> Any:
    if np is not None:
        return np.ascontiguousarray(values, dtype=np.int32)
    return array("i", values)


def compressed(matrix: Any) -> tuple:
    """(rows, columns, p, i, x) of a matrix, dense or scipy's. The numbers of a sparse one in
    compressed columns, and those of a dense one that is stored by columns, are not copied."""
    if isinstance(matrix, tuple) and len(matrix) == 5:
        rows, cols, p, i, x = matrix
        return rows, cols, ints(p) if not isinstance(p, array) else p, i, x
    if is_sparse(matrix):
        sparse = matrix.tocsc()
        if not sparse.has_canonical_format:
            sparse = sparse.copy()
            sparse.sum_duplicates()
        return (*sparse.shape, ints(sparse.indptr), ints(sparse.indices),
                np.ascontiguousarray(_real(sparse.data), dtype=float))
    if np is not None:
        dense = np.asfortranarray(_real(matrix), dtype=float)
        if dense.ndim != 2:
            raise ValueError("expected a matrix: two dimensions, or a sparse one of scipy")
        rows, cols = dense.shape
        p = np.arange(cols + 1, dtype=np.int32) * np.int32(rows)
        return rows, cols, p, np.tile(np.arange(rows, dtype=np.int32), cols), dense.reshape(-1, order="F")
    table = [list(row) for row in (matrix.tolist() if hasattr(matrix, "tolist") else matrix)]
    rows, cols = len(table), len(table[0]) if table else 0
    if any(len(row) != cols for row in table):
        raise ValueError("the rows of the matrix have different lengths")
    return (rows, cols, array("i", range(0, rows * cols + 1, rows) if rows else [0] * (cols + 1)),
            array("i", list(range(rows)) * cols),
            array("d", [table[i][j] for j in range(cols) for i in range(rows)]))
