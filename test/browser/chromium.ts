/** A real Chromium without a window, for the tests of pages. It asks nobody but what its pages ask. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian's package puts it. */
const CHROMIUM_PATH = '/usr/bin/chromium';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Whether there is a Chromium to test with. `scripts/setup --test` installs it as root; without one the tests of pages are skipped,
 * with a line that says so, and fail in CI.
 */
export function hasChromium(): boolean {
  if (existsSync(CHROMIUM_PATH)) return true;
  const what = `no Chromium at ${CHROMIUM_PATH} (Debian: apt install chromium)`;
  if (process.env.CI !== undefined) throw new Error(`${what}: in CI the tests of pages may not be skipped`);
  process.stdout.write(`\nSKIPPED, NOT TESTED: the pages in a browser: ${what}\n`);
  return false;
}

/** Starts a browser with an empty profile of its own, which is deleted when it closes. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM_PATH, args: FLAGS });
}
