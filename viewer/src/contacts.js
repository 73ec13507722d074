// Contacts: where they are, what they do, their forces, and how far those are determined.
import * as THREE from 'three';
import {theme, UNDETERMINED} from './colours.js';

// columns of `contact`, as src/view/pack.c writes them
const POINT = 0, NORMAL = 3, TANGENT = 6, VALUE = 12, LOW = 15, HIGH = 18, FRICTION = 21;
const PERCUSSION = 1;
const UP = new THREE.Vector3(0, 0, 1);
const ENDLESS = 2.2;  // an interval without end, in lengths of a usual arrow

export class Contacts {
  constructor(data, player, extent) {
    Object.assign(this, {data, player, extent, flat: data.space === 2});
    const a = data.arrays;
    this.first = a.first ?? new Uint32Array(data.frames + 1);
    this.names = a.contactName ?? new Uint32Array(0);
    this.status = a.status ?? new Uint8Array(0);
    this.flags = a.flags ?? new Uint8Array(0);
    this.numbers = a.contact ?? new Float32Array(0);
    this.count = this.names.length;
    this.group = new THREE.Group();
    this.forces = this.cones = true;
    this.factor = 1;
    this.chosen = -1;
    this.unit = [this.usual(0), this.usual(PERCUSSION)];
    let most = 0;
    for (let k = 0; k < data.frames; k++) most = Math.max(most, this.first[k + 1] - this.first[k]);
    this.most = most;
    if (most > 0) this.makeMeshes(most);
  }
  number(contact, column) { return this.numbers[column * this.count + contact]; }
  vector(contact, column) {
    return new THREE.Vector3(this.number(contact, column), this.number(contact, column + 1), this.number(contact, column + 2));
  }
  value(contact, k) { const x = this.number(contact, VALUE + k); return Number.isFinite(x) ? x : 0; }
  size(contact) { return Math.hypot(this.value(contact, 0), this.value(contact, 1), this.value(contact, 2)); }
  friction(contact) { return this.number(contact, FRICTION); }
  // The numbers of its multipliers along tangents.
  tangents(contact) { return [1, 2].filter((k) => this.vector(contact, TANGENT + 3 * (k - 1)).lengthSq() > 0); }
  percussion(contact) { return (this.flags[contact] & PERCUSSION) !== 0; }
  // The force on the first body, in world axes.
  force(contact) {
    return this.vector(contact, NORMAL).multiplyScalar(this.value(contact, 0))
      .addScaledVector(this.vector(contact, TANGENT), this.value(contact, 1))
      .addScaledVector(this.vector(contact, TANGENT + 3), this.value(contact, 2));
  }
  interval(contact, k) { return [this.number(contact, LOW + k), this.number(contact, HIGH + k)]; }
  // Is the multiplier number k a whole interval?
  isOpen(contact, k) {
    const [low, high] = this.interval(contact, k);
    if (Number.isNaN(low) || Number.isNaN(high)) return false;
    return high - low > 1e-6 * (this.size(contact) || 1);
  }
  undetermined(contact) { return [0, 1, 2].some((k) => this.isOpen(contact, k)); }
  // Where forces (or percussions) are large, but not the largest: the length of an arrow.
  usual(kind) {
    const sizes = [], every = Math.max(1, Math.floor(this.count / 20000));
    for (let i = 0; i < this.count; i += every)
      if ((this.flags[i] & PERCUSSION) === kind && this.size(i) > 0) sizes.push(this.size(i));
    sizes.sort((a, b) => a - b);
    this.any = this.any || sizes.length > 0;
    return sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 1;
  }
  // Length of arrows per force.
  scale(contact) { return this.factor * 0.22 * this.extent / this.unit[this.percussion(contact) ? 1 : 0]; }
  frame() {
    const {frame, part} = this.player;  // a force is the mean of the time before its row
    return part > 0 ? frame + 1 : frame;
  }
  range() { const k = this.frame(); return [this.first[k], this.first[k + 1]]; }

