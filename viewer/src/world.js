// Camera, light, and what the mouse does.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {theme} from './colours.js';

export class World {
  constructor(stage, data, box) {
    this.stage = stage;
    this.flat = data.space === 2;
    this.scene = new THREE.Scene();
    this.renderer = new THREE.WebGLRenderer({antialias: true, preserveDrawingBuffer: true});
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = !this.flat && data.solids.length <= 1500;
    this.renderer.domElement.setAttribute('role', 'img');
    this.renderer.domElement.setAttribute('aria-label', 'the mechanism; keys are listed by ?');
    stage.append(this.renderer.domElement);
    this.box = box;
    this.radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-12);
    this.look = new THREE.Vector3(...data.look).normalize();
    this.camera = this.flat
      ? new THREE.OrthographicCamera(-1, 1, 1, -1, -100 * this.radius, 100 * this.radius)
      : new THREE.PerspectiveCamera(35, 1, this.radius / 200, this.radius * 400);
    if (!this.flat) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableRotate = !this.flat;
    if (this.flat) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN, this.controls.touches.ONE = THREE.TOUCH.PAN;
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.addLight();
    this.resize();
    this.fit();
    new ResizeObserver(() => this.resize()).observe(stage);
  }
  addLight() {
    if (this.flat) return;
    this.scene.add(this.sky = new THREE.HemisphereLight(0xffffff, 0x8d8f98, 1.5));
    const sun = this.sun = new THREE.DirectionalLight(0xffffff, 2.1), r = 1.5 * this.radius;
    sun.castShadow = this.renderer.shadowMap.enabled;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, {left: -r, right: r, top: r, bottom: -r, near: 0.01 * r, far: 8 * r});
    sun.shadow.bias = -0.0005;
    sun.shadow.normalBias = 0.004 * r;
    this.scene.add(sun, sun.target);
  }
  // The whole of it, seen from where the model says.
  fit() {
    const centre = this.box.getCenter(new THREE.Vector3()), size = this.box.getSize(new THREE.Vector3());
    this.controls.target.copy(centre);
    if (this.flat) {
      this.camera.position.set(centre.x, centre.y, this.radius);
      const {clientWidth: w, clientHeight: h} = this.stage;
      this.view = 1.25 * Math.max(size.y, 1e-3 * this.radius, size.x * h / Math.max(1, w));
      this.camera.zoom = 1;
    } else {
      const distance = 0.85 * this.radius / Math.sin(this.camera.fov * Math.PI / 360) / Math.min(1, Math.max(0.4, this.camera.aspect));
      this.camera.position.copy(centre).addScaledVector(this.look, distance);
    }
    this.resize();
    this.controls.update();
    this.dirty = true;
  }
  resize() {
    const {clientWidth: w, clientHeight: h} = this.stage;
    if (!w || !h) return;
    this.renderer.setSize(w, h);
    if (this.flat) {
      const half = (this.view ?? 2 * this.radius) / 2;
      Object.assign(this.camera, {left: -half * w / h, right: half * w / h, top: half, bottom: -half});
    } else this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }
  // Moves with something.
  shift(by) {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
  }
  recolour() {
    this.scene.background = new THREE.Color(theme.background);
    // floors fade into the distance
    if (!this.flat) this.scene.fog = new THREE.Fog(theme.background, 6 * this.radius, 22 * this.radius);
    this.dirty = true;
  }
  // A point in pixels of the stage; null: behind.
  project = (point) => {
    const p = point.clone().project(this.camera);
    if (p.z > 1 || p.z < -1) return null;
    return {x: (p.x + 1) / 2 * this.stage.clientWidth, y: (1 - p.y) / 2 * this.stage.clientHeight, depth: p.z};
  };
  ray(x, y) {
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(new THREE.Vector2(2 * x / this.stage.clientWidth - 1, 1 - 2 * y / this.stage.clientHeight), this.camera);
    return raycaster;
  }
  render() {
    if (this.sun) {
      this.sun.target.position.copy(this.controls.target);
      this.sun.position.copy(this.controls.target).addScaledVector(sunward, 3 * this.radius);
    }
    this.renderer.render(this.scene, this.camera);
    this.dirty = false;
  }
}

const sunward = new THREE.Vector3(0.45, -0.3, 0.85).normalize();
