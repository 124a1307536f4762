/** What every camera driver promises, tested over real sockets with payloads as the vendor's cameras send them. */
import { randomBytes } from 'node:crypto';
import * as fc from '../property.js';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { type LocalServer, startLocalServer } from '../../agent/console/local-server.js';
import { createCameraDrivers } from '../../agent/lpr/camera-drivers.js';
import type { CameraDriver, CameraRead, ParsedPush, PushReader } from '../../agent/lpr/camera.js';
import { reachProbe } from '../../agent/lpr/network/http-probe.js';
import type { MalformedPush } from '../../agent/lpr/push/quarantine.js';
import type { CameraDriverName } from '../../shared/drivers/camera-driver-list.js';
import { cameraSettingProblems } from '../../shared/drivers/camera-drivers.js';
import { VEHICLE_TYPES } from '../../shared/events/event-schemas.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import { systemClock } from '../../shared/system-clock.js';
import { HOSTILE_BODIES } from '../attack/hostile-bodies.js';
import { runs, runsTimeoutMs } from '../depth.js';
import { camera as cameraItem } from '../unit/lpr/plate-world.js';
import { pushWorld } from '../unit/lpr/push-world.js';
import { provedIn } from './camera-results.js';
import type { ProbedDevice } from './probed-device.js';
import { gatewayPort, type SimulatedCamera, simulatedConformance } from './simulated-camera-conformance.js';
import { cameraDriverDeps } from '../world/camera-driver-deps.js';

export interface PushSample {
  name: string;
  contentType: string;
  body: Uint8Array;
  /** What the vendor adds to the address; left out: nothing. */
  path?: string;
  headers?: Record<string, string>;
  /** What this push is answered, where that depends on it. */
  answer?: string;
}

export interface CameraHarness {
  driver: CameraDriverName;
  /** null: its cameras do not post. */
  pushes: {
    /** Pushes of one vehicle each, and what the driver reads in them. */
    reads: (PushSample & { read: Partial<CameraRead> })[];
    /** Heartbeats and events that are no reads. */
    others: PushSample[];
    /** Pushes of its own that cannot be parsed, beside those that no driver can (`HOSTILE_BODIES`). */
    malformed?: PushSample[];
    /** What of `HOSTILE_BODIES` its cameras could have sent, a sign of life; and its answer, if that is another. */
    hears?: { bodies: readonly string[]; answer?: string };
  } | null;
  /** null: its cameras cannot be probed. */
  startDevice: ((account: { username: string; password: string }) => Promise<ProbedDevice>) | null;
  /** Settings of its camera beyond the usual ones. */
  item?: Partial<CameraItem>;
  /** Left out: the simulator's camera is not tried. What it is, and whether it is listened to rather than pushing. */
  simulated?: SimulatedCamera[];
}

const KEY = 'right-key';
const ACCOUNT = { username: 'admin', password: 'a secret of the camera' };

export function cameraConformance(name: string, harness: CameraHarness): void {
  describe(`camera driver: ${name}`, () => {
    let driver: CameraDriver;
    const it = provedIn(name);

    beforeEach(() => {
      const drivers = createCameraDrivers(
        cameraDriverDeps(systemClock, {
          randomHex: (bytes) => randomBytes(bytes).toString('hex'),
          httpPort: () => gatewayPort.now,
        }),
      );
      const created = drivers.get(harness.driver);
      if (created === undefined) throw new Error(`no driver ${harness.driver}`);
      driver = created;
    });

    const itemOf = (change: Partial<CameraItem> = {}): CameraItem =>
      cameraItem('cam', { driver: harness.driver, push_key: KEY, ...harness.item, ...change });

    it('is listed', 'is in the list of drivers, and offers what it is tried for', () => {
      expect(cameraSettingProblems(harness.driver, itemOf())).toEqual([]);
      // That something listens at its address says nothing of a vendor: it needs no device of its own.
      const isProbed = driver.probe !== null && driver.probe !== reachProbe;
      expect([driver.push !== null, isProbed]).toEqual([harness.pushes !== null, harness.startDevice !== null]);
    });

    const { pushes, startDevice } = harness;
    if (pushes !== null) pushConformance(pushes, { name, push: () => driver.push, item: itemOf, driver: () => driver });
    if (startDevice !== null) probeConformance(startDevice, { name, probe: () => driver.probe, item: itemOf });
    for (const simulated of harness.simulated ?? [])
      simulatedConformance(simulated, { name, driver: () => driver, item: itemOf });
  });
}

type Pushes = NonNullable<CameraHarness['pushes']>;

interface Pushing {
  name: string;
  driver: () => CameraDriver;
  push: () => PushReader | null;
  item: () => CameraItem;
}

