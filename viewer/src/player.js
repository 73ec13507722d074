// Where in time the page is: a frame, and how far on the way to the next one.

export class Player extends EventTarget {
  constructor(times, alternatives) {
    super();
    this.times = times;
    this.frames = times.length;
    this.alternatives = alternatives;  // frames are solutions of one state, not instants
    this.frame = 0;
    this.part = 0;
    this.playing = false;
    const length = this.length;
    // a whole run in about ten seconds, unless its own time is fine
    this.speed = length >= 1.5 && length <= 40 ? 1 : length > 0 ? nice(length / 8) : 1;
  }
  get first() { return this.times[0] ?? 0; }
  get last() { return this.times[this.frames - 1] ?? 0; }
  get length() { return this.last - this.first; }
  get t() {
    const {frame, part, times} = this;
    return part > 0 ? times[frame] + part * (times[frame + 1] - times[frame]) : times[frame];
  }
  changed() { this.dispatchEvent(new Event('move')); }
  state() { this.dispatchEvent(new Event('state')); }
  toFrame(frame) {
    this.frame = Math.max(0, Math.min(this.frames - 1, Math.round(frame) || 0));
    this.part = 0;
    this.changed();
  }
  toTime(t) {
    const times = this.times;
    if (!(t > times[0])) return this.toFrame(0);
    if (t >= this.last) return this.toFrame(this.frames - 1);
    let low = 0, high = this.frames - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle;
    }
    this.frame = low;
    const step = times[low + 1] - times[low];
    this.part = step > 0 ? (t - times[low]) / step : 0;
    this.changed();
  }
  play(on) {
    this.playing = on && !this.alternatives && this.length > 0;
    if (this.playing && this.t >= this.last) this.toFrame(0);
    this.state();
  }
  setSpeed(speed) {
    this.speed = Math.max(1e-6, Math.min(1e6, speed));
    this.state();
  }
  tick(seconds) {
    if (!this.playing) return;
    const t = this.t + seconds * this.speed;
    this.toTime(t);
    if (t >= this.last) this.play(false);
  }
}

// The nearest of 1, 2, 5 times a power of ten.
export function nice(x) {
  const power = 10 ** Math.floor(Math.log10(x)), ratio = x / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}
