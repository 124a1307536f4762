import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../agent/store/agent-store.js';
import { createUplink, type UplinkOptions, type UplinkReceivers } from '../../../agent/uplink/uplink.js';
import type { ConfigMessage } from '../../../shared/gateway-config.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { createReconnectLadder } from '../../../shared/reconnect-ladder.js';
import { downTopic, upTopic } from '../../../shared/topics.js';
import type { CommandMessage } from '../../../shared/uplink-orders.js';
import type { GatewayReport } from '../../../shared/uplink-reports.js';
import { type Presence, recordBatchSchema } from '../../../shared/uplink.js';
import { imageEntry, sightingEntry } from '../../world/agent-records.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { createLossyTransport } from '../../world/lossy-transport.js';
import { seededRandom } from '../../../scripts/sim/traffic/seeded-random.js';
import { openMemoryAgentStore } from '../../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk } from '../../../scripts/fleet/memory-disk.js';
import { createModelCloud } from '../../world/model-cloud.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
const CREDENTIALS = { url: 'mqtt://broker', username: UUID, password: 'secret', ca: null };

interface Logged {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A gateway with its uplink, a broker and a cloud, on a fake clock. */
async function createWorld(
  options: Partial<UplinkReceivers> &
    Partial<Pick<UplinkOptions, 'isClockOk'>> & { storeOptions?: Parameters<typeof openMemoryAgentStore>[0] } = {},
) {
  const clock = new FakeClock();
  const published: { topic: string; payload: string; retain: boolean; qos: number }[] = [];
  const logs: Logged[] = [];
  const log = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void logs.push({ level, fields, message });
  const transport = createLossyTransport({
    clock,
    random: seededRandom(1),
    onPublish(topic, payload, how) {
      published.push({ topic, payload, ...how });
      // As a broker does: the gateway hears its own retained presence.
      if (topic === upTopic(UUID, 'presence')) transport.deliver(topic, payload);
      if (cloudAnswers) cloud.handle(topic, payload);
    },
  });
  let cloudAnswers = true;
  const cloud = createModelCloud({
    clock,
    gatewayUuid: UUID,
    send: (channel, payload) => transport.deliver(downTopic(UUID, channel), JSON.stringify(payload)),
  });
  const store = await openMemoryAgentStore(options.storeOptions);
  const connected: boolean[] = [];
  const commands: CommandMessage[] = [];
  const addresses = ['192.0.2.7'];
  const uplink = createUplink({
    transport,
    store,
    clock,
    ladder: createReconnectLadder({ clock, random: () => 0.5 }),
    ownAddresses: () => addresses,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    gatewayUuid: UUID,
    credentials: CREDENTIALS,
    agentVersion: '1.2.3',
    bootId: store.boot.boot_id,
    isClockOk: options.isClockOk ?? (() => true),
    onRefused() {},
    tracer: null,
  });
  const receivers: UplinkReceivers = {
    configRevisions: () => ({ plates: 'r1' }),
    onConfig: () => Promise.resolve('applied'),
    onCommand: (message) => commands.push(message),
    onPairing: () => {},
    onAdmin: () => {},
    onDoctor() {},
    onAsk() {},
    onConnectedChange: (isConnected) => connected.push(isConnected),
    ...options,
  };
  closers.push(async () => {
    await Promise.all([uplink.close(), clock.advance(5_000)]);
  });
  return {
    clock,
    transport,
    cloud,
    store,
    uplink,
    published,
    logs,
    connected,
    commands,
    addresses,
    on: (channel: 'hello' | 'records' | 'report' | 'presence') =>
      published.filter((message) => message.topic === upTopic(UUID, channel)),
    silenceCloud: (isSilent: boolean) => {
      cloudAnswers = !isSilent;
    },
    start: () => uplink.start(receivers),
    async startConnected(): Promise<void> {
      uplink.start(receivers);
      await clock.advance(1_000);
      expect(uplink.state().connected).toBe(true);
    },
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;

/** From the cloud to the gateway. */
function sendConfig(world: World, payload: unknown): void {
  world.transport.deliver(downTopic(UUID, 'config'), JSON.stringify(payload));
}

/** From the broker: a presence that is not the gateway's present one. */
function deliverPresence(world: World, presence: Partial<Presence>): void {
  const wrong = { status: 'offline', boot_id: world.store.boot.boot_id, connection: 1, ...presence };
  world.transport.deliver(upTopic(UUID, 'presence'), JSON.stringify(wrong));
}

const reportOf = (rssi: number) => ({ products: [{ rssi }] }) as unknown as GatewayReport;

const presenceIn = (message: { payload: string } | undefined) => JSON.parse(message?.payload ?? 'null') as Presence;

describe('connecting', () => {
  it('connects as itself, with a will, and tells the cloud all it needs', async () => {
    const world = await createWorld();
    await world.store.append(sightingEntry());
    await world.startConnected();
    const boot_id = world.store.boot.boot_id;
    expect(world.transport.attempts).toMatchObject([
      {
        ...CREDENTIALS,
        clientId: UUID,
        will: {
          topic: `gw/${UUID}/up/presence`,
          payload: JSON.stringify({ status: 'offline', boot_id, connection: 1 }),
        },
        subscriptions: [`gw/${UUID}/down/+`, `gw/${UUID}/up/presence`],
      },
    ]);
    expect(world.on('presence')).toEqual([
      {
        topic: `gw/${UUID}/up/presence`,
        payload: JSON.stringify({ status: 'online', boot_id, connection: 1 }),
        qos: 1,
        retain: true,
      },
    ]);
    const { epoch } = await world.store.outboxState();
    expect(world.cloud.hellos).toEqual([
      {
        boot_id,
        connection: 1,
        agent_version: '1.2.3',
        mono_ms: expect.any(Number),
        wall_ms: expect.any(Number),
        clock_ok: true,
        epoch,
        lanes: [
          { lane: 0, first_seq: 1, last_seq: 0 },
          { lane: 1, first_seq: 1, last_seq: 1 },
          { lane: 2, first_seq: 1, last_seq: 0 },
        ],
        config: { plates: 'r1' },
      },
    ]);
    expect(world.connected).toEqual([true]);
  });

  it('measures the cloud clock against its own monotonic one', async () => {
    const world = await createWorld();
    expect(world.uplink.state()).toEqual({
      connected: false,
      since_ms: null,
      cloud_offset_ms: null,
      acknowledged_mono_ms: null,
      refusal: null,
    });
    await world.startConnected();
    const wallNow = world.clock.now();
    const { cloud_offset_ms, since_ms } = world.uplink.state();
    expect(cloud_offset_ms).toBe(wallNow - world.clock.monotonic());
    expect(since_ms).toBeLessThanOrEqual(wallNow);
  });

  it('knows when the cloud last took over records', async () => {
    const world = await createWorld();
    await world.startConnected();
    expect(world.uplink.state().acknowledged_mono_ms).toBeNull();
    await world.clock.advance(5_000);
    await world.store.append(sightingEntry());
    const before_ms = world.clock.monotonic();
    world.uplink.notify(1);
    await world.clock.advance(10_000);
    const { acknowledged_mono_ms } = world.uplink.state();
    expect(acknowledged_mono_ms).toBeGreaterThanOrEqual(before_ms);
    expect(acknowledged_mono_ms).toBeLessThan(world.clock.monotonic());
  });

  it('counts its connections, and comes back as the rules say', async () => {
    const world = await createWorld();
    await world.startConnected();
    world.transport.cut('broken');
    expect(world.uplink.state().connected).toBe(false);
    await world.clock.advance(500);
    expect(world.cloud.hellos.map((hello) => hello.connection)).toEqual([1, 2]);
    await world.clock.advance(60_000);
    const cut_ms = world.clock.monotonic();
    world.transport.cut('closed');
    await world.clock.advance(40_000);
    // random() is 0.5 here: half of 500 ms.
    expect(world.transport.attempts.map((attempt) => attempt.at_ms).at(-1)).toBe(cut_ms + 250);
    expect(presenceIn(world.on('presence').at(-1)).connection).toBe(3);
    expect(world.connected).toEqual([true, false, true, false, true]);
  });

  it('comes back within 500 ms when an address of the machine is new, however long it was away', async () => {
    const world = await createWorld();
    await world.startConnected();
    world.transport.cut('broken');
    world.transport.refusal = 'broken';
    world.addresses.pop();
    await world.clock.advance(1_800_000);
    world.transport.refusal = null;
    const returned_ms = world.clock.monotonic();
    world.addresses.push('192.0.2.8');
    await world.clock.advance(1_600);
    expect(world.uplink.state().connected).toBe(true);
    // The addresses are looked at once a second.
    expect(world.transport.attempts.at(-1)?.at_ms).toBeLessThanOrEqual(returned_ms + 1_500);
  });

  it('tries later when its own store fails, and goes on when the store does', async () => {
    const disk = createMemoryDisk();
    const world = await createWorld({ storeOptions: { disk } });
    disk.refuseWith = new StoreError('io', 'the disk is gone');
    world.start();
    await world.clock.advance(10_000);
    expect(world.cloud.hellos).toEqual([]);
    // At once, and after 1.5, 3 and 6 s.
    expect(world.logs.filter((line) => line.level === 'error')).toHaveLength(3);
    disk.refuseWith = null;
    await world.clock.advance(60_000);
    expect(world.uplink.state().connected).toBe(true);
  });

  it('tells that it leaves, and is silent afterwards', async () => {
    const world = await createWorld();
    await world.startConnected();
    const closing = world.uplink.close();
    await world.clock.advance(3_000);
    await closing;
    expect(presenceIn(world.on('presence').at(-1))).toMatchObject({ status: 'offline', connection: 1 });
    expect(world.transport.isUp).toBe(false);
    const before = world.published.length;
    await world.store.append(sightingEntry());
    world.uplink.notify(1);
    world.uplink.publishReport({ products: [] });
    await world.clock.advance(600_000);
    expect(world.published).toHaveLength(before);
    expect(world.transport.attempts).toHaveLength(1);
  });

  it('can be closed before it was started', async () => {
    const world = await createWorld();
    const closing = world.uplink.close();
    await world.clock.advance(3_000);
    await closing;
    expect(world.transport.attempts).toEqual([]);
  });
});

describe('records', () => {
  it('sends what waits and what comes, and deletes it when the cloud has it', async () => {
    const world = await createWorld();
    await Promise.all([1, 2, 3].map((at) => world.store.append(sightingEntry(at))));
    await world.startConnected();
    await world.store.append(sightingEntry(4, 0));
    world.uplink.notify(0);
    await world.clock.advance(100);
    const batches = world.on('records').map((message) => recordBatchSchema.parse(JSON.parse(message.payload)));
    expect(batches.map((batch) => [batch.lane, batch.records.length])).toEqual([
      [1, 3],
      [0, 1],
    ]);
    expect((await world.store.outboxState()).lanes.map((lane) => lane.rows)).toEqual([0, 0, 0]);
  });

  it('goes on in a new outbox epoch after rows were given up, and tells the loss', async () => {
    const world = await createWorld({ storeOptions: { limits: { outboxRowsMax: 5 } } });
    for (let at = 1; at <= 3; at++) await world.store.append(sightingEntry(at));
    await world.startConnected();
    world.transport.cut('broken');
    world.transport.refusal = 'broken';
    for (let at = 4; at <= 12; at++) await world.store.append(sightingEntry(at));
    world.transport.refusal = null;
    await world.clock.advance(60_000);
    expect((await world.store.outboxState()).lanes.map((lane) => lane.rows)).toEqual([0, 0, 0]);
    expect(world.cloud.applied.map((record) => record.payload)).toMatchObject([
      { event_ms: 1 },
      { event_ms: 2 },
      { event_ms: 3 },
      { kind: 'lost', lane: 1, from: 4, to: 8 },
      { event_ms: 9 },
      { event_ms: 10 },
      { event_ms: 11 },
      { event_ms: 12 },
    ]);
  });

  it('lets a critical record pass the pictures that wait', async () => {
    const world = await createWorld();
    for (let at = 0; at < 20; at++) await world.store.appendImage(imageEntry(new Uint8Array(200_000)));
    world.transport.quality = { ...world.transport.quality, delayMs: 500 };
    world.start();
    await world.clock.advance(5_000);
    await world.store.append(sightingEntry(7, 0));
    world.uplink.notify(0);
    await world.clock.advance(1_100);
    expect(world.cloud.applied.some((record) => record.lane === 0)).toBe(true);
    expect(world.cloud.applied.filter((record) => record.lane === 2).length).toBeLessThan(10);
  });
});

describe('a question of the cloud whether the gateway is there', () => {
  it('is answered with a hello and reports, each time, on the same connection', async () => {
    const world = await createWorld();
    await world.startConnected();
    for (const hellos of [2, 3]) {
      world.transport.deliver(downTopic(UUID, 'greet'), '{}');
      await world.clock.advance(100);
      expect(world.cloud.hellos).toHaveLength(hellos);
      // Whoever reports is told as at the first time.
      expect(world.connected).toHaveLength(hellos);
    }
    expect(world.uplink.state().connected).toBe(true);
    expect(world.connected).toEqual([true, true, true]);
  });
});

describe('a command', () => {
  const CREDENTIAL = { token: 'dG9rZW4', status_key: 'c3RhdHVz', challenge_key: 'Y2hhbGxlbmdl' };
  const command = {
    event_id: 'deadbeef',
    product_id: 7,
    device_id: 'a4c138000001',
    command: { name: 'open' },
    credential: CREDENTIAL,
    set_time_credential: CREDENTIAL,
    deadline_ms: 1_768_478_430_000,
  };

  it('is handed on as it came; one that is not understood is not', async () => {
    const world = await createWorld({});
    await world.startConnected();
    const send = (message: unknown) => world.transport.deliver(downTopic(UUID, 'command'), JSON.stringify(message));
    send(command);
    send({ ...command, command: { name: 'explode' } });
    send({ ...command, command: { name: 'autoclose', on: true, seconds: 0 } });
    await world.clock.advance(100);
    expect(world.commands).toEqual([command]);
    expect(world.logs.filter(({ message }) => message.includes('not understood'))).toHaveLength(2);
  });
});

describe('configuration', () => {
  const message: ConfigMessage = {
    section: 'plates',
    base: 'r1',
    revision: 'r2',
    upsert: {},
    remove: [],
    applied: null,
  };
  it('is handed on one message at a time, in order', async () => {
    const begun: string[] = [];
    const finish: (() => void)[] = [];
    const world = await createWorld({
      onConfig: ({ revision }) =>
        new Promise((resolve) => {
          begun.push(revision);
          finish.push(() => resolve('applied'));
        }),
    });
    await world.startConnected();
    for (const revision of ['r2', 'r3']) sendConfig(world, { ...message, revision });
    await world.clock.advance(100);
    expect(begun).toEqual(['r2']);
    finish[0]?.();
    await settle();
    expect(begun).toEqual(['r2', 'r3']);
    finish[1]?.();
  });

  it('is asked for again when it does not fit, ever less often, and at once again after one that did', async () => {
    let answer: 'applied' | 'mismatch' = 'mismatch';
    const world = await createWorld({ onConfig: () => Promise.resolve(answer) });
    await world.startConnected();
    const hellosAfter = async (ms: number) => {
      sendConfig(world, message);
      const before = world.cloud.hellos.length;
      await world.clock.advance(ms);
      return world.cloud.hellos.length - before;
    };
    expect(await hellosAfter(1_100)).toBe(1);
    expect(await hellosAfter(1_100)).toBe(0);
    expect(await hellosAfter(1_100)).toBe(1);
    expect(await hellosAfter(3_000)).toBe(0);
    await world.clock.advance(5_000);
    answer = 'applied';
    expect(await hellosAfter(10_000)).toBe(0);
    answer = 'mismatch';
    expect(await hellosAfter(1_100)).toBe(1);
    expect(world.uplink.state().connected).toBe(true);
  });

  it('is asked for again when it could not be stored', async () => {
    const world = await createWorld({ onConfig: () => Promise.reject(new StoreError('io', 'the disk is gone')) });
    await world.startConnected();
    sendConfig(world, message);
    await world.clock.advance(2_000);
    expect(world.cloud.hellos).toHaveLength(2);
    expect(world.logs.some((line) => line.level === 'error' && line.fields.section === 'plates')).toBe(true);
  });

  it('does not stop at what it cannot understand', async () => {
    const world = await createWorld();
    await world.startConnected();
    sendConfig(world, { ...message, section: 'unheard of' });
    for (const topic of [
      downTopic(UUID, 'ack'),
      downTopic(UUID, 'welcome'),
      upTopic(UUID, 'presence'),
      'gw/x/down/ack',
    ]) {
      for (const payload of ['{', '', '"text"', 'null', '{"epoch":1}']) world.transport.deliver(topic, payload);
    }
    await world.clock.advance(20_000);
    await world.store.append(sightingEntry(1));
    world.uplink.notify(1);
    await world.clock.advance(1_000);
    expect(world.cloud.applied).toHaveLength(1);
    expect(world.logs.filter((line) => line.level === 'warn').length).toBeGreaterThan(5);
  });
});

describe('presence', () => {
  it('is put right when the will of an older connection overtakes it', async () => {
    const world = await createWorld();
    await world.startConnected();
    expect(world.on('presence')).toHaveLength(1);
    deliverPresence(world, { connection: 9 });
    await world.clock.advance(100);
    expect(world.on('presence').map((message) => presenceIn(message).status)).toEqual(['online', 'online']);
    expect(world.cloud.presence).toMatchObject({ status: 'online', connection: 1 });
  });

  it('is put right at most every 10 s, so that two clones do not fight', async () => {
    const world = await createWorld();
    await world.startConnected();
    for (let second = 0; second < 35; second++) {
      deliverPresence(world, { status: 'online', connection: 7 });
      await world.clock.advance(1_000);
    }
    expect(world.on('presence')).toHaveLength(1 + 4);
  });

  it('is not put right by a gateway that has no link', async () => {
    const world = await createWorld();
    await world.startConnected();
    for (let wrong = 0; wrong < 2; wrong++) {
      deliverPresence(world, {});
      await world.clock.advance(1_000);
    }
    // The second repair waits for its 10 s when the link goes.
    expect(world.on('presence')).toHaveLength(2);
    world.transport.refusal = 'broken';
    world.transport.cut('broken');
    await world.clock.advance(60_000);
    expect(world.on('presence')).toHaveLength(2);
  });
});

describe('reports', () => {
  it('go out at once with QoS 0, and not at all without a connection', async () => {
    const world = await createWorld();
    world.uplink.publishReport(reportOf(1));
    await world.startConnected();
    world.uplink.publishReport(reportOf(2));
    await world.clock.advance(100);
    expect(world.on('report')).toEqual([
      { topic: upTopic(UUID, 'report'), payload: JSON.stringify(reportOf(2)), qos: 0, retain: false },
    ]);
  });

  it('give way to the latest while one is on its way', async () => {
    const world = await createWorld();
    await world.startConnected();
    for (const rssi of [1, 2, 3, 4]) world.uplink.publishReport(reportOf(rssi));
    await world.clock.advance(100);
    expect(world.on('report').map((message) => message.payload)).toEqual(
      [reportOf(1), reportOf(4)].map((report) => JSON.stringify(report)),
    );
  });
});

describe('a cloud that is down behind a broker that is up', () => {
  it('gets everything once it is back', async () => {
    const world = await createWorld();
    await world.startConnected();
    world.silenceCloud(true);
    for (let at = 1; at <= 250; at++) await world.store.append(sightingEntry(at));
    world.uplink.notify(1);
    await world.clock.advance(600_000);
    expect(world.uplink.state().connected).toBe(false);
    const sentMeanwhile = world.on('records').length;
    expect(sentMeanwhile).toBeLessThanOrEqual(3);
    world.silenceCloud(false);
    await world.clock.advance(61_000);
    expect(world.cloud.applied).toHaveLength(250);
    expect(world.connected).toEqual([true, false, true]);
  });
});
