// The page: reads the data, makes the parts, and keeps them in step.
import * as THREE from 'three';
import {Bodies} from './bodies.js';
import {statuses, theme, UNDETERMINED} from './colours.js';
import {Contacts} from './contacts.js';
import {Curves} from './curves.js';
import {readData} from './data.js';
import {make} from './dom.js';
import {Drawing} from './drawing.js';
import {addKeys} from './keys.js';
import {Panel} from './panel.js';
import {Player} from './player.js';
import {Poses} from './poses.js';
import {Timeline} from './timeline.js';
import {World} from './world.js';

const $ = (id) => document.getElementById(id);
const LABELS_MOST = 60;

// What the motion needs, without planes.
function boxOf(data) {
  const box = new THREE.Box3(), point = new THREE.Vector3(), {frames, arrays} = data;
  const every = Math.max(1, Math.floor(frames / 50));
  const reach = data.bodies.map(() => 0);
  const add = (x, y, z, r) => {
    if (!Number.isFinite(x + y + z)) return;
    box.expandByPoint(point.set(x - r, y - r, z - r));
    box.expandByPoint(point.set(x + r, y + r, z + r));
  };
  for (const solid of data.solids) {
    if (solid.kind === 'plane') continue;
    const points = solid.points ? arrays[solid.points] : null;
    const size = points ? points.reduce((m, x) => Math.max(m, Math.abs(x)), 0)
      : solid.kind === 'box' ? Math.hypot(...solid.size) / 2 : Math.max(...solid.size);
    if (solid.body < 0) add(...solid.position, size);
    else reach[solid.body] = Math.max(reach[solid.body], Math.hypot(...solid.position) + size);
  }
  const at = (b, k, f) => arrays.pose[(7 * b + k) * frames + f];
  for (let b = 0; b < data.bodies.length; b++)
    for (let f = 0; f < frames; f += every) add(at(b, 0, f), at(b, 1, f), at(b, 2, f), reach[b]);
  const number = (s, k, f) => arrays.shape[(9 * s + k) * frames + f];
  data.shapes.forEach((shape, s) => {
    if (shape.kind === 'force') return;
    for (let f = 0; f < frames; f += every) {
      if (!arrays.visible[s * frames + f]) continue;
      const r = shape.kind === 'disc' ? number(s, 6, f) : shape.kind === 'box' ? Math.hypot(number(s, 6, f), number(s, 7, f)) / 2 : 0;
      add(number(s, 0, f), number(s, 1, f), number(s, 2, f), r);
      if (shape.kind === 'segment' || shape.kind === 'spring') add(number(s, 3, f), number(s, 4, f), number(s, 5, f), 0);
    }
  });
  if (box.isEmpty()) box.set(point.set(-1, -1, data.space === 2 ? 0 : -1).clone(), new THREE.Vector3(1, 1, data.space === 2 ? 0 : 1));
  return box;
}

