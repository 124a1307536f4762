// Makes the consoles: the operators' in dist/cloud/console/console-files, the gateway's own page in dist/agent/console/page-files. Each is a
// page, and files whose names change with their content. The operators' client is the package that integrators get (dist/client), with the
// types of the served document, so that bundle-client.mjs runs before this.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build, minify, transformWithOxc } from 'vite';
import { BROWSER_FLOORS } from '../dist/scripts/browser-floors.js';

/** Parts of the first views, with all that they need. */
const FIRST = /cloud\/console\/page\/(?:reading-rows|session-table|row-table)\.tsx$/;

const CONSOLES = [
  {
    source: 'cloud/console/page',
    target: 'dist/cloud/console/console-files',
    floor: BROWSER_FLOORS.console,
    first: 'cloud/console/page/theme-first.ts',
  },
  { source: 'agent/console/page', target: 'dist/agent/console/page-files', floor: BROWSER_FLOORS.gateway },
];

/** Gives the page a script that runs before the first paint: a file of its own, which is no module, because modules wait for the whole page. */
function scriptBeforePaint(path) {
  let file;
  return {
    name: 'script-before-paint',
    async buildStart() {
      const { code } = await transformWithOxc(await readFile(path, 'utf8'), path, { sourcemap: false });
      const { code: source } = await minify(path, code);
      file = this.emitFile({ type: 'asset', name: basename(path).replace('.ts', '.js'), source });
    },
    generateBundle() {
      file = this.getFileName(file);
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { src: `/console/${file}` }, injectTo: 'head-prepend' }],
    },
  };
}

for (const { source, target, floor, first } of CONSOLES) {
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-p', source], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${source}: ${stdout}`);
  await build({
    configFile: false,
    root: source,
    base: '/console/',
    plugins: first === undefined ? [] : [scriptBeforePaint(first)],
    logLevel: 'warn',
    resolve: { alias: { '@parking-gateway/client': resolve('dist/client/index.js') } },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: resolve(target),
      emptyOutDir: true,
      // Beside the page: the service has one folder of them.
      assetsDir: '',
      // No `data:`: the page's policy allows files of this service alone.
      assetsInlineLimit: 0,
      // Scripts that the first one needs are asked for together with it. All browsers that the floor names know how.
      modulePreload: { polyfill: false },
      target: [...floor.targets],
      reportCompressedSize: false,
      // What a first load needs anyway is one script, also where other views use parts of it: small scripts compress worse.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', test: FIRST }] } } },
    },
  });
}
