// Pages in a real browser: they load without a complaint and without the network, bodies are where
// the recording says, in numbers and in pixels; keys, scrubbing, choosing; hostile names.
//
//   node browser.mjs MODULES CHROMIUM DELASSUS EXAMPLES      in a folder of its own
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, chromium, program, examples] = process.argv.slice(2);
const puppeteer = createRequire(pathToFileURL(join(modules, 'x.js')))('puppeteer-core');
const delassus = (...words) => execFileSync(program, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
const example = (name) => join(examples, `${name}.dls`);

const browser = await puppeteer.launch({executablePath: chromium, headless: true,
  args: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--disable-extensions', '--enable-unsafe-swiftshader']});

async function open(file, dark = false) {
  const page = await browser.newPage(), faults = [];
  page.on('console', (message) => { if (message.type() === 'error') faults.push(message.text()); });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => { if (!/^(file|blob):/.test(request.url())) faults.push(`asked for ${request.url()}`); });
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]);
  await page.setViewport({width: 1000, height: 640});
  await page.goto(`${pathToFileURL(resolve(file))}#still`);
  await page.waitForFunction('window.delassus?.ready', {timeout: 60000});
  return {page, ask: (code) => page.evaluate(code), close: async () => {
    assert.deepEqual(faults, [], file);
    await page.close();
  }};
}

// The colour of the picture at a pixel of the stage.
const pixel = (x, y) => `(() => {
  const from = document.querySelector('#stage canvas'), c = document.createElement('canvas');
  const ratio = from.width / from.clientWidth;
  c.width = c.height = 1;
  const pen = c.getContext('2d');
  pen.drawImage(from, ${x} * ratio, ${y} * ratio, 1, 1, 0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
})()`;
const far = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
const soon = (page) => page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