class Page {
  constructor(data) {
    this.data = data;
    const box = boxOf(data), extent = Math.max(box.getSize(new THREE.Vector3()).length() / 1.8, 1e-12);
    theme.dark = matchMedia('(prefers-color-scheme: dark)').matches;
    document.title = data.title || 'delassus';
    $('title').textContent = data.title;
    $('subtitle').textContent = data.subtitle;
    const player = this.player = new Player(data.arrays.t, data.solutions.length > 0);
    this.poses = new Poses(data, player);
    this.bodies = new Bodies(data, this.poses, extent);
    this.drawing = new Drawing(data, player, extent);
    this.contacts = new Contacts(data, player, extent);
    this.curves = new Curves(data, player);
    const redraw = () => { this.stale = true; };
    this.panel = new Panel($('panel'), {data, player, poses: this.poses, contacts: this.contacts, curves: this.curves,
      redraw, choose: (key) => this.choose(key)});
    this.world = new World($('stage'), data, box);
    this.world.scene.add(this.bodies.group, this.drawing.group, this.contacts.group);
    const actions = this.actions();
    this.timeline = new Timeline($('bar'), data, player, actions);
    addKeys($('help'), actions);
    this.makeLabels();
    this.makeLegend();
    this.addPointer();
    this.recolour();
    this.chosen = null;
    this.glass = 0;
    player.addEventListener('move', redraw);
    player.addEventListener('move', () => this.panel.update());
    this.stale = true;
    this.last = performance.now();
    requestAnimationFrame(this.loop);
    if (!player.alternatives && player.frames > 1 && !matchMedia('(prefers-reduced-motion: reduce)').matches &&
        !location.hash.includes('still')) player.play(true);
  }
  loop = (now) => {
    this.player.tick(Math.min(0.1, (now - this.last) / 1000));
    this.last = now;
    this.draw();
    requestAnimationFrame(this.loop);
  };
  draw() {
    if (this.stale) {
      this.bodies.update();
      this.drawing.update();
      this.contacts.update();
      this.keepUp();
    }
    this.world.controls.update();
    if (this.stale || this.world.dirty) {
      this.world.render();
      this.placeLabels();
    }
    this.stale = false;
  }
  // The camera goes where the followed body goes.
  keepUp() {
    if (this.followed == null) return;
    const now = this.poses.position(this.followed);
    this.world.shift(now.clone().sub(this.followedAt));
    this.followedAt = now;
  }
  actions() {
    const {player} = this;
    const turn = (k, n) => ((k % n) + n) % n;
    return {
      toggle: () => player.play(!player.playing),
      step: (by) => { player.play(false); player.toFrame(player.frame + (by < 0 && player.part > 0 ? 0 : by)); },
      event: (by) => {
        const others = this.data.events.filter((e) => (by > 0 ? e.t > player.t + 1e-12 : e.t < player.t - 1e-12));
        if (others.length) player.play(false), player.toTime(by > 0 ? others[0].t : others[others.length - 1].t);
      },
      end: (last) => { player.play(false); player.toFrame(last ? player.frames - 1 : 0); },
      faster: (factor) => player.setSpeed(player.speed * factor),
      next: (kind) => {
        const names = kind === 'body' ? this.data.bodies : this.data.contacts;
        const from = this.chosen?.kind === kind ? this.chosen.index : -1;
        if (names.length) this.choose(`${kind} ${turn(from + 1, names.length)}`);
      },
      choose: (key) => this.choose(key),
      follow: () => {
        const body = this.chosen?.kind === 'body' && this.chosen.index !== this.followed ? this.chosen.index : null;
        this.followed = body;
        this.followedAt = body == null ? null : this.poses.position(body);
      },
      fit: () => { this.followed = null; this.world.fit(); },
      flip: (what) => { this.contacts[what] = !this.contacts[what]; this.stale = true; },
      scale: (by) => { if (this.panel.scale) this.panel.setScale(Number(this.panel.scale.value) + by); },
      labels: () => { this.labelled = !this.labelled; this.placeLabels(); },
      glass: () => this.setGlass((this.glass + 1) % 3),
      theme: () => { theme.dark = !theme.dark; this.recolour(); },
      panel: () => { document.body.classList.toggle('bare'); },
      help: () => { $('help').showModal(); },
      solution: player.alternatives ? (k) => player.toFrame(k) : null,
    };
  }
  setGlass(glass) {
    this.glass = glass;
    for (const mesh of this.bodies.meshes) {
      mesh.visible = glass < 2;
      mesh.material.transparent = glass === 1;
      mesh.material.opacity = glass === 1 ? 0.35 : 1;
      mesh.material.depthWrite = glass !== 1;
      mesh.material.needsUpdate = true;
    }
    this.stale = true;
  }
  // "body 3", "contact 0" or "".
  choose(key) {
    const [kind, index] = key.split(' ');
    this.chosen = key ? {kind, index: Number(index)} : null;
    this.bodies.choose(kind === 'body' ? Number(index) : -1);
    this.contacts.chosen = kind === 'contact' ? Number(index) : -1;
    this.panel.tell(this.chosen);
    this.showCurves();
    this.stale = true;
  }
  // Of what is chosen.
  showCurves() {
    const {chosen, data, contacts, curves} = this;
    for (const key of [...curves.shown.keys()]) if (key.startsWith('chosen')) curves.shown.delete(key);
    if (chosen && !this.player.alternatives) {
      if (chosen.kind === 'body')
        ['x', 'y', 'z'].forEach((axis, k) => curves.shown.set(`chosen ${k}`, {name: `${data.bodies[chosen.index]} ${axis}`,
          values: this.poses.values.subarray((7 * chosen.index + k) * data.frames, (7 * chosen.index + k + 1) * data.frames)}));
      else
        ['normal force', 'tangential force'].forEach((what, k) => curves.shown.set(`chosen ${k}`, {
          name: `${data.contacts[chosen.index]}: ${what}`, values: Float32Array.from({length: data.frames}, (_, frame) => {
            const i = contacts.find(chosen.index, frame);
            if (i < 0) return 0;
            if (contacts.percussion(i)) return NaN;
            return k === 0 ? contacts.value(i, 0) : Math.hypot(contacts.value(i, 1), contacts.value(i, 2));
          })}));
    }
    curves.rebuild();
  }
  addPointer() {
    const {world} = this, canvas = world.renderer.domElement;
    let down = null;
    canvas.addEventListener('pointerdown', (e) => { down = [e.offsetX, e.offsetY]; });
    canvas.addEventListener('pointerup', (e) => {
      if (down && Math.hypot(e.offsetX - down[0], e.offsetY - down[1]) < 4) this.pick(e.offsetX, e.offsetY);
      down = null;
    });
  }
  pick(x, y) {
    const contact = this.contacts.nearest(this.world.project, x, y, 14);
    if (contact) return this.choose(`contact ${this.contacts.names[contact.contact]}`);
    const body = this.bodies.pick(this.world.ray(x, y));
    this.choose(body && body.body >= 0 ? `body ${body.body}` : '');
  }
  // Texts over the picture: those of the model, and names of contacts and bodies on demand.
  makeLabels() {
    const few = this.data.bodies.length <= LABELS_MOST;
    this.labels = [
      ...this.drawing.texts.map(({shape, index}) => ({text: shape.text, at: () => this.drawing.place(index),
        shown: () => this.drawing.shown(index, this.player.frame), colour: () => theme.line(shape.colour)})),
      ...(few ? this.data.bodies.map((name, body) => ({text: name, at: () => this.poses.position(body), named: true})) : []),
    ].map((label) => ({...label, element: make('span', {}, label.text)}));
    this.contactLabels = Array.from({length: Math.min(this.contacts.most, LABELS_MOST)}, () => make('span', {class: 'contact'}));
    $('labels').append(...this.labels.map((label) => label.element), ...this.contactLabels);
  }
  placeLabels() {
    const put = (element, point) => {
      const p = point && this.world.project(point);
      element.hidden = !p;
      if (p) element.style.transform = `translate(${p.x.toFixed(1)}px, ${p.y.toFixed(1)}px) translate(-50%, -50%)`;
    };
    for (const label of this.labels) {
      put(label.element, (!label.named || this.labelled) && (label.shown?.() ?? true) ? label.at() : null);
      if (label.colour) label.element.style.color = label.colour();
    }
    const [from, to] = this.contacts.range();
    this.contactLabels.forEach((element, k) => {
      const i = from + k, there = this.labelled && i < to;
      if (there) element.textContent = this.data.contacts[this.contacts.names[i]];
      put(element, there ? this.contacts.vector(i, 0) : null);
    });
  }
  makeLegend() {
    if (this.contacts.most === 0) return;
    const used = new Set(this.contacts.status);
    this.legend = statuses.map((status, k) => ({k, element: make('li', {}, make('i', {}), status.label)}))
      .filter(({k}) => (k === UNDETERMINED ? this.hasOpen() : used.has(k)));
    $('legend').append(...this.legend.map(({element}) => element));
  }
  hasOpen() {
    if (this.data.solutions.length === 0) return false;
    for (let i = 0; i < this.contacts.count; i++) if (this.contacts.undetermined(i)) return true;
    return false;
  }
  recolour() {
    document.documentElement.dataset.theme = theme.dark ? 'dark' : 'light';
    this.world.recolour();
    this.bodies.recolour();
    this.drawing.recolour();
    for (const {k, element} of this.legend ?? []) element.firstChild.style.background = theme.status(k);
    this.timeline.drawMarks();
    this.curves.update();
    this.stale = true;
  }
}

