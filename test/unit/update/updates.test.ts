/** The room of updates on a device with two slots, over real HTTP: from the announcement to good or back, through restarts and cut links. */
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOfferFinder } from '../../../agent/update/find-offers.js';
import { createUpdates, type Updates, type UpdatesDeps } from '../../../agent/update/updates.js';
import { parseByteRange } from '../../../cloud/equipment/release/byte-range-parser.js';
import { silentLogger } from '../../../shared/logger.js';
import type { UpdatePhase, WantedUpdates } from '../../../shared/releases.js';
import { Slots } from '../../devices/slots.js';
import { FakeClock } from '../../world/fake-clock.js';

const FILE = randomBytes(4_000_000);
const SHA256 = createHash('sha256').update(FILE).digest('hex');
const QUIET_MS = 10 * 60_000;

let directory: string;
let server: Server;
let url: string;
/** Of each answer, how many bytes are sent before the link breaks; none left: it does not. */
let cuts: number[];
/** What the server sends. */
let served: Buffer;
let ranges: (string | undefined)[];
let slots: Slots;
let clock: FakeClock;
let wanted: WantedUpdates | undefined;
let busy: string | null;
let works: { cloud: boolean; radio: boolean; store: boolean };
let decisions: number;
let updates: Updates;
let changes: number;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'updates-'));
  [cuts, served, ranges, busy, decisions, changes] = [[], FILE, [], null, 0, 0];
  works = { cloud: true, radio: true, store: true };
  server = createServer((request, response) => {
    ranges.push(request.headers.range);
    const range = parseByteRange(request.headers.range, served.length);
    const { start, end } = typeof range === 'string' ? { start: 0, end: served.length - 1 } : range;
    const part = served.subarray(start, end + 1);
    response.writeHead(typeof range === 'string' ? 200 : 206, { 'content-length': part.length });
    const cut = cuts.shift();
    if (cut === undefined) response.end(part);
    else response.write(part.subarray(0, cut), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle`;
  slots = new Slots((path) =>
    path.includes(SHA256) ? { machine: 'parking-gateway-arm64', version: '1.1.0' } : undefined,
  );
  clock = new FakeClock();
  wanted = { is_paused: false, hours: null, asked_ms: 0, releases: [release()] };
  updates = startUpdates();
});
afterEach(async () => {
  await updates.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

const release = (): WantedUpdates['releases'][number] => ({
  machine: 'parking-gateway-arm64',
  version: '1.1.0',
  sha256: SHA256,
  bytes: FILE.length,
  url,
  security_floor: '1.0.0',
});

function startUpdates(change: Partial<UpdatesDeps> = {}): Updates {
  const started = createUpdates({
    installer: slots,
    directory,
    clock,
    logger: silentLogger,
    wanted: () => wanted,
    timezone: () => 'UTC',
    knownTime: () => clock.now(),
    busy: () => busy,
    moves: () => null,
    decisions: () => decisions,
    cloud: () => works.cloud,
    radio: () => works.radio,
    store: () => works.store,
    offers: createOfferFinder({ installer: slots, mountTable: async () => '' }),
    ...change,
  });
  started.start(() => void (changes += 1));
  return started;
}

const LOOK_EVERY_MS = 5_000;

/**
 * Lets time pass and shows what is seen after each step. It passes only while nothing is under way but the waiting for the next look:
 * bytes and files need real time, and a link that is silent for a minute is cut.
 */
const passing = <T>(seen: () => T, lookMs = LOOK_EVERY_MS) =>
  expect.poll(
    async () => {
      const next = clock.nextIn;
      if (next !== null && next <= LOOK_EVERY_MS) await clock.advance(lookMs);
      return seen();
    },
    { timeout: 20_000, interval: 5 },
  );

/** Lets time pass until the update is in this phase. */
const until = (phase: UpdatePhase, lookMs?: number): Promise<void> =>
  passing(() => updates.report()?.phase, lookMs).toBe(phase);

/** The device starts anew, and with it the program. */
async function startAnew(): Promise<void> {
  await updates.close();
  slots.start();
  decisions = 0;
  updates = startUpdates();
}

async function activated(): Promise<void> {
  await until('activating');
  await passing(() => slots.wantsRestart).toBe(true);
  await startAnew();
}

describe('an update', () => {
  it('comes to the other slot, waits for a quiet moment, and is good after a decision', async () => {
    busy = 'a vehicle that was just seen';
    await until('ready');
    await clock.advance(600_000);
    expect(updates.report()).toMatchObject({
      installed: '1.0.0',
      slot: 'A',
      phase: 'ready',
      version: '1.1.0',
      waits_for: busy,
    });
    expect(slots.asked.toSorted()).toEqual(['good', 'install']);
    busy = null;
    await activated();
    expect(slots.asked.slice(2)).toEqual(['choose', 'restart']);
    await until('proving');
    expect(updates.report()).toMatchObject({
      installed: '1.1.0',
      slot: 'B',
      waits_for: 'a vehicle that is decided on, or ten quiet minutes',
    });
    decisions = 1;
    await until('idle');
    expect(slots.asked.at(-1)).toBe('good');
    expect(readdirSync(directory)).toEqual(['state.json']);
    expect(JSON.parse(readFileSync(join(directory, 'state.json'), 'utf8'))).toMatchObject({ floor: '1.0.0' });
    expect(changes).toBeGreaterThan(4);
  });

  it('is good after ten quiet minutes', async () => {
    await activated();
    await until('proving');
    await clock.advance(QUIET_MS - 20_000);
    expect(updates.report()?.phase).toBe('proving');
    await clock.advance(30_000);
    expect(updates.report()?.phase).toBe('idle');
  });

  it('falls back when the cloud is not reached any more, and is not tried again until somebody asks', async () => {
    await activated();
    works.cloud = false;
    await until('proving');
    await clock.advance(30 * 60_000);
    expect(slots.asked.slice(-2)).toEqual(['bad', 'restart']);
    await startAnew();
    works.cloud = true;
    await until('fallen_back');
    expect(updates.report()).toMatchObject({
      installed: '1.0.0',
      slot: 'A',
      error: 'the cloud is not reached; 1.0.0 runs again',
    });
    await clock.advance(600_000);
    expect(updates.report()?.phase).toBe('fallen_back');
    expect(slots.asked.at(-1)).toBe('good');
    wanted = { is_paused: false, releases: [release()], hours: { from: 0, to: 1 }, asked_ms: 1 };
    await activated();
    await until('proving');
    decisions = 1;
    await until('idle');
  });

  it('falls back by itself when the new software does not start', async () => {
    slots.broken.add('1.1.0');
    await activated();
    await until('fallen_back');
    expect(updates.report()).toMatchObject({ installed: '1.0.0', slot: 'A' });
    expect(readdirSync(directory)).toEqual(['state.json']);
  });

  it('does not restart the device when a vehicle comes while the slot is chosen', async () => {
    const choose = slots.choose.bind(slots);
    slots.choose = async () => {
      await choose();
      busy = 'a vehicle that was just seen';
    };
    await until('ready');
    await clock.advance(10_000);
    expect(slots.asked).toContain('choose');
    expect(slots.wantsRestart).toBe(false);
    expect(updates.report()).toMatchObject({ phase: 'ready', waits_for: busy });
  });

  it('activates again when the disk refused to keep how far the activation came', async () => {
    const obstacle = join(directory, 'state.json.new');
    const choose = slots.choose.bind(slots);
    slots.choose = async () => {
      await choose();
      if (slots.asked.filter((each) => each === 'choose').length === 1) mkdirSync(obstacle);
    };
    await until('ready');
    await passing(() => existsSync(obstacle)).toBe(true);
    await passing(() => updates.report()?.error).toContain('EISDIR');
    rmSync(obstacle, { recursive: true });
    await clock.advance(5_000);
    await passing(() => slots.wantsRestart).toBe(true);
    await startAnew();
    await until('proving');
    expect(updates.report()?.installed).toBe('1.1.0');
  });

  it('says so when the device does not restart', async () => {
    await until('activating');
    await passing(() => slots.wantsRestart).toBe(true);
    busy = 'a command at a product';
    await clock.advance(5 * 60_000 + 1);
    expect(updates.report()).toMatchObject({
      phase: 'ready',
      error: expect.stringContaining('parking-restart.path') as string,
    });
  });
});

it('is installed from its address, without its file, when RAUC can do that', async () => {
  slots.streams = true;
  slots.bundles.set(url, { machine: 'parking-gateway-arm64', version: '1.1.0' });
  await activated();
  await until('proving');
  decisions = 1;
  await until('idle');
  expect([updates.report()?.installed, ranges]).toEqual(['1.1.0', []]);
});

it('is brought whole when that fails three times', async () => {
  slots.streams = true;
  slots.bundles.set(url, { machine: 'parking-gateway-arm64', version: '1.1.0' });
  slots.failures.push(...[1, 2, 3].map(() => new Error('rauc: the link broke')));
  busy = 'nothing yet';
  await until('ready', 30_000);
  expect(ranges).toHaveLength(1);
});

describe('the link', () => {
  it('may be cut at every tenth of the file: what has come is not fetched again', async () => {
    const tenth = FILE.length / 10;
    cuts = Array.from({ length: 9 }, () => tenth);
    busy = 'nothing yet';
    await until('ready', 30_000);
    expect(ranges).toHaveLength(10);
    // What was on the way when the link broke may be lost.
    const starts = ranges.map((range) => Number(/\d+/.exec(range ?? 'bytes=0-')?.[0]));
    expect(starts.toSorted((a, b) => a - b)).toEqual(starts);
    expect(starts.at(-1)).toBeGreaterThan(FILE.length * 0.6);
    expect(slots.asked).toContain('install');
  });

  it('may bring another file twice; then the release is given up', async () => {
    served = Buffer.concat([FILE.subarray(0, -1), Buffer.from([FILE[FILE.length - 1] === 0 ? 1 : 0])]);
    await until('failed', 30_000);
    expect(updates.report()?.error).toMatch(/not the one that was announced/);
    expect(ranges).toHaveLength(2);
    expect(readdirSync(directory)).toEqual(['state.json']);
    served = Buffer.concat([FILE, FILE]);
    wanted = { is_paused: false, hours: null, releases: [release()], asked_ms: 9 };
    await until('fetching');
    await until('failed', 30_000);
    expect(updates.report()?.error).toMatch(/more came than the 4000000 bytes/);
  });

  it('may be gone for days: nothing is given up, and what is wrong is said', async () => {
    server.close();
    server.closeAllConnections();
    await until('fetching');
    await passing(() => updates.report()?.error).toMatch(/did not answer/);
    await clock.advance(600_000);
    expect(updates.report()?.phase).toBe('fetching');
  });

  it('is left when the release is withdrawn or another is wanted', async () => {
    cuts = [100_000];
    await until('fetching');
    await passing(() => updates.report()?.error).toMatch(/did not answer|terminated|link broke|aborted/);
    wanted = undefined;
    wanted = { is_paused: false, hours: null, asked_ms: 0, releases: [] };
    await until('idle');
    await clock.advance(600_000);
    expect(ranges).toHaveLength(1);
  });
});

describe('what is wrong', () => {
  it('is refused: no signature, another device, another version than was announced', async () => {
    slots = new Slots();
    await updates.close();
    updates = startUpdates();
    await until('failed');
    expect(updates.report()?.error).toBe('signature verification failed');
    for (const [info, problem] of [
      [
        { machine: 'parking-gateway-amd64', version: '1.1.0' },
        /it is for parking-gateway-amd64, and this device is parking-gateway-arm64/,
      ],
      [
        { machine: 'parking-gateway-arm64', version: '0.9.0' },
        /its signature says version 0\.9\.0, and 1\.1\.0 was announced/,
      ],
    ] as const) {
      await updates.close();
      rmSync(join(directory, 'state.json'));
      slots = new Slots(() => info);
      updates = startUpdates();
      await until('failed');
      expect(updates.report()?.error).toMatch(problem);
      expect(slots.asked).not.toContain('install');
    }
  });

  it('waits for the time', async () => {
    await updates.close();
    updates = startUpdates({ knownTime: () => null });
    await until('fetching');
    await clock.advance(600_000);
    expect(updates.report()).toMatchObject({
      phase: 'fetching',
      waits_for: 'the time, which this device does not know yet',
    });
    expect(ranges).toEqual([]);
  });

  it('is found in a damaged state: it begins anew', async () => {
    await updates.close();
    writeFileSync(join(directory, 'state.json'), '{"phase": "proving", "rel');
    busy = 'nothing yet';
    updates = startUpdates();
    await until('ready');
  });

  it('leaves a device without slots alone', async () => {
    await updates.close();
    slots.look = async () => null as never;
    updates = startUpdates();
    await clock.advance(600_000);
    expect(updates.report()).toMatchObject({ can_install: false, phase: 'idle', installed: null });
    await expect(updates.check(null)).rejects.toThrow(/whoever installed its software updates it/);
    expect(slots.asked).toEqual([]);
  });

  it('is that the service of RAUC does not answer: it is asked again', async () => {
    await updates.close();
    const real = slots.look.bind(slots);
    slots.look = () => Promise.reject(new Error('rauc: error creating proxy'));
    updates = startUpdates();
    await clock.advance(60_000);
    expect(updates.report()).toMatchObject({ can_install: true, error: 'rauc: error creating proxy' });
    slots.look = real;
    busy = 'nothing yet';
    await until('ready');
    expect(updates.report()?.error).toBeNull();
  });
});

describe('the bundle that was judged', () => {
  const other = { machine: 'parking-gateway-arm64', version: '1.1.0', manifest_hash: 'of another one' };

  it('is the one that is installed: an address that answers with another one the second time is not used', async () => {
    slots.streams = true;
    slots.bundles.set(url, { machine: 'parking-gateway-arm64', version: '1.1.0' });
    const install = slots.install.bind(slots);
    slots.install = async (path, onProgress) => {
      if (path === url) slots.bundles.set(url, other);
      await install(path, onProgress);
      if (path === url) slots.bundles.set(url, { machine: 'parking-gateway-arm64', version: '1.1.0' });
    };
    busy = 'nothing yet';
    await until('ready', 30_000);
    expect(slots.asked.filter((each) => each === 'install')).toHaveLength(2);
    expect(ranges[0]).toBeUndefined();
    expect((await slots.written())?.manifest_hash).toBe('manifest of 1.1.0');
    expect(slots.asked).not.toContain('choose');
  });

  it('is brought whole where RAUC does not say which one it installs', async () => {
    slots.streams = true;
    slots.bundles.set(url, { machine: 'parking-gateway-arm64', version: '1.1.0', manifest_hash: null });
    busy = 'nothing yet';
    await until('ready', 30_000);
    expect(ranges.length).toBeGreaterThan(0);
  });

  it('is fetched again when its file is not as it came any more', async () => {
    const install = slots.install.bind(slots);
    slots.install = async () => Promise.reject(new Error('rauc: later'));
    await until('installing');
    // The step of a phase begins with the next look, so time has to pass for it.
    await passing(() => updates.report()?.error).toMatch(/later/);
    writeFileSync(join(directory, `${SHA256}.raucb`), 'another');
    slots.install = install;
    busy = 'nothing yet';
    await until('ready', 30_000);
    expect(ranges.filter((range) => range === undefined).length).toBeGreaterThan(1);
  });
});

describe('a disk that refuses to write', () => {
  const refuse = () => mkdirSync(join(directory, 'state.json.new'));

  it('costs the slot that runs none of its tries', async () => {
    wanted = undefined;
    await updates.close();
    refuse();
    slots.start();
    slots.start();
    updates = startUpdates();
    await clock.advance(70_000);
    expect(slots.asked).toContain('good');
    slots.start();
    expect(slots.version).toBe('1.0.0');
  });

  it('does not take back software that works, and is said', async () => {
    await activated();
    await until('proving');
    refuse();
    decisions = 1;
    await until('idle');
    expect(slots.asked.at(-1)).toBe('good');
    expect(updates.report()?.error).toMatch(/the state of the update cannot be kept: EISDIR/);
    // What is on the disk still says that it has to prove itself: it does so again at the next start.
    await startAnew();
    await until('proving');
    rmSync(join(directory, 'state.json.new'), { recursive: true });
    decisions = 1;
    await until('idle');
    expect(updates.report()?.error).toBeNull();
  });

  it('begins no other slot, which would not know what it has to prove', async () => {
    busy = 'nothing yet';
    await until('ready');
    refuse();
    busy = null;
    await clock.advance(20_000);
    expect(slots.asked).not.toContain('choose');
    expect(updates.report()).toMatchObject({ phase: 'ready', error: expect.stringContaining('EISDIR') as string });
  });
});

describe('sticks', () => {
  it('hide nothing behind a bundle that cannot be judged: each has its reason, and the newest is offered', async () => {
    await updates.close();
    wanted = undefined;
    const mount = join(directory, 'media', 'stick');
    mkdirSync(mount, { recursive: true });
    const put = (name: string, version: string) => {
      const path = join(mount, name);
      writeFileSync(path, name);
      slots.bundles.set(path, { machine: 'parking-gateway-arm64', version });
      return path;
    };
    for (let minor = 1; minor <= 40; minor += 1) put(`bundle-1.${minor}.0.raucb`, `1.${minor}.0`);
    const newest = put('BUNDLE-1.41.0.RAUCB', '1.41.0');
    const ended = put('bundle-1.42.0.raucb', '1.42.0');
    writeFileSync(join(mount, '._bundle-1.43.0.raucb'), 'a note of a Mac');
    symlinkSync(ended, join(mount, 'link.raucb'));
    const check = slots.check.bind(slots);
    const checked: string[] = [];
    slots.check = async (path) => {
      checked.push(path);
      if (path === ended) throw new Error('rauc: certificate has expired');
      return check(path);
    };
    const offers = createOfferFinder({
      installer: slots,
      mountTable: async () => `36 35 8:1 / ${mount} ro - vfat /dev/sda1 ro`,
      places: [`${directory}/media/`],
    });
    updates = startUpdates({ offers });
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return updates.view()?.offers.length;
      })
      .toBe(32);
    expect(updates.view()?.offers[0]).toEqual({ path: newest, version: '1.41.0', problem: null });
    expect(updates.view()?.offers.at(-1)).toEqual({
      path: ended,
      version: null,
      problem: 'rauc: certificate has expired',
    });
    // What was judged is not judged again; what could not be, is.
    await expect
      .poll(async () => {
        await clock.advance(15_000);
        return checked.filter((path) => path === ended).length;
      })
      .toBeGreaterThan(2);
    expect(checked.filter((path) => path === newest)).toHaveLength(1);
    for (const { path } of updates.view()?.offers ?? []) if (path !== ended) rmSync(path);
    for (let minor = 1; minor <= 40; minor += 1) rmSync(join(mount, `bundle-1.${minor}.0.raucb`), { force: true });
    await expect
      .poll(async () => {
        await clock.advance(15_000);
        return updates.view()?.offers.length;
      })
      .toBe(1);
    await expect(updates.check(null)).rejects.toThrow(/can be installed .*certificate has expired/);
  });

  it('are found; of two, the newest that can be installed is offered, and installed when a person says so', async () => {
    await updates.close();
    wanted = undefined;
    const mounts = ['old', 'new', 'foreign'].map((name) => join(directory, 'media', `stick ${name}`));
    for (const mount of mounts) mkdirSync(mount, { recursive: true });
    const [old = '', young = '', foreign = ''] = mounts.map((mount) => join(mount, 'gateway.raucb'));
    for (const [path, machine, version] of [
      [old, 'parking-gateway-arm64', '1.2.0'],
      [young, 'parking-gateway-arm64', '1.10.0'],
      [foreign, 'parking-gateway-amd64', '2.0.0'],
    ] as const) {
      writeFileSync(path, version);
      slots.bundles.set(path, { machine, version });
    }
    writeFileSync(join(mounts[0] ?? '', 'bad.raucb'), 'x');
    const table = mounts
      .map((mount) => `36 35 8:1 / ${mount.replaceAll(' ', '\\040')} rw - vfat /dev/sda1 rw`)
      .join('\n');
    const offers = createOfferFinder({
      installer: slots,
      mountTable: async () => table,
      places: [`${directory}/media/`],
    });
    updates = startUpdates({ offers });
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return updates.view()?.offers.length;
      })
      .toBe(4);
    expect(updates.view()?.offers).toEqual([
      { path: young, version: '1.10.0', problem: null },
      { path: old, version: '1.2.0', problem: null },
      { path: join(mounts[0] ?? '', 'bad.raucb'), version: null, problem: 'signature verification failed' },
      {
        path: foreign,
        version: null,
        problem: 'it is for parking-gateway-amd64, and this device is parking-gateway-arm64',
      },
    ]);
    expect(await updates.check(null)).toEqual({ path: young, version: '1.10.0', installed: '1.0.0', step: 'newer' });
    await expect(updates.check(foreign)).rejects.toThrow(/it is for parking-gateway-amd64/);
    await expect(updates.check(join(directory, 'nothing.raucb'))).rejects.toThrow(/no file that the gateway can read/);
    await updates.install(null);
    const copy = join(directory, `${createHash('sha256').update('1.10.0').digest('hex')}.raucb`);
    slots.bundles.set(copy, { machine: 'parking-gateway-arm64', version: '1.10.0' });
    await activated();
    await until('proving');
    expect(updates.report()?.installed).toBe('1.10.0');
    await expect(updates.check(foreign)).rejects.toThrow('the update to 1.10.0 is under way (proving)');
    expect(existsSync(copy)).toBe(true);
  });
});
