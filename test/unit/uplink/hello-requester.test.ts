import { afterEach, describe, expect, it } from 'vitest';
import {
  createHelloRequester,
  type HelloRequester,
  type HelloRequesterDeps,
} from '../../../cloud/doors/uplink/hello-requester.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

const A = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
const B = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02');

const closing: HelloRequester[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

/** Gateways in `online` are online by the database. */
function createWorld({ online = [] as GatewayUuid[] } = {}) {
  const clock = new FakeClock();
  const asked: GatewayUuid[] = [];
  const gone: GatewayUuid[] = [];
  const left = new Set<GatewayUuid>();
  let hearing: (uuids: readonly GatewayUuid[]) => void = () => {};
  const broker = {
    ready: true,
    hears: (uuid: GatewayUuid) => !left.has(uuid),
    onHearing(listener: typeof hearing) {
      hearing = listener;
      return () => {};
    },
    publish: async (uuid: GatewayUuid) => void asked.push(uuid),
  };
  const rows = { execute: async () => online.map((uuid) => ({ uuid })) };
  const query = { selectAll: () => query, where: () => query, orderBy: () => rows };
  const helloRequester = createHelloRequester({
    broker,
    presence: { handleSilence: async (uuid: GatewayUuid) => void gone.push(uuid) },
    store: { reader: { selectFrom: () => query } },
    clock,
    logger: silentLogger,
  } as unknown as HelloRequesterDeps);
  closing.push(helloRequester);
  return { clock, asked, gone, left, broker, helloRequester, hear: (...uuids: GatewayUuid[]) => hearing(uuids) };
}

describe('the hello requester', () => {
  it('asks who is online by the database, and nobody who is not', async () => {
    const { clock, asked, hear } = createWorld({ online: [A] });
    hear(A, B);
    await clock.advance(5_000);
    expect(asked).toEqual([A]);
  });

  it('asks who was online when the broker heard it last, and who speaks', async () => {
    const { clock, asked, hear, helloRequester } = createWorld();
    hear(A, B);
    helloRequester.note({ uuid: A, channel: 'presence', isRetained: true });
    helloRequester.note({ uuid: B, channel: 'report' });
    await clock.advance(5_000);
    expect(asked).toEqual([A, B]);
  });

  it('asks nobody who says hello by itself', async () => {
    const { clock, asked, hear, helloRequester } = createWorld({ online: [A] });
    hear(A);
    helloRequester.note({ uuid: A, channel: 'hello' });
    await clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  it('counts as offline who does not answer three times, once', async () => {
    const { clock, asked, gone, hear } = createWorld({ online: [A] });
    hear(A);
    await clock.advance(50_000);
    expect({ asked, gone }).toEqual({ asked: [A, A, A], gone: [] });
    await clock.advance(600_000);
    expect({ asked: asked.length, gone }).toEqual({ asked: 3, gone: [A] });
  });

  it('never counts as offline who speaks, even if its hello does not come, and asks it on', async () => {
    const { clock, asked, gone, hear, helloRequester } = createWorld({ online: [A] });
    hear(A);
    for (let times = 0; times < 10; times++) {
      helloRequester.note({ uuid: A, channel: 'report' });
      await clock.advance(30_000);
    }
    expect(gone).toEqual([]);
    expect(asked.length).toBeGreaterThan(3);
  });

  it('asks who was silent for long, and is content with an answer', async () => {
    const { clock, asked, gone, hear, helloRequester } = createWorld();
    hear(A);
    helloRequester.note({ uuid: A, channel: 'hello' });
    await clock.advance(149_000);
    expect(asked).toEqual([]);
    await clock.advance(3_000);
    expect(asked).toEqual([A]);
    helloRequester.note({ uuid: A, channel: 'hello' });
    await clock.advance(149_000);
    expect({ asked, gone }).toEqual({ asked: [A], gone: [] });
  });

  it('finds who went without a last will, however often it had answered before', async () => {
    const { clock, gone, hear, helloRequester } = createWorld();
    hear(A);
    helloRequester.note({ uuid: A, channel: 'hello' });
    await clock.advance(151_000);
    helloRequester.note({ uuid: A, channel: 'hello' });
    await clock.advance(215_000);
    expect(gone).toEqual([A]);
  });

  it('asks nobody who is offline', async () => {
    const { clock, asked, hear, helloRequester } = createWorld();
    hear(A);
    helloRequester.note({ uuid: A, channel: 'hello' });
    helloRequester.noteOffline(A);
    await clock.advance(600_000);
    expect(asked).toEqual([]);
  });

  it('waits while there is no broker: nobody is gone because nobody can answer', async () => {
    const { clock, asked, gone, hear, broker } = createWorld({ online: [A] });
    hear(A);
    await clock.advance(50_000);
    broker.ready = false;
    await clock.advance(600_000);
    expect(gone).toEqual([]);
    broker.ready = true;
    hear(A);
    await clock.advance(10_000);
    expect({ asked: asked.length, gone }).toEqual({ asked: 4, gone: [] });
  });

  it('leaves alone whom another process hears now', async () => {
    const { clock, asked, gone, hear, left } = createWorld({ online: [A] });
    hear(A);
    left.add(A);
    await clock.advance(600_000);
    expect({ asked, gone }).toEqual({ asked: [], gone: [] });
  });

  it('asks thousands in turns', async () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      gatewayUuidSchema.parse(`0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b${String(index).padStart(4, '0')}`),
    );
    const { clock, asked, hear } = createWorld({ online: many });
    hear(...many);
    await clock.advance(2_000);
    expect(asked).toHaveLength(200);
    await clock.advance(2_000);
    expect(new Set(asked).size).toBe(500);
  });
});
