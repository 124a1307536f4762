// Makes the operator's console in dist/cloud/console/console-files: a page, and files whose names change with their content. Its client is
// the package that integrators get (dist/client), with the types of the served document, so that bundle-client.mjs runs before this.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { build } from 'vite';

const SOURCE = 'cloud/console/page';
const TARGET = 'dist/cloud/console/console-files';

const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-p', SOURCE], { encoding: 'utf8' });
if (status !== 0) throw new Error(`the console: ${stdout}`);
await build({
  configFile: false,
  root: SOURCE,
  base: '/console/',
  logLevel: 'warn',
  resolve: { alias: { '@parking-gateway/client': resolve('dist/client/index.js') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: resolve(TARGET),
    emptyOutDir: true,
    // Beside the page: the service has one folder of them.
    assetsDir: '',
    // No `data:`: the page's policy allows files of this service alone.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: 'es2022',
    reportCompressedSize: false,
  },
});
