// What a page is given: base64 of zlib data, "DLSVIEW1", the length of a JSON text, that text, and
// behind it, from a multiple of 8 on, the arrays that the text names. src/view/pack.c writes it.

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

// Numbers of 4 bytes each, whose first bytes stand together, then the second ones, ...
function joinPlanes(buffer, entry, planes) {
  const {offset, count} = entry;
  const bytes = new Uint8Array(buffer, offset, count * planes);
  const joined = new Uint32Array(count);
  for (let p = 0; p < planes; p++)
    for (let i = 0, from = p * count; i < count; i++) joined[i] |= bytes[from + i] << (8 * p);
  return joined;
}

// Streams of numbers over the frames: low + step k, of k the second differences.
function joinStreams(buffer, entry) {
  const coded = joinPlanes(buffer, entry, entry.planes);
  const low = new Float64Array(buffer, entry.low, entry.streams);
  const step = new Float64Array(buffer, entry.step, entry.streams);
  const frames = entry.streams ? entry.count / entry.streams : 0;
  const out = new Float32Array(entry.count);
  for (let s = 0; s < entry.streams; s++) {
    let value = 0, slope = 0;
    for (let k = 0, at = s * frames; k < frames; k++, at++) {
      const change = (coded[at] >>> 1) ^ -(coded[at] & 1);
      if (k === 0) value = change;
      else value += slope = k === 1 ? change : slope + change;
      out[at] = low[s] + step[s] * value;
    }
  }
  return out;
}

function read(buffer, entry) {
  switch (entry.type) {
    case 'f64': return new Float64Array(buffer, entry.offset, entry.count);
    case 'u32': return new Uint32Array(buffer, entry.offset, entry.count);
    case 'u8': return new Uint8Array(buffer, entry.offset, entry.count);
    case 'f32': return new Float32Array(joinPlanes(buffer, entry, 4).buffer);
    case 'streams': return joinStreams(buffer, entry);
    default: throw new Error('an array of an unknown type');
  }
}

// Places are counted from behind the text.
function moved(entry, begin) {
  const out = {...entry};
  for (const place of ['offset', 'low', 'step']) if (place in out) out[place] += begin;
  return out;
}

export async function readData(element) {
  const buffer = await inflate(bytesOf(element.textContent.trim()));
  element.remove();
  const head = new Uint8Array(buffer, 0, 8);
  if (new TextDecoder().decode(head) !== 'DLSVIEW1') throw new Error('not the data of a view');
  const length = new DataView(buffer).getUint32(8, true);
  const data = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 12, length)));
  const begin = Math.ceil((12 + length) / 8) * 8;
  for (const [name, entry] of Object.entries(data.arrays))
    data.arrays[name] = read(buffer, moved(entry, begin));
  return data;
}
