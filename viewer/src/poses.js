// Poses of bodies and numbers of shapes between frames.
import {Quaternion, Vector3} from 'three';

const other = new Quaternion();

export class Poses {
  constructor(data, player) {
    this.values = data.arrays.pose ?? new Float32Array(0);
    this.frames = data.frames;
    this.player = player;
  }
  number(body, part, frame) { return this.values[(7 * body + part) * this.frames + frame]; }
  // Of a body at the player's time.
  read(body, position, quaternion) {
    const {frame, part} = this.player, v = this.values, frames = this.frames;
    let at = 7 * body * frames + frame;
    position.set(v[at], v[at + frames], v[at + 2 * frames]);
    quaternion.set(v[at + 4 * frames], v[at + 5 * frames], v[at + 6 * frames], v[at + 3 * frames]);
    if (part > 0) {
      at++;
      position.x += part * (v[at] - position.x);
      position.y += part * (v[at + frames] - position.y);
      position.z += part * (v[at + 2 * frames] - position.z);
      other.set(v[at + 4 * frames], v[at + 5 * frames], v[at + 6 * frames], v[at + 3 * frames]);
      quaternion.slerp(other.normalize(), part);
    }
    quaternion.normalize();
  }
  position(body) {
    const p = new Vector3(), q = new Quaternion();
    this.read(body, p, q);
    return p;
  }
}
