/**
 * The tests of money and of time zones under another release of Node.js, whose tables of currencies (ICU 76) and of time zones (2025a) differ
 * from those of this one. npm has releases of Node.js as packages, one for each platform. It is no dependency: its program would be the `node`
 * of every script, and a device would install its 150 MB.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PACKAGE = `node-${process.platform}-${process.arch}`;
const RELEASE = '20.19.0';
const TESTS = [
  'unit/money',
  'unit/tariff',
  'integration/session/prices.test.js',
  'integration/session/payments.test.js',
  'integration/http/bare-dates.test.js',
  'integration/lot/unknown-zone.test.js',
].map((name) => join('dist/test', name));

const folder = mkdtempSync(join(tmpdir(), 'second-icu-'));
const node = join(folder, 'node_modules', PACKAGE, 'bin/node');

beforeAll(() => {
  const install = ['install', '--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', [...install, `${PACKAGE}@${RELEASE}`]);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const printed = (script: string): string => execFileSync(node, ['-p', script], { encoding: 'utf8' }).trim();

it('has other tables than this one', () => {
  const digits = `new Intl.NumberFormat('en', { style: 'currency', currency: 'HUF' }).resolvedOptions().maximumFractionDigits`;
  expect(printed('process.versions.icu')).not.toBe(process.versions.icu);
  expect(printed(digits)).toBe('2');
});

it('counts amounts and days as this one does', () => {
  const environment = { ...process.env, TEST_TIER: 'gate' };
  const { status, stdout, stderr } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...TESTS], {
    encoding: 'utf8',
    env: environment,
  });
  expect(status, `${stdout.slice(-4_000)}${stderr.slice(-2_000)}`).toBe(0);
}, 900_000);