function pushConformance({ reads, others, malformed = [], hears }: Pushes, of: Pushing): void {
  describe('a push', () => {
    const it = provedIn(of.name);
    let server: LocalServer;
    let world: ReturnType<typeof pushWorld>;
    let heard: CameraRead[];
    let quarantined: MalformedPush[];
    const broken = [...malformed, { name: 'text', contentType: 'text/plain', body: Buffer.from('no document at all') }];

    beforeEach(async () => {
      heard = [];
      world = pushWorld(
        {},
        {
          drivers: new Map([[of.item().driver, of.driver()]]),
          camera: (deviceId) => (deviceId === 'cam' ? of.item() : undefined),
          plateReads: {
            async handle(_deviceId, read) {
              // A read whose pictures are still to come is handled again when the push is whole.
              if (read.pictures.follow === undefined) heard.push(read);
              return 'stored';
            },
          },
        },
      );
      ({ quarantined } = world);
      server = await startLocalServer({ app: world.app, host: '127.0.0.1', port: 0 });
    });
    afterEach(() => server.close());

    /** Posts a push over a socket; resolves when the answer is what the vendor expects. */
    async function post({ contentType, body, path = '', headers = {}, answer }: PushSample): Promise<void> {
      const url = `http://127.0.0.1:${server.port}/lpr/${of.item().driver}/cam/${KEY}${path}`;
      const response = await fetch(url, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: contentType === '' ? headers : { 'content-type': contentType, ...headers },
      });
      const accepted = of.push()?.accepted;
      expect([response.status, await response.text()]).toEqual([accepted?.status, answer ?? accepted?.body]);
      if (accepted?.contentType) expect(response.headers.get('content-type')).toBe(accepted.contentType);
    }
    function parse({ contentType, body, headers = {}, path = '' }: Omit<PushSample, 'name'>): ParsedPush {
      const reader = of.push();
      if (reader === null) throw new Error('its cameras do not post');
      const header = (name: string) => headers[name];
      return reader.parse({ contentType, body, camera: of.item(), header, path });
    }

    it.each(reads)('reads a push', '$name is read as it was sent', async (sample) => {
      await post(sample);
      expect(heard).toEqual([expect.objectContaining(sample.read)]);
      for (const read of heard) expectWellFormed(read);
      expect(quarantined).toEqual([]);
    });

    it.each(reads)('knows a repeat', '$name, sent again, is the same event', async (sample) => {
      await post(sample);
      await post(sample);
      expect(heard[1]).toEqual(heard[0]);
    });

    it.each(others)('sign of life', '$name is a sign of life, and no read', async (sample) => {
      await post(sample);
      expect([heard, quarantined]).toEqual([[], []]);
      expect(world.states.list()).toMatchObject([{ device_id: 'cam' }]);
    });

    it.each(malformed)('malformed', '$name is put aside with its reason, and answered alike', async (sample) => {
      await post(sample);
      expect(heard).toEqual([]);
      expectPutAside(sample);
    });

    it('malformed', 'what no camera posts is put aside with its reason, and answered alike', async () => {
      for (const [name, sample] of Object.entries(HOSTILE_BODIES)) {
        const isHeard = hears?.bodies.includes(name) === true;
        await post({ name, ...sample, ...(isHeard && hears?.answer !== undefined ? { answer: hears.answer } : {}) });
        expect([name, heard, quarantined.length]).toEqual([name, [], isHeard ? 0 : 1]);
        if (quarantined.length > 0) expectPutAside({ name, ...sample });
        quarantined.length = 0;
      }
      expect(({} as Record<string, unknown>).plate).toBeUndefined();
    });

    function expectPutAside({ name, body, contentType }: PushSample): void {
      const by = { camera_device_id: 'cam', driver: of.item().driver, content_type: contentType };
      expect(quarantined, name).toMatchObject([{ ...by, reason: expect.stringMatching(/\w/) }]);
      expect(Buffer.from(quarantined[0]?.body ?? []).equals(body), name).toBe(true);
    }

    it('many at once', 'among many at once loses none', async () => {
      const many = Array.from({ length: 40 }, (_, index) => [reads, others, broken][index % 3] ?? []).flat();
      await Promise.all(many.map(post));
      const count = (samples: PushSample[]) => many.filter((sample) => samples.includes(sample)).length;
      expect([heard.length, quarantined.length]).toEqual([count(reads), count(broken)]);
    });

    it(
      'cut off',
      'cut off anywhere is no read of another plate',
      () => {
        for (const { contentType, body, read, headers = {}, path = '' } of reads) {
          const step = Math.max(1, Math.floor(body.length / runs(200, 3, 50)));
          for (let length = 0; length < body.length; length += step) {
            const parsed = parse({ contentType, body: body.subarray(0, length), headers, path });
            if (parsed.kind === 'read') expect(parsed.read.raw_plate).toBe(read.raw_plate);
          }
        }
      },
      runsTimeoutMs(10_000),
    );

    it(
      'any bytes',
      'of any bytes is understood or not, never thrown at',
      () => {
        const [first] = reads;
        const samples = [...reads, ...others, ...broken];
        const spoiled = fc
          .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 }))
          .map(([sample, flips]) => {
            const body = Uint8Array.from(sample.body);
            for (const [at, value] of flips) body[at % body.length] = value;
            return { contentType: sample.contentType, body };
          });
        const anything = fc.record({
          contentType: fc.oneof(fc.constant(first?.contentType ?? ''), fc.string()),
          body: fc.uint8Array({ maxLength: 2_000 }),
        });
        fc.assert(
          fc.property(fc.oneof(spoiled, anything), (sample) => {
            const parsed = parse(sample);
            if (parsed.kind === 'read') expectWellFormed(parsed.read);
          }),
          { numRuns: runs(500, 3, 100) },
        );
      },
      runsTimeoutMs(20_000),
    );
  });
}

