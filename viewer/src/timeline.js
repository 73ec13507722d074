// The bar below: play, frames, the place in time with the events on it, speed.
import {make, number} from './dom.js';
import {theme} from './colours.js';

const MARKS = {
  impact: {status: 2, shape: '▼'}, touch: {status: 2, shape: '▽'}, 'take-off': {status: 0, shape: '△'},
  stick: {status: 4, shape: '■'}, slip: {status: 3, shape: '◆'}, 'not determined': {status: 5, shape: '✱'},
};
const mark = (kind) => MARKS[kind] ?? {status: 1, shape: '●'};

export class Timeline {
  constructor(bar, data, player, actions) {
    Object.assign(this, {bar, data, player});
    if (player.alternatives) return this.makeChoices(actions);
    this.makeRun(actions);
  }
  makeRun(actions) {
    const {player} = this;
    const button = (label, title, onclick) => make('button', {type: 'button', title, 'aria-label': title, onclick}, label);
    this.playButton = button('▶', 'play or pause (space)', actions.toggle);
    this.slider = make('input', {type: 'range', min: 0, max: 1000000, step: 1, value: 0, 'aria-label': 'time',
      oninput: () => {
        const t = player.first + this.slider.value / 1e6 * player.length;  // pausing puts the slider back
        player.play(false);
        player.toTime(t);
      }});
    this.marks = make('canvas', {id: 'marks', 'aria-hidden': 'true'});
    this.clock = make('output', {id: 'clock'});
    this.speed = make('button', {type: 'button', title: 'speed: faster (]), slower ([)', onclick: () => player.setSpeed(1)});
    this.bar.append(this.playButton, button('◂', 'one frame back (←)', () => actions.step(-1)),
      button('▸', 'one frame on (→)', () => actions.step(1)),
      make('div', {id: 'track'}, this.marks, this.slider), this.clock,
      button('−', 'slower ([)', () => player.setSpeed(player.speed / 2)), this.speed,
      button('+', 'faster (])', () => player.setSpeed(player.speed * 2)), button('?', 'keys (?)', actions.help));
    const track = this.slider.parentElement;
    new ResizeObserver(() => this.drawMarks()).observe(track);
    track.addEventListener('mousemove', (e) => { track.title = this.eventAt(e.offsetX)?.text ?? ''; });
    player.addEventListener('move', () => this.update());
    player.addEventListener('state', () => this.update());
    this.update();
  }
  // One state: its solutions side by side.
  makeChoices(actions) {
    const {player, data} = this;
    this.choices = data.solutions.map((solution, k) => make('button', {type: 'button', title: `solution ${k + 1} (${k + 1})`,
      onclick: () => player.toFrame(k)}, solution.name));
    this.bar.append(make('span', {}, data.solutions.length > 1 ? 'solutions' : ''), ...this.choices, make('span', {class: 'stretch'}),
      make('button', {type: 'button', title: 'keys (?)', 'aria-label': 'keys (?)', onclick: actions.help}, '?'));
    const update = () => this.choices.forEach((c, k) => c.setAttribute('aria-pressed', k === player.frame));
    player.addEventListener('move', update);
    update();
  }
  update() {
    const {player} = this;
    const at = player.length > 0 ? (player.t - player.first) / player.length : 0;
    this.slider.value = Math.round(at * 1e6);
    this.slider.setAttribute('aria-valuetext', `t = ${number(player.t)}`);
    this.playButton.textContent = player.playing ? '‖' : '▶';
    this.clock.value = `t = ${number(player.t, 6)} of ${number(player.last)}`;
    this.clock.title = `frame ${player.frame + 1} of ${player.frames}`;
    this.speed.textContent = `×${number(player.speed, 3)}`;
  }
  place(t) {
    const {player} = this, width = this.marks.clientWidth;
    return 8 + (player.length > 0 ? (t - player.first) / player.length : 0) * (width - 16);
  }
  eventAt(x) {
    let best = null;
    for (const e of this.data.events) {
      const distance = Math.abs(this.place(e.t) - x);
      if (distance < 6 && (!best || distance < best.distance))
        best = {distance, event: e, text: `${e.kind}${e.name ? ` of ${e.name}` : ''}, t = ${number(e.t)}`};
    }
    return best;
  }
  drawMarks() {
    if (!this.marks) return;
    const canvas = this.marks, ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio, canvas.height = canvas.clientHeight * ratio;
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = '11px system-ui, sans-serif';
    pen.textAlign = 'center';
    const taken = new Set();
    for (const event of this.data.events) {
      const x = this.place(event.t), {status, shape} = mark(event.kind), key = `${Math.round(x)} ${shape}`;
      if (taken.has(key)) continue;
      taken.add(key);
      pen.fillStyle = theme.status(status);
      pen.fillText(shape, x, 10);
    }
  }
}
