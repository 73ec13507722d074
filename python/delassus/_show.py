"""Tables and pictures for notebooks: HTML and SVG, without any other package."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence


def text(content: str) -> str:
    return f'<pre style="line-height: 1.2">{html.escape(content)}</pre>'


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = ["<table><tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in head) + "</tr>"]
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{html.escape(_cell(v))}</td>" for v in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def curves(x: Sequence[float], series: dict[str, Sequence[float]], x_label: str, most: int = 600) -> str:
    """Curves over x as SVG; of many points those that stand for their column."""
    width, height, left, top = 480, 260, 60, 10
    finite = [v for values in series.values() for v in values if v == v and abs(v) < 1e300]
    if not finite or not len(x):
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20"></svg>'
    low, high, begin, end = min(finite), max(finite), float(x[0]), float(x[-1])
    rise, run = (high - low) or 1.0, (end - begin) or 1.0
    step = max(1, len(x) // most)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + left + 120}" height="{height + 50}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#999"/>']
    for k, (name, values) in enumerate(series.items()):
        colour = _COLOURS[k % len(_COLOURS)]
        points = " ".join(f"{left + width * (x[i] - begin) / run:.1f},"
                          f"{top + height * (high - values[i]) / rise:.1f}"
                          for i in range(0, len(x), step) if values[i] == values[i] and abs(values[i]) < 1e300)
        parts.append(f'<polyline fill="none" stroke="{colour}" points="{points}"/>')
        parts.append(f'<text x="{left + width + 6}" y="{top + 14 + 14 * k}" fill="{colour}">{html.escape(name)}</text>')
    for value, y in ((high, top + 8), (low, top + height)):
        parts.append(f'<text x="{left - 4}" y="{y}" text-anchor="end">{value:.4g}</text>')
    for value, at, anchor in ((begin, left, "start"), (end, left + width, "end")):
        parts.append(f'<text x="{at}" y="{top + height + 14}" text-anchor="{anchor}">{value:.4g}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{top + height + 28}" text-anchor="middle">{html.escape(x_label)}</text></svg>')
    return "\n".join(parts)


def colour_of(part: float) -> str:
    """From dark blue over green to yellow."""
    ends = ((68, 1, 84), (33, 145, 140), (253, 231, 37))
    part = min(1.0, max(0.0, part)) * 2
    a, b = ends[min(1, int(part))], ends[min(2, int(part) + 1)]
    return "#" + "".join(f"{round(p + (q - p) * (part - int(part))):02x}" for p, q in zip(a, b))


def grid(rows: Sequence[Sequence[float]], x: Sequence[float], y: Sequence[float], labels: tuple[str, str],
         title: str, names: dict[float, str] | None = None) -> str:
    """Cells of numbers as SVG; not a number is grey."""
    size, left, top = 320, 60, 24
    values = sorted({v for row in rows for v in row if v == v and abs(v) < 1e300})
    low, high = (values[0], values[-1]) if values else (0.0, 1.0)
    wide, tall = size / max(1, len(x)), size / max(1, len(y))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size + left + 130}" height="{size + 70}" '
             'font-family="sans-serif" font-size="11">', f'<text x="{left}" y="14">{html.escape(title)}</text>']
    for j, row in enumerate(rows):
        for i, value in enumerate(row):
            fill = "#ccc" if value != value else colour_of((min(value, high) - low) / ((high - low) or 1))
            parts.append(f'<rect x="{left + i * wide:.2f}" y="{top + size - (j + 1) * tall:.2f}" width="{wide + .3:.2f}" '
                         f'height="{tall + .3:.2f}" fill="{fill}"/>')
    shown = values if len(values) <= 8 else [low, (low + high) / 2, high]
    for k, value in enumerate(shown):
        colour = colour_of((value - low) / ((high - low) or 1))
        label = (names or {}).get(value, f"{value:.4g}")
        parts.append(f'<rect x="{left + size + 8}" y="{top + 16 * k}" width="10" height="10" fill="{colour}"/>'
                     f'<text x="{left + size + 22}" y="{top + 9 + 16 * k}">{html.escape(label)}</text>')
    for value, at in ((x[0], left), (x[-1], left + size - 24)):
        parts.append(f'<text x="{at}" y="{top + size + 14}">{value:.4g}</text>')
    for value, at in ((y[0], top + size), (y[-1], top + 10)):
        parts.append(f'<text x="{left - 4}" y="{at}" text-anchor="end">{value:.4g}</text>')
    parts.append(f'<text x="{left + size / 2}" y="{top + size + 30}" text-anchor="middle">{html.escape(labels[0])}</text>'
                 f'<text x="4" y="{top + size / 2}">{html.escape(labels[1])}</text></svg>')
    return "\n".join(parts)
