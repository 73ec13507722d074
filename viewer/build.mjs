// Makes the page of one piece: the bundled script and the style inline, and a content security
// policy that allows these two, by their digests, and nothing else.
//
//   node build.mjs MODULES PAGE.html [TABLE.c]
//
// MODULES: a folder with node_modules, outside of the sources. TABLE.c: the page as C data. The
// page ends where its data go, so that whoever writes a file appends them.
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [modules, page, table] = process.argv.slice(2);
const installed = createRequire(pathToFileURL(join(resolve(modules), 'package.json')));
const esbuild = installed('esbuild');

const bundle = async (entry, options) => (await esbuild.build({
  entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, charset: 'utf8',
  nodePaths: [join(resolve(modules), 'node_modules')], logLevel: 'warning', ...options,
})).outputFiles[0].text;

const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const script = await bundle('src/main.js', {
  format: 'iife', target: 'es2022', legalComments: 'inline',
});
if (/<\/script/i.test(script)) throw new Error('the script would end its element');
const style = await bundle('src/style.css', {loader: {'.css': 'css'}});
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; " +
  `script-src ${digest(script)}; style-src ${digest(style)}`;

const parts = {POLICY: policy, STYLE: style, SCRIPT: script};
const html = readFileSync(join(here, 'src/page.html'), 'utf8')
  .replace(/@(POLICY|STYLE|SCRIPT)@/g, (_, name) => parts[name]).trimEnd();
writeFileSync(page, html);

if (table) {
  const bytes = Buffer.from(html, 'utf8');
  const lines = [];
  for (let at = 0; at < bytes.length; at += 24) lines.push([...bytes.subarray(at, at + 24)].join(','));
  writeFileSync(table, `// Made by viewer/build.mjs.
#include "view/template.h"

const unsigned char dls_view_template[] = {${lines.join(',\n')}};
const size_t dls_view_template_size = sizeof dls_view_template;
`);
}
