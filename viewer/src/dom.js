// Elements with texts; names from files only ever become texts.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child != null).map((c) => (c instanceof Node ? c : String(c))));
  return element;
}

export function number(x, digits = 5) {
  if (x == null || Number.isNaN(x)) return 'not known';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  const text = Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-4) ? x.toExponential(digits - 2) : String(Number(x.toPrecision(digits)));
  return text.replace('-', '−');
}

// Rows of a name and a value.
export function table(rows) {
  return make('dl', {}, ...rows.filter(Boolean).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}
