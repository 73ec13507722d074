// Recorded quantities over time, each with axes of its own, and the time cursor.
import {make, number} from './dom.js';
import {theme} from './colours.js';

const SHOWN_FIRST = 2;

export class Curves {
  constructor(data, player) {
    Object.assign(this, {data, player});
    this.element = make('section', {id: 'curves'});
    this.plots = make('div', {});
    this.shown = new Map();
    if (data.curves.length > 0 && !player.alternatives) {
      this.list = make('div', {class: 'choices'});
      let group = null;
      data.curves.forEach((curve, k) => {
        if (curve.group !== group) this.list.append(make('h3', {}, group = curve.group));
        const box = make('input', {type: 'checkbox', onchange: () => this.show(`curve ${k}`, box.checked ? this.recorded(k) : null)});
        this.list.append(make('label', {}, box, curve.name));
        const first = curve.group === 'energy' ? curve.name === 'energy' : k < SHOWN_FIRST;
        if (first && this.shown.size < SHOWN_FIRST) box.checked = true, this.shown.set(`curve ${k}`, this.recorded(k));
      });
      this.element.append(make('h2', {}, 'Curves'), this.plots,
        make('details', {}, make('summary', {}, 'choose'), this.list));
    } else this.element.append(this.plots);
    player.addEventListener('move', () => this.update());
    this.rebuild();
  }
  recorded(k) {
    const {frames} = this.data, values = this.data.arrays.curve.subarray(k * frames, (k + 1) * frames);
    return {name: this.data.curves[k].name, values};
  }
  // A curve under a key; null: none.
  show(key, curve) {
    if (curve) this.shown.set(key, curve);
    else this.shown.delete(key);
    this.rebuild();
  }
  rebuild() {
    this.plots.replaceChildren();
    this.drawn = [...this.shown.values()].map((curve, k) => {
      const canvas = make('canvas', {class: 'plot', role: 'img', 'aria-label': `${curve.name} over time`});
      const value = make('output', {});
      const pick = (e) => {
        const {player} = this, box = canvas.getBoundingClientRect();
        player.play(false);
        player.toTime(player.first + (e.clientX - box.left) / box.width * player.length);
      };
      canvas.addEventListener('pointerdown', (e) => { canvas.setPointerCapture(e.pointerId); pick(e); });
      canvas.addEventListener('pointermove', (e) => { if (e.buttons) pick(e); });
      this.plots.append(make('figure', {}, make('figcaption', {}, curve.name, value), canvas));
      return {curve, canvas, value, colour: k};
    });
    this.update();
  }
  update() { for (const plot of this.drawn ?? []) this.draw(plot); }
  draw({curve, canvas, value, colour}) {
    const {player} = this, ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    const {values} = curve, times = player.times;
    value.value = number(values[player.frame]);
    if (!w || !h) return;
    canvas.width = w * ratio, canvas.height = h * ratio;
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    let low = Infinity, high = -Infinity;
    for (const x of values) if (Number.isFinite(x)) low = Math.min(low, x), high = Math.max(high, x);
    if (!(high >= low)) return;
    if (high - low < 1e-9 * Math.max(Math.abs(high), 1e-300)) low -= Math.abs(low) * 0.05 + 1e-12, high += Math.abs(high) * 0.05 + 1e-12;
    const X = (t) => (player.length > 0 ? (t - player.first) / player.length : 0) * w;
    const Y = (y) => h - 4 - (y - low) / (high - low) * (h - 8);
    if (low < 0 && high > 0) {
      pen.strokeStyle = theme.grid;
      pen.beginPath(), pen.moveTo(0, Y(0)), pen.lineTo(w, Y(0)), pen.stroke();
    }
    pen.strokeStyle = theme.curve(colour);
    pen.lineWidth = 1.5;
    pen.beginPath();
    let up = true;
    for (let k = 0; k < values.length; k++) {
      if (!Number.isFinite(values[k])) up = true;
      else if (up) pen.moveTo(X(times[k]), Y(values[k])), up = false;
      else pen.lineTo(X(times[k]), Y(values[k]));
    }
    pen.stroke();
    pen.fillStyle = theme.ink;
    pen.globalAlpha = 0.65;
    pen.font = '10px system-ui, sans-serif';
    pen.fillText(number(high, 3), 2, 10);
    pen.fillText(number(low, 3), 2, h - 3);
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1;
    pen.beginPath(), pen.moveTo(X(player.t), 0), pen.lineTo(X(player.t), h), pen.stroke();
  }
}