/** What a read may hold, whatever the camera wrote. */
function expectWellFormed(read: CameraRead): void {
  const text = (lengthMax: number) => new RegExp(`^\\P{Cc}{0,${lengthMax}}$`, 'u');
  expect(read.raw_plate).toMatch(text(256));
  expect(read.vendor_event_id ?? 'none').toMatch(text(200));
  expect(['towards', 'away', 'unknown', 'absent']).toContain(read.movement);
  expect([...VEHICLE_TYPES, null]).toContain(read.type);
  for (const name of [read.make, read.color, read.model]) expect(name ?? 'none').toMatch(text(64));
  expect(read.country_code ?? 'HR').toMatch(/^[A-Z]{2}$/);
  const { confidence, camera_time, pictures } = read;
  if (confidence !== null) {
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(1);
  }
  if (camera_time !== null) expect(Number.isFinite(camera_time.epoch_ms)).toBe(true);
  for (const picture of [pictures.full, pictures.plate]) {
    if (picture !== null) expect([picture[0], picture[1]]).toEqual([0xff, 0xd8]);
  }
}

interface Probing {
  name: string;
  probe: () => CameraDriver['probe'];
  item: (change: Partial<CameraItem>) => CameraItem;
}

function probeConformance(startDevice: NonNullable<CameraHarness['startDevice']>, of: Probing): void {
  describe('its probe', () => {
    const it = provedIn(of.name);
    let device: ProbedDevice;

    beforeEach(async () => {
      device = await startDevice(ACCOUNT);
    });
    afterEach(() => device.close());

    function ask(change: Partial<CameraItem> = {}, signal = new AbortController().signal) {
      const probe = of.probe();
      if (probe === null) throw new Error('its cameras cannot be asked');
      return probe(of.item({ address: device.address, ...ACCOUNT, ...change }), signal);
    }

    it('is probed', 'finds a camera that answers', async () => {
      expect(await ask()).toEqual({ isThere: true, problem: null });
    });

    it('no 401 loop', 'finds one that refuses the account, says so, and does not lock it by trying on', async () => {
      for (let round = 0; round < 10; round++) {
        const answer = await ask({ password: 'a wrong password' });
        const { problem } = answer;
        expect(answer).toMatchObject({ isThere: true, condition: 'auth' });
        expect(problem).toMatch(/password/);
        expect(problem).not.toContain('a wrong password');
      }
      expect(device.passwordsTried()).toBeLessThanOrEqual(1);
    });

    it('is probed', 'does not find one that is gone, and finds it when it is back', async () => {
      const { address } = device;
      await device.close();
      expect(await ask({ address })).toEqual({ isThere: false, problem: expect.stringMatching(/\w/) });
      device = await startDevice(ACCOUNT);
      expect(await ask()).toEqual({ isThere: true, problem: null });
    });

    it.each(['cam.example', 'rtsp://127.0.0.1/stream', 'http://127.0.0.1:1'])(
      'is probed',
      'does not find one at %s',
      async (address) => {
        expect(await ask({ address })).toMatchObject({ isThere: false });
      },
    );

    it('is probed', 'ends when its signal says so', async () => {
      const limit = new AbortController();
      const asked = ask({}, limit.signal);
      limit.abort(new Error('no answer in time'));
      expect(await asked).toEqual({ isThere: false, problem: 'no answer in time' });
    });
  });
}