const tests = {
  async 'bodies are where the recording says'() {
    writeFileSync('fall.dls', `# A ball and an egg over a floor
gravity 0, 0, -9.81
fixed ground { plane 0, 0, 1 }
body ball { sphere 0.2; mass 5; position -0.7, 0, 0.6; velocity 1, 0.5, 1; spin 0, 3, 0 }
body egg { ellipsoid 0.2, 0.15, 0.1; mass 1; position 0.6, 0.4, 0.3; rotation 0.3, 0.2, 1 }
contact * * { friction 0.5 }
`);
    delassus('simulate', 'fall.dls', '--step', '0.01', '--until', '0.5', '--quiet', '-o', 'fall.h5', '-o', 'fall.html');
    delassus('view', 'fall.h5', '-o', 'recorded.html', '--no-open');
    for (const file of ['fall.html', 'recorded.html']) {
      const {page, ask, close} = await open(file);
      await page.keyboard.press('a');  // arrows lie over everything
      const times = await ask('[...delassus.times]');
      assert.equal(times.length, 51);
      for (const frame of [0, 17, 50]) {
        const told = JSON.parse(delassus('show', 'fall.dls', '--at', `fall.h5@${times[frame]}`, '--json')).bodies;
        await ask(`delassus.seek(${frame})`);
        for (const body of ['ball', 'egg']) {
          const at = await ask(`delassus.position('${body}')`), turned = await ask(`delassus.quaternion('${body}')`);
          assert.ok(far(at, told[body].position) < 1e-6, `${body} in frame ${frame}: ${at}`);
          const cosine = turned.reduce((sum, x, i) => sum + x * told[body].quaternion[i], 0);
          assert.ok(Math.abs(Math.abs(cosine) - 1) < 1e-6);
          if (file !== 'fall.html' || frame !== 17) continue;
          // there is something of it in the picture, and nothing once bodies are hidden
          const p = await ask(`delassus.pixel(delassus.position('${body}'))`);
          const shown = await ask(pixel(p.x, p.y));
          for (const key of ['x', 'x']) await page.keyboard.press(key);
          await soon(page);
          const hidden = await ask(pixel(p.x, p.y));
          await page.keyboard.press('x');
          await soon(page);
          assert.ok(far(shown, hidden) > 25, `${body} in frame ${frame}: ${shown} against ${hidden}`);
          assert.ok(far(await ask(pixel(p.x, p.y)), shown) < 20);
        }
      }
      await close();
    }
  },

  async 'between frames bodies are between their places'() {
    const {ask, close} = await open('fall.html');
    await ask('delassus.seek(10)');
    const before = await ask(`delassus.position('ball')`);
    await ask('delassus.seek(11)');
    const after = await ask(`delassus.position('ball')`);
    await ask('delassus.seekTime((delassus.times[10] + delassus.times[11]) / 2)');
    const middle = await ask(`delassus.position('ball')`);
    assert.ok(far(middle, before.map((x, i) => (x + after[i]) / 2)) < 1e-6);
    await close();
  },

  async 'a click chooses, a curve appears'() {
    const {page, ask, close} = await open('fall.html');
    await ask('delassus.seek(20)');
    const at = await ask(`delassus.pixel(delassus.position('egg'))`);
    await page.mouse.click(at.x, at.y);
    assert.deepEqual(await ask('delassus.chosen'), {kind: 'body', name: 'egg'});
    assert.equal(await ask(`document.querySelector('#chosen h2').textContent`), 'egg');
    assert.equal(await ask(`[...document.querySelectorAll('figcaption')].filter((x) => x.textContent.startsWith('egg')).length`), 3);
    await page.keyboard.press('Escape');
    assert.equal(await ask('delassus.chosen'), null);
    await page.keyboard.press('c');
    assert.equal((await ask('delassus.chosen')).kind, 'contact');
    await close();
  },

  async 'keys, scrubbing, playing'() {
    const {page, ask, close} = await open('fall.html', true);
    assert.equal(await ask('document.documentElement.dataset.theme'), 'dark');
    await page.keyboard.press('d');
    assert.equal(await ask('document.documentElement.dataset.theme'), 'light');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key);
    assert.equal(await ask('delassus.frame'), 1);
    await page.keyboard.press('End');
    assert.equal(await ask('delassus.frame'), 50);
    const box = await (await page.$('#track input')).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs(await ask('delassus.t') - 0.25) < 0.01, `t = ${await ask('delassus.t')}`);
    await page.keyboard.press('?');
    assert.equal(await ask(`document.getElementById('help').open`), true);
    await page.keyboard.press('Escape');
    await ask('document.activeElement.blur()');
    await ask('delassus.seek(0)');
    await page.keyboard.press('Space');
    await page.waitForFunction('delassus.frame > 3', {timeout: 20000});
    await page.keyboard.press('Space');
    await close();
  },

  async 'forces of a contact balance the weight'() {
    writeFileSync('rest.dls', `gravity 0, 0, -9.81
fixed ground { plane 0, 0, 1 }
body ball { sphere 0.2; mass 5; position 0, 0, 0.2 }
contact * * { friction 0.5 }
`);
    delassus('simulate', 'rest.dls', '--step', '0.01', '--until', '0.1', '--quiet', '-o', 'rest.html');
    const {ask, close} = await open('rest.html');
    await ask('delassus.seek(5)');
    const [x, y, z] = await ask(`delassus.force('ball/ground')`);
    await ask(`delassus.choose('contact', 'ball/ground')`);
    assert.match(await ask(`document.getElementById('chosen').textContent`), /friction0\.5/);
    assert.ok(Math.abs(z - 5 * 9.81) < 1e-3 && Math.hypot(x, y) < 1e-3, `${[x, y, z]}`);
    await close();
  },

  async 'drawings of planar models, and their events'() {
    delassus('simulate', example('bouncing-ball'), '--scheme', 'radau5', '--step', '0.01', '--until', '2', '--quiet', '-o', 'ball.html');
    const {ask, close} = await open('ball.html');
    // q = 2 - t^2 before the first impact, at t = 1... whatever the model says: its disc is at (t/2, q + 0.05)
    await ask('delassus.seekTime(0.4)');
    const [x, , , , , , radius] = await ask('delassus.shape(0)');
    assert.ok(Math.abs(x - 0.2) < 1e-6 && Math.abs(radius - 0.05) < 1e-6);
    const p = await ask('delassus.pixel(delassus.shape(0).slice(0, 3))');
    assert.ok(far(await ask(pixel(p.x, p.y)), await ask(pixel(p.x + 120, p.y))) > 25);
    await close();
  },

  async 'a hull is drawn where it is'() {
    writeFileSync('cube.obj', `${[0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => `v ${x} ${y} ${z}`))).join('\n')}
f 1 2 3
`);
    writeFileSync('cube.dls', `gravity 0, 0, -9.81
body cube { hull "cube.obj"; mass 1; position 3, 0, 0 }
for i in 0..1 { body ball[i] { sphere 0.2; mass 1; position 7*i, 0, 0 } }
`);
    delassus('simulate', 'cube.dls', '--step', '0.01', '--until', '0.02', '--quiet', '-o', 'cube.html');
    const {page, ask, close} = await open('cube.html');
    const [x, y, z] = await ask(`delassus.position('cube')`);
    for (const [at, inside] of [[[0.5, 0.5, 0.5], true], [[2.2, 0.5, 0.5], false], [[-1.2, 0.5, 0.5], false], [[0.5, 0.5, 1.6], false]]) {
      const p = await ask(`delassus.pixel([${x + at[0]}, ${y + at[1]}, ${z + at[2]}])`);
      await page.mouse.click(p.x, p.y);
      assert.deepEqual(await ask('delassus.chosen'), inside ? {kind: 'body', name: 'cube'} : null, `${at}`);
    }
    await close();
  },

  async 'a state has its solutions and verdicts'() {
    delassus('check', example('painleve-rod'), '--at', 'spinning', '-o', 'rod.html');
    const {page, ask, close} = await open('rod.html');
    const report = JSON.parse(delassus('check', example('painleve-rod'), '--at', 'spinning', '--json'));
    assert.equal(await ask('delassus.frames'), report.solutions.length);
    for (let k = 0; k < report.solutions.length; k++) {
      await page.keyboard.press(String(k + 1));
      const force = await ask(`delassus.force('floor')`);
      const {normal, tangential} = report.solutions[k].forces.floor;
      assert.ok(Math.abs(force[1] - normal) < 1e-5 * (1 + normal), `${force} ${normal}`);
      assert.ok(Math.abs(force[0] - tangential[0]) < 1e-5 * (1 + normal), `${force} ${tangential}`);
    }
    const listed = await ask(`[...document.querySelectorAll('#verdicts summary')].map((x) => x.lastChild.textContent)`);
    assert.ok(listed.includes('acceleration unique'));
    await close();
  },

  async 'a force that is not determined has its interval'() {
    delassus('check', example('three-point-block'), '--at', 'resting', '-o', 'block.html');
    const {ask, close} = await open('block.html');
    await ask(`delassus.choose('contact', 'middle')`);
    const told = await ask(`document.getElementById('chosen').textContent`);
    assert.match(told, /not determined/);
    assert.match(told, /of 0 to 19\.62/);
    assert.match(await ask(`document.getElementById('legend').textContent`), /not determined/);
    await close();
  },

  async 'names are texts'() {
    const name = '</script><img src=x onerror=window.evil=1>';
    const quoted = name.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    writeFileSync('evil.xml', `<mujoco model="${quoted}"><worldbody><geom type="plane" size="1 1 1"/>
<body name="${quoted}" pos="0 0 0.1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>`);
    writeFileSync('evil.dls', `# ${name}
coordinate x = 0.5
kinetic x'^2
unilateral wall: x >= 0
draw text (x, 0), "${name}"
`);
    delassus('view', 'evil.xml', '--no-open');
    delassus('simulate', 'evil.dls', '--step', '0.1', '--until', '0.5', '--quiet', '-o', 'evil-text.html');
    for (const [file, where] of [['evil.html', 'option[value="body 0"]'], ['evil-text.html', '#labels span']]) {
      const {page, ask, close} = await open(file);
      await page.keyboard.press('l');
      await page.keyboard.press('n');
      assert.equal(await ask(`document.querySelector('${where}').textContent`), name);
      assert.equal(await ask('document.querySelectorAll("img").length'), 0);
      assert.equal(await ask('window.evil === undefined'), true);
      await close();
    }
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`passed: ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
