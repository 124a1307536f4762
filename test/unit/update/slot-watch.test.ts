/** What the gateway does for the watch over its slot (parking-trial), and before it knows its slots. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOfferFinder } from '../../../agent/update/find-offers.js';
import { FIRST_STATE, PROVE_WITHIN_MS } from '../../../agent/update/update-machine.js';
import { writeUpdateState } from '../../../agent/update/update-state-file.js';
import { createUpdates, type Updates } from '../../../agent/update/updates.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { silentLogger } from '../../../shared/logger.js';
import type { WantedRelease } from '../../../shared/releases.js';
import { Slots } from '../../devices/slots.js';
import { FakeClock } from '../../world/fake-clock.js';

const LOOK_EVERY_MS = 5_000;
const FILE: WantedRelease = {
  machine: 'parking-gateway-arm64',
  version: '1.1.0',
  sha256: 'ab'.repeat(32),
  bytes: 1,
  url: 'http://127.0.0.1:9/bundle',
  security_floor: null,
};

let directory: string;
let slots: Slots;
let clock: FakeClock;
let moves: string | null;
let updates: Updates;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'slot-watch-'));
  [slots, clock, moves] = [new Slots(() => ({ machine: FILE.machine, version: FILE.version })), new FakeClock(), null];
  slots.streams = true;
});
afterEach(async () => {
  await updates.close();
  rmSync(directory, { recursive: true, force: true });
});

function start(of: { isWanted?: true; isOnline?: false } = {}): void {
  updates = createUpdates({
    installer: slots,
    directory,
    clock,
    logger: silentLogger,
    wanted: () => (of.isWanted ? { is_paused: false, hours: null, asked_ms: 0, releases: [FILE] } : undefined),
    timezone: () => 'UTC',
    knownTime: () => clock.now(),
    busy: () => moves,
    moves: () => moves,
    decisions: () => 0,
    cloud: () => of.isOnline ?? true,
    radio: () => true,
    store: () => true,
    offers: createOfferFinder({ installer: slots, mountTable: async () => '' }),
  });
  updates.start(() => undefined);
}

it('says what moves as long as its slot is not good, and does not start the device anew meanwhile', async () => {
  const release = { ...FILE, version: '1.0.0', source: { kind: 'cloud', url: FILE.url } } as const;
  const before = { cloud: true, radio: false };
  writeUpdateState(join(directory, 'state.json'), { ...FIRST_STATE, phase: 'proving', release, before, starts: 1 });
  moves = 'Exit, which moves';
  start({ isOnline: false });
  await clock.advance(LOOK_EVERY_MS);
  await expect.poll(() => slots.moving).toBe('Exit, which moves');
  await clock.advance(PROVE_WITHIN_MS + LOOK_EVERY_MS);
  expect([slots.asked, updates.report()?.error]).toEqual([[], 'the cloud is not reached']);
  moves = null;
  await clock.advance(LOOK_EVERY_MS);
  await expect.poll(() => slots.asked).toEqual(['bad', 'restart']);
  expect(slots.moving).toBeNull();
});

it('has its slot called good before it begins an update, which may take an hour', async () => {
  start({ isWanted: true });
  await clock.advance(55_000);
  expect(updates.report()).toMatchObject({ phase: 'fetching', waits_for: 'the first minute after its start' });
  expect(slots.asked).toEqual([]);
  await clock.advance(2 * LOOK_EVERY_MS);
  await expect.poll(() => slots.asked.slice(0, 1)).toEqual(['good']);
  await clock.advance(2 * LOOK_EVERY_MS);
  await expect.poll(() => slots.asked.slice(0, 2)).toEqual(['good', 'install']);
});

it('has its slot called good before it leaves it for another one, so that this one has its tries to come back', async () => {
  const release = { ...FILE, version: '1.1.0', source: { kind: 'cloud', url: FILE.url } } as const;
  writeUpdateState(join(directory, 'state.json'), { ...FIRST_STATE, phase: 'ready', release });
  start({ isWanted: true });
  await clock.advance(55_000);
  expect(updates.report()).toMatchObject({ phase: 'ready', waits_for: 'the first minute after its start' });
  expect(slots.asked).toEqual([]);
  await clock.advance(2 * LOOK_EVERY_MS);
  await expect.poll(() => slots.asked.slice(0, 2)).toEqual(['good', 'choose']);
});

it('says nothing of its slots before it has looked', async () => {
  const waiting = deferred<Awaited<ReturnType<Slots['look']>>>();
  const found = await slots.look();
  slots.look = () => waiting.promise;
  start();
  await clock.advance(LOOK_EVERY_MS);
  expect([updates.report(), updates.view()]).toEqual([undefined, null]);
  waiting.resolve(found);
  await expect.poll(() => updates.report()?.can_install).toBe(true);
});