// What tests and colleagues' scripts may ask of the page.
function publicApi(page) {
  const {data, player, poses, contacts, world} = page;
  const body = (name) => data.bodies.indexOf(name);
  return {
    frames: player.frames, times: player.times, bodies: data.bodies, contacts: data.contacts,
    get t() { return player.t; },
    get frame() { return player.frame; },
    get chosen() { return page.chosen && {kind: page.chosen.kind, name: (page.chosen.kind === 'body' ? data.bodies : data.contacts)[page.chosen.index]}; },
    seek: (frame) => { player.play(false); player.toFrame(frame); page.draw(); },
    seekTime: (t) => { player.play(false); player.toTime(t); page.draw(); },
    play: () => player.play(true),
    pause: () => player.play(false),
    position: (name) => poses.position(body(name)).toArray(),
    quaternion: (name) => [3, 4, 5, 6].map((k) => poses.number(body(name), k, player.frame)),
    pixel: (point) => world.project(new THREE.Vector3(...point)),
    force: (name) => {
      const i = contacts.find(data.contacts.indexOf(name));
      return i < 0 ? null : contacts.force(i).toArray();
    },
    shape: (index) => page.drawing.read(index),
    choose: (kind, name) => page.choose(`${kind} ${(kind === 'body' ? data.bodies : data.contacts).indexOf(name)}`),
    pick: (x, y) => page.pick(x, y),
    fit: () => { world.fit(); page.draw(); },
    ready: true,
  };
}

readData($('data')).then((data) => {
  window.delassus = publicApi(new Page(data));
}).catch((error) => {
  $('failure').hidden = false;
  $('failure').textContent = `This page cannot be shown: ${error.message}`;
  console.error(error);
});
