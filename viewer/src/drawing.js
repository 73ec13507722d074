// The shapes that `draw` statements say, as lines of a width in pixels, and areas.
import * as THREE from 'three';
import {LineMaterial} from 'three/examples/jsm/lines/LineMaterial.js';
import {LineSegments2} from 'three/examples/jsm/lines/LineSegments2.js';
import {LineSegmentsGeometry} from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import {theme} from './colours.js';

const ROUND = 48, COILS = 8, SPRING = 2 * COILS + 2, PARTS = 9;

export class Drawing {
  constructor(data, player, extent) {
    Object.assign(this, {data, player, extent, flat: data.space === 2});
    this.values = data.arrays.shape ?? new Float32Array(0);
    this.visible = data.arrays.visible ?? new Uint8Array(0);
    this.group = new THREE.Group();
    this.lines = [];
    this.areas = [];
    this.texts = [];
    this.paths = [];
    const layers = new Map();
    data.shapes.forEach((shape, index) => this.addShape(shape, index, layers));
    for (const {width, dashed, items} of layers.values()) this.addLines(width, dashed, items);
    this.recolour();
  }
  // Later shapes lie above earlier ones.
  height(index) { return this.flat ? (index + 1) * 2e-4 * this.extent : 0; }
  addShape(shape, index, layers) {
    const count = {segment: 1, spring: SPRING, box: 4, disc: this.flat ? ROUND : 0}[shape.kind] ?? 0;
    if (count) {
      const key = `${shape.width} ${shape.dashed}`;
      if (!layers.has(key)) layers.set(key, {width: shape.width, dashed: shape.dashed, items: []});
      layers.get(key).items.push({shape, index, count});
    }
    if (shape.kind === 'text') this.texts.push({shape, index});
    if (shape.kind === 'path') this.addPath(shape, index);
    if (!this.flat && shape.kind === 'disc') this.addArea(shape, index, new THREE.SphereGeometry(1, 64, 32));
    else if (shape.fill && shape.kind === 'disc') this.addArea(shape, index, new THREE.CircleGeometry(1, ROUND));
    else if (shape.fill && shape.kind === 'box') this.addArea(shape, index, new THREE.PlaneGeometry(1, 1));
  }
  addArea(shape, index, geometry) {
    const material = this.flat
      ? new THREE.MeshBasicMaterial({side: THREE.DoubleSide})
      : new THREE.MeshStandardMaterial({roughness: 0.7, side: THREE.DoubleSide});
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = !this.flat;
    mesh.frustumCulled = false;
    this.areas.push({mesh, shape, index});
    this.group.add(mesh);
  }
  lineObject(width, dashed, segments) {
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(new Float32Array(6 * segments));
    const size = this.extent / 60;
    const material = new LineMaterial({linewidth: width * 1.6, vertexColors: true, dashed, dashSize: size, gapSize: size});
    const object = new LineSegments2(geometry, material);
    object.frustumCulled = false;
    this.group.add(object);
    return object;
  }
  addLines(width, dashed, items) {
    const segments = items.reduce((sum, item) => sum + item.count, 0);
    this.lines.push({object: this.lineObject(width, dashed, segments), items, segments});
  }
  // All of a path stands from the beginning; how much of it is shown changes.
  addPath(shape, index) {
    const frames = this.data.frames, points = [], upTo = [0];
    for (let k = 0; k < frames; k++) {
      if (k > 0 && this.shown(index, k) && this.shown(index, k - 1))
        for (const at of [k - 1, k])
          points.push(this.number(index, 0, at), this.number(index, 1, at),
            this.number(index, 2, at) + this.height(index) * 0.5);
      if (k > 0) upTo.push(points.length / 6);
    }
    if (points.length === 0) return;
    const object = this.lineObject(shape.width, shape.dashed, points.length / 6);
    object.geometry.setPositions(new Float32Array(points));
    this.paths.push({object, shape, upTo, segments: points.length / 6});
  }
  recolour() {
    const colour = new THREE.Color(), paper = new THREE.Color(theme.background);
    const fill = (geometry, segments, of) => {
      const values = new Float32Array(6 * segments);
      for (let k = 0; k < segments; k++) {
        colour.set(theme.line(of(k).colour));
        for (const at of [6 * k, 6 * k + 3]) colour.toArray(values, at);
      }
      geometry.setColors(values);
    };
    for (const {object, items, segments} of this.lines) {
      const owner = items.flatMap((item) => Array(item.count).fill(item.shape));
      fill(object.geometry, segments, (k) => owner[k]);
    }
    for (const {object, shape, segments} of this.paths) fill(object.geometry, segments, () => shape);
    for (const {mesh, shape} of this.areas)
      mesh.material.color.set(theme.line(shape.colour)).lerp(paper, this.flat ? 0.65 : 0.3);
  }
  number(index, part, frame) { return this.values[(PARTS * index + part) * this.data.frames + frame]; }
  shown(index, frame) { return this.visible[index * this.data.frames + frame] !== 0; }
  // The nine numbers of a shape at the player's time.
  read(index) {
    const {frame, part} = this.player, out = [];
    for (let k = 0; k < PARTS; k++) {
      const a = this.number(index, k, frame);
      out.push(part > 0 && this.shown(index, frame + 1) ? a + part * (this.number(index, k, frame + 1) - a) : a);
    }
    return out;
  }
  update() {
    for (const {object, items} of this.lines) {
      const array = object.geometry.attributes.instanceStart.data.array;
      let at = 0;
      for (const item of items) {
        const points = this.shown(item.index, this.player.frame) ? this.outline(item) : [];
        for (let k = 0; k < item.count; k++)
          for (const p of [points[k], points[k + 1]]) {
            array[at++] = p ? p[0] : NaN;
            array[at++] = p ? p[1] : NaN;
            array[at++] = p ? p[2] + this.height(item.index) : NaN;
          }
      }
      object.geometry.attributes.instanceStart.data.needsUpdate = true;
      if (object.material.dashed) object.computeLineDistances();
    }
    for (const {mesh, shape, index} of this.areas) this.placeArea(mesh, shape, index);
    for (const {object, upTo} of this.paths)
      object.geometry.instanceCount = upTo[Math.min(upTo.length - 1, this.player.frame + (this.player.part > 0 ? 1 : 0))];
  }
  placeArea(mesh, shape, index) {
    const [x, y, z, , , , a, b, c] = this.read(index);
    mesh.visible = this.shown(index, this.player.frame) && a > 0;
    mesh.position.set(x, y, z + this.height(index) - (this.flat ? 1e-4 * this.extent : 0));
    if (shape.kind === 'disc') mesh.scale.setScalar(a);
    else mesh.scale.set(a, b, 1), mesh.rotation.z = c;
  }
  // Points of the outline, one more than segments.
  outline({shape, index}) {
    const [x, y, z, x1, y1, z1, a, b, c] = this.read(index);
    if (shape.kind === 'segment') return [[x, y, z], [x1, y1, z1]];
    if (shape.kind === 'spring') return spring([x, y, z], [x1, y1, z1], this.extent / 60);
    if (shape.kind === 'disc')
      return Array.from({length: ROUND + 1}, (_, k) => {
        const angle = 2 * Math.PI * k / ROUND;
        return [x + a * Math.cos(angle), y + a * Math.sin(angle), z];
      });
    const u = [Math.cos(c) * a / 2, Math.sin(c) * a / 2], w = [-Math.sin(c) * b / 2, Math.cos(c) * b / 2];
    return [[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]]
      .map(([i, j]) => [x + i * u[0] + j * w[0], y + i * u[1] + j * w[1], z]);
  }
  place(index) { return new THREE.Vector3(...this.read(index).slice(0, 3)); }
}

function spring(from, to, width) {
  const d = to.map((x, i) => x - from[i]), length = Math.hypot(...d);
  if (!(length > 0)) return [];
  // across: in the plane where the spring lies in it
  let across = [-d[1], d[0], 0];
  if (Math.hypot(...across) < 1e-9 * length) across = [1, 0, 0];
  const size = Math.hypot(...across), points = [from];
  for (let k = 0; k <= 2 * COILS; k++) {
    const s = 0.15 + 0.7 * k / (2 * COILS), side = k === 0 || k === 2 * COILS ? 0 : k % 2 ? width : -width;
    points.push(from.map((x, i) => x + s * d[i] + side * across[i] / size));
  }
  points.push(to);
  return points;
}
