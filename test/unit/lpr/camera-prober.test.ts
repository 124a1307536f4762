import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CameraDriver, CameraDrivers, CameraProbe, ProbeAnswer } from '../../../agent/lpr/camera.js';
import { type CameraProber, createCameraProber } from '../../../agent/lpr/presence/camera-prober.js';
import { type CameraStates, createCameraStates } from '../../../agent/lpr/presence/camera-states.js';
import { type CameraDriverName } from '../../../shared/drivers/camera-driver-list.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import type { CameraReport } from '../../../shared/uplink-reports.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { camera } from './plate-world.js';

const INTERVAL_MS = 60_000;
const THERE: ProbeAnswer = { isThere: true, problem: null };
const GONE: ProbeAnswer = { isThere: false, problem: 'connect ECONNREFUSED' };

/** Drivers that probe as they are told; null: that cannot be asked. */
const driversOf = (
  probes: Partial<Record<CameraDriverName, CameraProbe | null>>,
  readClock?: CameraDriver['readClock'],
): CameraDrivers =>
  new Map(
    Object.entries(probes).map(([name, probe]) => [
      name,
      { push: null, probe, ...(readClock === undefined ? {} : { readClock }) },
    ]),
  );

describe('the prober', () => {
  let clock: FakeClock;
  let states: CameraStates;
  let prober: CameraProber;
  let cameras: CameraItem[];
  let answers: Record<string, ProbeAnswer>;
  let probed: string[];
  let reports: CameraReport[][];
  let warnings: Record<string, unknown>[];

  const probe: CameraProbe = (item) => {
    probed.push(item.device_id);
    return Promise.resolve(answers[item.device_id] ?? GONE);
  };
  const inner = camera('cam-2', { id: 12, address: 'http://cam-2' });

  async function start(
    items: CameraItem[],
    hikvisionProbe = probe,
    readClock?: NonNullable<CameraDriver['readClock']>,
  ) {
    cameras = items;
    prober = createCameraProber({
      cameras: () => cameras,
      drivers: driversOf({ hikvision: hikvisionProbe, openalpr: null }, readClock),
      states,
      clock,
      clockOk: () => true,
      logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
      intervalMs: INTERVAL_MS,
      publish: (report) => reports.push(report),
    });
    await settle();
  }

  beforeEach(() => {
    clock = new FakeClock();
    states = createCameraStates(clock);
    answers = { 'cam-1': THERE, 'cam-2': THERE };
    probed = [];
    reports = [];
    warnings = [];
  });
  afterEach(() => prober.close());

  const first = camera('cam-1', { id: 11, address: 'http://cam-1' });
  const notified = () => reports.at(-1)?.map(({ lpr_camera_id, status }) => `${lpr_camera_id} ${status}`);

  it('looks after all cameras at once, then every interval, and reports all of them after each round', async () => {
    await start([first, inner]);
    expect([probed, notified()]).toEqual([
      ['cam-1', 'cam-2'],
      ['11 online', '12 online'],
    ]);
    await clock.advance(2 * INTERVAL_MS);
    expect(reports).toHaveLength(3);
    expect(probed).toHaveLength(6);
  });

  it('tells why requests of a camera are refused, until one is taken', async () => {
    states.recordRefusal('cam-1', 'its request is no HTTP');
    await start([first]);
    expect(reports.at(-1)).toMatchObject([{ problem: 'its request is no HTTP' }]);
    states.recordPush('cam-1');
    await clock.advance(INTERVAL_MS);
    expect(reports.at(-1)).toMatchObject([{ problem: null }]);
  });

  it('tells a camera offline after the third miss, and online with the next answer', async () => {
    await start([first, inner]);
    answers['cam-2'] = GONE;
    await clock.advance(2 * INTERVAL_MS);
    expect(notified()).toEqual(['11 online', '12 online']);
    await clock.advance(INTERVAL_MS);
    expect(notified()).toEqual(['11 online', '12 offline']);
    answers['cam-2'] = THERE;
    await clock.advance(INTERVAL_MS);
    expect(notified()).toEqual(['11 online', '12 online']);
  });

  it('says within a minute why a camera cannot be reached that was never found, and looks again for nothing else', async () => {
    answers['cam-2'] = GONE;
    await start([first, inner]);
    await clock.advance(INTERVAL_MS - 1);
    expect(reports.at(-1)).toMatchObject([{ lpr_camera_id: 11 }, { status: 'offline', problem: GONE.problem }]);
    expect(probed).toEqual(['cam-1', 'cam-2', 'cam-2', 'cam-2']);
  });

  it('takes back that a read came late once the clock of the camera is found to be right', async () => {
    const readClock = () => Promise.resolve(clock.now() - offMs);
    let offMs = 600_000;
    states.recordLate('cam-1', 600_000);
    await start([first], probe, readClock);
    expect(reports.at(-1)?.[0]?.problem).toContain('600 s');
    offMs = 2_000;
    await clock.advance(INTERVAL_MS);
    expect(reports.at(-1)).toMatchObject([{ problem: null }]);
  });

  it('does not call a camera anything before it was found or missed three times', async () => {
    answers['cam-2'] = GONE;
    await start([first, inner]);
    expect([notified(), prober.status('cam-2')]).toEqual([['11 online'], null]);
    await clock.advance(INTERVAL_MS);
    expect([notified(), prober.status('cam-2')]).toEqual([['11 online', '12 offline'], 'offline']);
  });

  it.each([
    ['without an address', { address: '' }],
    ['of a vendor nobody probes', { driver: 'openalpr' }],
    ['that does not answer', { id: 11 }],
  ])('finds a camera %s by its pushes', async (_, change) => {
    answers = {};
    await start([{ ...first, ...change }]);
    for (let round = 0; round < 4; round++) {
      await clock.advance(INTERVAL_MS / 2);
      states.recordPush('cam-1');
      await clock.advance(INTERVAL_MS / 2);
    }
    expect(notified()).toEqual(['11 online']);
    await clock.advance(3 * INTERVAL_MS);
    expect(notified()).toEqual(['11 offline']);
  });

  it('tells at once that no driver of this gateway serves a camera, and why, once in the log', async () => {
    const strange = camera('cam-3', { id: 13, driver: 'dahua', address: 'http://cam-3' });
    await start([first, strange]);
    const problem = 'this agent has no driver dahua';
    expect(reports).toEqual([
      [
        { lpr_camera_id: 11, status: 'online', problem: null },
        { lpr_camera_id: 13, status: 'offline', problem },
      ],
    ]);
    expect([prober.status('cam-3'), prober.problem('cam-3'), probed]).toEqual(['offline', problem, ['cam-1']]);
    states.recordPush('cam-3');
    await clock.advance(5 * INTERVAL_MS);
    expect(warnings).toEqual([{ camera: 'cam-3', problem }]);
    cameras = [first, { ...strange, driver: 'hikvision' }];
    answers['cam-3'] = THERE;
    await clock.advance(INTERVAL_MS);
    expect(reports.at(-1)).toEqual([
      { lpr_camera_id: 11, status: 'online', problem: null },
      { lpr_camera_id: 13, status: 'online', problem: null },
    ]);
    cameras = [{ ...first, driver: 'dahua' }];
    prober.camerasChanged();
    await settle();
    expect([notified(), warnings.length]).toEqual([['11 offline'], 2]);
  });

  it('drops the answer to a probe that began before the camera got another driver', async () => {
    let answerProbe: (answer: ProbeAnswer) => void = () => undefined;
    const slowly: CameraProbe = () => new Promise((resolve) => (answerProbe = resolve));
    await start([first], slowly);
    cameras = [{ ...first, driver: 'dahua' }];
    prober.camerasChanged();
    await settle();
    const problem = 'this agent has no driver dahua';
    expect(reports.at(-1)).toEqual([{ lpr_camera_id: 11, status: 'offline', problem }]);
    answerProbe(THERE);
    await settle();
    expect([prober.status('cam-1'), prober.problem('cam-1')]).toEqual(['offline', problem]);
  });

  it('tells why a camera does not answer', async () => {
    answers['cam-1'] = GONE;
    await start([first]);
    expect(prober.problem('cam-1')).toBe('connect ECONNREFUSED');
    await clock.advance(3 * INTERVAL_MS);
    expect(reports.at(-1)).toEqual([{ lpr_camera_id: 11, status: 'offline', problem: 'connect ECONNREFUSED' }]);
  });

  it('tells in which condition a camera is that answers, as long as it is in it', async () => {
    answers['cam-1'] = { isThere: true, problem: 'refuses the account', condition: 'auth' };
    await start([first]);
    expect(reports.at(-1)).toEqual([
      { lpr_camera_id: 11, status: 'online', problem: 'refuses the account', condition: 'auth' },
    ]);
    answers['cam-1'] = THERE;
    await clock.advance(INTERVAL_MS);
    expect(reports.at(-1)).toEqual([{ lpr_camera_id: 11, status: 'online', problem: null }]);
  });

  it('looks after a new camera at once, and forgets one that is gone', async () => {
    await start([first]);
    cameras = [first, inner];
    prober.camerasChanged();
    await settle();
    expect([probed, notified()]).toEqual([
      ['cam-1', 'cam-2'],
      ['11 online', '12 online'],
    ]);
    cameras = [inner];
    prober.camerasChanged();
    await clock.advance(INTERVAL_MS);
    expect(notified()).toEqual(['12 online']);
    expect(prober.status('cam-1')).toBeNull();
  });

  it('gives a probe eight seconds, and four at once', async () => {
    const waiting: string[] = [];
    const hanging: CameraProbe = (item, signal) => {
      waiting.push(item.device_id);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(GONE)));
    };
    const many = Array.from({ length: 6 }, (_, index) => camera(`cam-${index}`, { id: index, address: 'http://cam' }));
    await start(many, hanging);
    expect(waiting).toHaveLength(4);
    await clock.advance(8_000);
    expect(waiting).toHaveLength(6);
    await clock.advance(8_000);
    expect(reports).toEqual([]);
    await clock.advance(3 * INTERVAL_MS);
    expect(notified()).toHaveLength(6);
  });

  it('says what it knows when it is asked to, and nothing after its end', async () => {
    await start([first]);
    reports.length = 0;
    prober.report();
    expect(notified()).toEqual(['11 online']);
    prober.close();
    prober.report();
    await clock.advance(5 * INTERVAL_MS);
    expect([reports.length, probed.length]).toEqual([1, 1]);
  });

  it('says that directions are missing where two cameras of a product look different ways and tell none', async () => {
    const [front, rear] = [camera('cam-1'), camera('cam-2', { id: 12, lpr_position: 'out' })];
    answers['cam-3'] = { isThere: true, problem: null };
    await start([front, rear, camera('cam-3', { id: 13, lpr_position: 'out', product_device_id: null })]);
    const problems = () => ['cam-1', 'cam-2', 'cam-3'].map((id) => prober.problem(id)?.slice(0, 22) ?? null);
    for (const id of ['cam-1', 'cam-3']) states.recordDirection(id, false);
    await clock.advance(INTERVAL_MS);
    expect(problems()).toEqual([null, null, null]);
    states.recordDirection('cam-2', false);
    await clock.advance(INTERVAL_MS);
    expect(problems()).toEqual(['directions are missing', 'directions are missing', null]);
    states.recordDirection('cam-2', true);
    await clock.advance(INTERVAL_MS);
    expect(problems()).toEqual([null, null, null]);
  });

  it('says of a camera that opens by its own list that it does, for a day', async () => {
    await start([camera('cam-1', { address: 'http://cam-1' })]);
    states.recordOwnList('cam-1');
    await clock.advance(INTERVAL_MS);
    expect(prober.problem('cam-1')).toMatch(/^it let a vehicle through by its own list/);
    expect(reports.at(-1)).toMatchObject([{ status: 'online' }]);
    await clock.advance(24 * 3_600_000);
    expect(prober.problem('cam-1')).toBeNull();
  });

  it('says of a camera whose reads come late how late, and that it opens nothing, until a read is in time', async () => {
    await start([camera('cam-1', { address: 'http://cam-1' })]);
    states.recordLate('cam-1', 95_000);
    await clock.advance(INTERVAL_MS);
    expect(prober.problem('cam-1')).toMatch(/^its last read came 95 s after its capture.* opened nothing/);
    expect(reports.at(-1)).not.toMatchObject([{ clock_behind_ms: 95_000 }]);
    states.recordClock('cam-1', { behindMs: 200, isDrifting: false });
    await clock.advance(INTERVAL_MS);
    expect([prober.problem('cam-1'), reports.at(-1)]).toMatchObject([null, [{ problem: null, clock_behind_ms: 200 }]]);
  });
});