  makeMeshes(most) {
    const plain = (options = {}) => new THREE.MeshBasicMaterial({transparent: true, depthTest: false, fog: false, ...options});
    const add = (geometry, material, count, order) => {
      const mesh = new THREE.InstancedMesh(geometry, material, count);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      mesh.setColorAt(0, new THREE.Color());  // makes room for colours
      this.group.add(mesh);
      return mesh;
    };
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new THREE.ConeGeometry(1, 1, 14).translate(0, -0.5, 0).rotateX(Math.PI / 2);
    const cone = new THREE.ConeGeometry(1, 1, 40, 1, true).translate(0, -0.5, 0).rotateX(-Math.PI / 2);
    const each = 4 * most;  // the arrow, and up to three intervals
    this.coneMesh = add(cone, plain({opacity: 0.13, side: THREE.DoubleSide, depthTest: !this.flat, depthWrite: false}), most, 8);
    this.shaftMesh = add(shaft, plain(), each, 10);
    this.headMesh = add(head, plain(), 2 * each, 11);
    this.pointMesh = add(new THREE.SphereGeometry(1, 14, 8), plain(), most, 12);
  }
  colour(contact) {
    if (this.undetermined(contact)) return theme.status(UNDETERMINED);
    return theme.status(this.status[contact]);
  }
  update() {
    if (this.most === 0) return;
    const [from, to] = this.range();
    this.used = {shaft: 0, head: 0, cone: 0, point: 0};
    const thick = 0.0065 * this.extent;
    for (let i = from; i < to; i++) {
      const p = this.vector(i, POINT), open = this.status[i] < 2;
      const chosen = this.names[i] === this.chosen;
      if (!Number.isFinite(p.x + p.y + p.z)) continue;
      if (this.flat) p.z += 0.05 * this.extent;
      tint.set(chosen ? theme.chosen : this.colour(i));
      this.put('point', p, identity, thick * (chosen ? 2.2 : open ? 0.9 : 1.3), 0, i);
      if (!this.forces || open) continue;
      if (this.cones && this.friction(i) > 0) this.putCone(i, p);
      tint.set(this.colour(i));
      if (this.size(i) > 0) this.putArrow(p, this.force(i).multiplyScalar(this.scale(i)), thick * (chosen ? 1.5 : 1));
      if (this.undetermined(i)) this.putIntervals(i, p, thick);
    }
    for (const [name, count] of Object.entries(this.used)) {
      const mesh = this[`${name}Mesh`];
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }
  put(name, position, quaternion, radius, length) {
    const mesh = this[`${name}Mesh`], at = this.used[name]++;
    size.set(radius, radius, length || radius);
    mesh.setMatrixAt(at, matrix.compose(position, quaternion, size));
    mesh.setColorAt(at, tint);
  }
  putCone(i, p) {
    const height = 0.1 * this.extent, normal = this.vector(i, NORMAL);
    turn.setFromUnitVectors(UP, normal.clone().multiplyScalar(Math.sign(this.value(i, 0)) || 1));
    this.put('cone', p, turn, height * Math.min(this.friction(i), 20), height);
  }
  // ends: of an interval, which of its two have a head.
  putArrow(from, along, thick, ends) {
    const length = along.length(), head = Math.min(5 * thick, 0.45 * length);
    if (!(length > 0)) return;
    turn.setFromUnitVectors(UP, direction.copy(along).divideScalar(length));
    const [tail, tip] = ends ?? [false, true], cut = 0.8 * head;
    const start = tail ? from.clone().addScaledVector(direction, cut) : from;
    this.put('shaft', start, turn, thick * (ends ? 0.55 : 0.8), length - cut * (tail + tip));
    if (tip) this.put('head', from.clone().add(along), turn, thick * 2.2, head);
    if (!tail) return;
    back.setFromUnitVectors(UP, direction.negate());
    this.put('head', from, back, thick * 2.2, head);
  }
  // Each multiplier that is not determined, as an arrow with two heads from its least to its
  // greatest value; beside the arrow of the force.
  putIntervals(i, p, thick) {
    const scale = this.scale(i), far = ENDLESS * 0.22 * this.extent * this.factor;
    tint.set(theme.status(UNDETERMINED));
    const axes = [this.vector(i, NORMAL), this.vector(i, TANGENT), this.vector(i, TANGENT + 3)];
    for (let k = 0; k < 3; k++) {
      if (!this.isOpen(i, k)) continue;
      const ends = this.interval(i, k), bounded = ends.map(Number.isFinite);
      const [low, high] = ends.map((x, end) => (bounded[end] ? x * scale : Math.sign(x) * far));
      const side = aside(axes[k]).multiplyScalar(4 * thick);
      this.putArrow(p.clone().add(side).addScaledVector(axes[k], low), axes[k].clone().multiplyScalar(high - low), thick, bounded);
    }
  }
  // The contact, by its number in this frame, whose point is next to the ray on the screen.
  nearest(project, x, y, within) {
    let best = null;
    const [from, to] = this.range();
    for (let i = from; i < to; i++) {
      const at = project(this.vector(i, POINT));
      const distance = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
      if (distance < within && (!best || distance < best.distance)) best = {distance, contact: i, depth: at.depth};
    }
    return best;
  }
  // The place of a contact in a frame by its name; -1: it is not there.
  find(name, frame = this.frame()) {
    for (let i = this.first[frame]; i < this.first[frame + 1]; i++) if (this.names[i] === name) return i;
    return -1;
  }
}

// A direction across another one, in the plane where that lies in it.
function aside(axis) {
  const across = new THREE.Vector3(axis.y, -axis.x, 0);
  if (across.length() < 1e-3 * axis.length()) across.set(1, 0, 0);
  return across.normalize();
}

const matrix = new THREE.Matrix4(), size = new THREE.Vector3(), direction = new THREE.Vector3();
const turn = new THREE.Quaternion(), back = new THREE.Quaternion(), identity = new THREE.Quaternion();
const tint = new THREE.Color();
