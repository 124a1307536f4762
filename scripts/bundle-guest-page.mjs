// Makes the page of a weblink in dist/cloud/guests/guest-page/guest-page.html: one file, so that a phone with a weak network asks once. Its script
// runs in browsers, and is checked with their types.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';
import { BROWSER_FLOORS } from '../dist/scripts/browser-floors.js';

const SOURCE = 'cloud/guests/guest-page/page';
const TARGET = 'dist/cloud/guests/guest-page/guest-page.html';

const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-p', SOURCE], { encoding: 'utf8' });
if (status !== 0) throw new Error(`the guest's page: ${stdout}`);
const { output } = await build({
  input: `${SOURCE}/page.ts`,
  platform: 'browser',
  logLevel: 'warn',
  write: false,
  transform: { target: [...BROWSER_FLOORS.guest.targets] },
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  output: { format: 'iife', minify: true },
});
const script = output[0].code.trim();
const style = readFileSync(`${SOURCE}/page.css`, 'utf8')
  .replaceAll(/\/\*.*?\*\//g, '')
  .replaceAll(/\s+/g, ' ');
if (/<\/(script|style)/i.test(script + style))
  throw new Error("the guest's page: its script or style ends its own element");
const html = readFileSync(`${SOURCE}/page.html`, 'utf8')
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => script);
writeFileSync(TARGET, html);
