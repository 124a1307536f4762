import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import type { BodyBudget } from '../../../agent/lpr/push/body-budget.js';
import { type CameraBodies, sendCameraBodies } from '../../attack/camera-bodies.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { cameraFixture } from '../../unit/lpr/camera-fixture.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { pushWorld } from '../../unit/lpr/push-world.js';

const MIB = 1024 * 1024;
const BUDGET_BYTES = 32 * MIB;
const PUSHES = 40;
const READS = 1_000;
/** As many as one address may open at once. */
const CONNECTIONS = 40;
const LANES = Array.from({ length: 20 }, (_, at) => `cam-${at}`);
const CAMERAS = ['cam-in', 'cam-out', 'cam-loud', 'cam-slow', 'cam-free', ...LANES];

describe('a flood of large pushes', () => {
  let world: ReturnType<typeof pushWorld>;
  let server: LocalServer;
  let budget: BodyBudget;
  let mostInFlight = 0;
  let flood: CameraBodies | undefined;
  const slow: CameraBodies[] = [];
  /** The cameras whose pushes asked for room. */
  let asked: string[] = [];

  beforeEach(async () => {
    world = pushWorld({ cameras: CAMERAS.map((name) => camera(name)) });
    ({ budget } = world);
    const { reserve } = budget;
    mostInFlight = 0;
    asked = [];
    budget.reserve = async (cameraDeviceId, bytes, cut) => {
      asked.push(cameraDeviceId);
      const reservation = await reserve(cameraDeviceId, bytes, cut);
      mostInFlight = Math.max(mostInFlight, budget.bytesInFlight());
      return reservation;
    };
    // The flood holds its last bytes back for as long as a busy machine needs.
    server = await startLocalServer({ app: world.app, host: '127.0.0.1', port: 0, timeouts: { stalledMs: 120_000 } });
  });
  afterEach(async () => {
    flood?.close();
    for (const bodies of slow.splice(0)) bodies.close();
    await world.reads.close();
    await server.close();
  });

  const read = (device: string) =>
    fetch(`http://127.0.0.1:${server.port}/lpr/hikvision/${device}/right-key`, {
      method: 'POST',
      body: cameraFixture('hikvision', 'anpr-forward.xml'),
      headers: { 'content-type': 'application/xml' },
    });

  it('holds only the part of its camera of the budget: the others are read, and a push that is sent again is taken', async () => {
    const path = '/lpr/hikvision/cam-loud/right-key';
    flood = sendCameraBodies({ port: server.port, path, count: PUSHES, bytes: 8 * MIB });
    // One body is read and four wait; all others are sent away at once.
    await waitUntil('the answers', () => flood!.statuses().length + flood!.ended() >= PUSHES - 5);
    expect(budget.bytesInFlight()).toBe(8 * MIB);
    expect((await read('cam-in')).status).toBe(200);
    expect(world.store.reads).toHaveLength(1);
    await world.clock.advance(5_000);
    flood.finish();
    await waitUntil('the one that was read to be answered', () => flood!.statuses().includes(200));
    expect(flood.statuses().filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(budget.bytesInFlight()).toBe(0);
    expect((await read('cam-loud')).status).toBe(200);
    expect(mostInFlight).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  it('without a declared length is counted as it comes', async () => {
    const path = '/lpr/hikvision/cam-loud/right-key';
    flood = sendCameraBodies({ port: server.port, path, count: 10, bytes: 2 * MIB, isChunked: true });
    await waitUntil('some to be refused', () => flood!.statuses().length + flood!.ended() > 0);
    expect(budget.bytesInFlight()).toBeLessThanOrEqual(8 * MIB);
    expect((await read('cam-out')).status).toBe(200);
    flood.finish();
    flood.close();
    await waitUntil('what was held to be given back', () => budget.bytesInFlight() === 0);
  });

  it('takes no room from a push that waits for it, at that camera and at another, when its pushes come slowly', async () => {
    for (const device of ['cam-in', 'cam-out', 'cam-loud', 'cam-slow']) {
      const path = `/lpr/hikvision/${device}/right-key`;
      slow.push(sendCameraBodies({ port: server.port, path, count: 1, bytes: 8 * MIB, sent: 1_000 }));
      await waitUntil('its room to be taken', () => budget.bytesInFlight() === slow.length * 8 * MIB);
    }
    expect(budget.bytesInFlight()).toBe(BUDGET_BYTES);
    const reads = ['cam-in', 'cam-free'].map((device) => read(device));
    await waitUntil('both to wait', () => asked.length === 6);
    await world.clock.advance(3_000);
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200]);
    await waitUntil('the first to be cut', () => slow[0]?.ended() === 1);
    // Its room was enough for both.
    expect(slow.map((bodies) => bodies.ended())).toEqual([1, 0, 0, 0]);
  });

  it('with a wrong key is answered, and reserves nothing', async () => {
    const path = '/lpr/hikvision/cam-loud/wrong-key';
    flood = sendCameraBodies({ port: server.port, path, count: PUSHES, bytes: 8 * MIB });
    await waitUntil('the answers', () => flood!.statuses().length + flood!.ended() >= PUSHES);
    expect(flood.statuses().every((status) => status === 404)).toBe(true);
    expect([budget.bytesInFlight(), mostInFlight]).toEqual([0, 0]);
  });

  it('has each of 1,000 vehicles at once answered as it should be, and kept once', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const event = cameraFixture('hikvision', 'anpr-forward.xml');
    const post = (at: number): Promise<[status: number | undefined, body: string]> =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            agent,
            host: '127.0.0.1',
            port: server.port,
            method: 'POST',
            path: `/lpr/hikvision/${LANES[at % LANES.length]}/right-key`,
            headers: { 'content-type': 'application/xml' },
          },
          (response) => text(response).then((body) => resolve([response.statusCode, body]), reject),
        );
        sent.on('error', reject);
        sent.end(event.replace('ZG4821AB', `ZG${1_000 + at}AB`).replace(/<UUID>\d+/, `<UUID>${at}x`));
      });
    const answers = await Promise.all(Array.from({ length: READS }, (_, at) => post(at)));
    agent.destroy();
    expect(answers.filter(([status, body]) => status !== 200 || body !== '')).toEqual([]);
    const plates = world.store.reads.map(({ record }) => record.reading.plate);
    expect([plates.length, new Set(plates).size]).toEqual([READS, READS]);
    expect(budget.bytesInFlight()).toBe(0);
    // The tariff lets each of them in, and each opens once.
    expect(world.commander.commands).toHaveLength(READS);
  });
});
