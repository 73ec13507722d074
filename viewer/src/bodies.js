// Solids of bodies, one instanced mesh for all that have one form up to their sizes.
import * as THREE from 'three';
import {theme} from './colours.js';

const EDGES_MOST = 400;  // solids whose edges are drawn

function hullGeometry(solid, points) {
  const positions = [], index = [];
  for (const face of solid.faces)
    for (let k = 1; k + 1 < face.length; k++) index.push(face[0], face[k], face[k + 1]);
  for (const i of index) positions.push(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}

// Form: a geometry that solids with one key share, and the scale of each.
function formOf(solid, data, many) {
  const [a, b, c] = solid.size, fine = many ? 12 : 64;
  switch (solid.kind) {
    case 'sphere':
      return {key: 'ball', scale: [a, a, a], make: () => new THREE.SphereGeometry(1, fine, fine / 2)};
    case 'ellipsoid':
      return {key: 'ball', scale: [a, b, c], make: () => new THREE.SphereGeometry(1, fine, fine / 2)};
    case 'box': return {key: 'box', scale: [a, b, c], make: () => new THREE.BoxGeometry(1, 1, 1)};
    case 'cylinder':
      return {key: 'cylinder', scale: [a, a, b],
        make: () => new THREE.CylinderGeometry(1, 1, 1, fine).rotateX(Math.PI / 2)};
    case 'capsule':
      return {key: `capsule ${a} ${b}`, scale: [1, 1, 1],
        make: () => new THREE.CapsuleGeometry(a, b, fine / 4, fine / 2).rotateX(Math.PI / 2)};
    case 'hull':
      return {key: `hull ${solid.points}`, scale: [1, 1, 1],
        make: () => hullGeometry(solid, data.arrays[solid.points])};
    default: return null;
  }
}

export class Bodies {
  constructor(data, poses, extent) {
    this.data = data;
    this.poses = poses;
    this.group = new THREE.Group();
    this.meshes = [];
    this.edges = [];
    this.planes = [];
    this.chosen = -1;
    this.makeForms();
    this.makePlanes(extent);
    this.recolour();
  }
  makeForms() {
    const forms = new Map(), many = this.data.solids.length > 300;
    this.data.solids.forEach((solid, index) => {
      const form = formOf(solid, this.data, many);
      if (!form) return;
      if (!forms.has(form.key)) forms.set(form.key, {make: form.make, items: []});
      const local = new THREE.Matrix4().compose(new THREE.Vector3(...solid.position),
        quaternionOf(solid), new THREE.Vector3(...form.scale));
      forms.get(form.key).items.push({index, body: solid.body, local});
    });
    for (const {make, items} of forms.values()) {
      const geometry = make();
      const material = new THREE.MeshStandardMaterial({roughness: 0.75, metalness: 0});
      const mesh = new THREE.InstancedMesh(geometry, material, items.length);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.castShadow = mesh.receiveShadow = !many;
      mesh.frustumCulled = false;
      mesh.userData.items = items;
      this.meshes.push(mesh);
      this.group.add(mesh);
      if (this.data.solids.length <= EDGES_MOST) this.addEdges(geometry, items);
    }
  }
  addEdges(geometry, items) {
    const lines = new THREE.EdgesGeometry(geometry, 30);
    if (lines.getAttribute('position').count === 0) return;
    for (const item of items) {
      const edge = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({transparent: true, opacity: 0.45}));
      edge.matrixAutoUpdate = false;
      edge.frustumCulled = false;
      edge.userData.item = item;
      this.edges.push(edge);
      this.group.add(edge);
    }
  }
  // All below z = 0 of a plane is solid: a large square, with lines.
  makePlanes(extent) {
    for (const solid of this.data.solids) {
      if (solid.kind !== 'plane') continue;
      const size = 60 * extent, plane = new THREE.Group();
      const mesh = new THREE.Mesh(new THREE.PlaneGeometry(size, size),
        new THREE.MeshStandardMaterial({roughness: 1, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}));
      mesh.receiveShadow = true;
      const spacing = 10 ** Math.floor(Math.log10(extent / 2)), count = Math.min(200, Math.round(size / spacing));
      const grid = new THREE.GridHelper(count * spacing, count);
      grid.rotation.x = Math.PI / 2;
      grid.material.transparent = true;
      grid.material.opacity = 0.6;
      grid.material.depthWrite = false;
      plane.add(mesh, grid);
      plane.userData = {solid, mesh, grid,
        local: new THREE.Matrix4().compose(new THREE.Vector3(...solid.position), quaternionOf(solid), one)};
      plane.matrixAutoUpdate = false;
      this.planes.push(plane);
      this.group.add(plane);
    }
  }
  colourOf(body) {
    if (body < 0) return theme.world;
    return body === this.chosen ? theme.chosen : theme.body(body);
  }
  recolour() {
    const colour = new THREE.Color();
    for (const mesh of this.meshes) {
      mesh.userData.items.forEach((item, k) => mesh.setColorAt(k, colour.set(this.colourOf(item.body))));
      mesh.instanceColor.needsUpdate = true;
    }
    for (const edge of this.edges) edge.material.color.set(theme.ink);
    for (const {userData} of this.planes) {
      userData.mesh.material.color.set(theme.world);
      userData.grid.material.color.set(theme.grid);
      userData.grid.material.vertexColors = false;
      userData.grid.material.needsUpdate = true;
    }
  }
  choose(body) {
    if (body === this.chosen) return;
    this.chosen = body;
    this.recolour();
  }
  update() {
    const world = [];
    const of = (body) => {
      if (body < 0) return identity;
      if (!world[body]) {
        this.poses.read(body, position, quaternion);
        world[body] = new THREE.Matrix4().compose(position, quaternion, one);
      }
      return world[body];
    };
    for (const mesh of this.meshes) {
      mesh.userData.items.forEach((item, k) =>
        mesh.setMatrixAt(k, matrix.multiplyMatrices(of(item.body), item.local)));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    for (const edge of this.edges)
      edge.matrix.multiplyMatrices(of(edge.userData.item.body), edge.userData.item.local);
    for (const plane of this.planes)
      plane.matrix.multiplyMatrices(of(plane.userData.solid.body), plane.userData.local);
  }
  // The body that a ray meets first, and how far away; null: none.
  pick(raycaster) {
    const hit = raycaster.intersectObjects(this.meshes, false)[0];
    if (!hit) return null;
    const item = hit.object.userData.items[hit.instanceId];
    return {distance: hit.distance, body: item.body, solid: item.index};
  }
}

const position = new THREE.Vector3(), quaternion = new THREE.Quaternion(), matrix = new THREE.Matrix4();
const one = new THREE.Vector3(1, 1, 1), identity = new THREE.Matrix4();

function quaternionOf({quaternion: [w, x, y, z]}) {
  return new THREE.Quaternion(x, y, z, w);
}
