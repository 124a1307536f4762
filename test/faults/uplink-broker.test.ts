/** The whole way of records from the SQLite file over a real broker that is killed again and again. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import { expect, it } from 'vitest';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { createMqttTransport } from '../../agent/uplink/mqtt-transport.js';
import { createUplink } from '../../agent/uplink/uplink.js';
import type { GatewayUuid } from '../../shared/ids.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { downTopic } from '../../shared/topics.js';
import { imageEntry, sightingEntry } from '../world/agent-records.js';
import { createModelCloud } from '../world/model-cloud.js';
import { freePorts } from '../world/free-ports.js';
import { runs } from '../depth.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
const RECORDS = 6_000;
const KILLS = runs(4, 2);

/** A broker with the model cloud inside, on the same port in each of its lives. */
async function createBroker() {
  const cloud = createModelCloud({
    clock: systemClock,
    gatewayUuid: UUID,
    send(channel, payload) {
      const packet = { cmd: 'publish', topic: downTopic(UUID, channel), qos: 1, retain: false, dup: false } as const;
      aedes?.publish({ ...packet, payload: JSON.stringify(payload) }, () => undefined);
    },
  });
  const [port = 0] = await freePorts(1);
  let aedes: Aedes | null = null;
  let server: Server | null = null;
  const sockets = new Set<Socket>();
  const broker = {
    cloud,
    port,
    async start(): Promise<void> {
      aedes = await Aedes.createBroker();
      aedes.on('publish', ({ topic, payload }) => {
        if (topic.startsWith(`gw/${UUID}/up/`)) cloud.handle(topic, payload.toString());
      });
      const handle = aedes.handle;
      server = createServer((socket) => {
        sockets.add(socket);
        handle(socket);
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async kill(): Promise<void> {
      for (const socket of sockets) socket.resetAndDestroy();
      sockets.clear();
      server?.close();
      const dying = aedes;
      aedes = null;
      await new Promise<void>((resolve) => (dying === null ? resolve() : dying.close(resolve)));
    },
  };
  await broker.start();
  return broker;
}

it('delivers every record exactly once and in order over a broker that is killed while it drains', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'uplink-broker-'));
  const store = await openSqliteAgentStore({ path: join(directory, 'agent.db'), logger: silentLogger });
  const broker = await createBroker();
  const uplink = createUplink({
    transport: createMqttTransport({ clock: systemClock }),
    store,
    clock: systemClock,
    // It comes back at once: how soon is not tested here.
    ladder: { opened() {}, lost: () => 0, returned: () => 0 },
    logger: silentLogger,
    gatewayUuid: UUID,
    credentials: { url: `mqtt://127.0.0.1:${broker.port}`, username: UUID, password: 'secret', ca: null },
    agentVersion: '1.0.0',
    bootId: store.boot.boot_id,
    isClockOk: () => true,
    ownAddresses: () => [],
    onRefused() {},
    tracer: null,
  });
  try {
    await Promise.all(Array.from({ length: RECORDS }, (_, at) => store.append(sightingEntry(at, 0))));
    await Promise.all(Array.from({ length: 5 }, () => store.appendImage(imageEntry(new Uint8Array(300_000)))));
    uplink.start({
      configRevisions: () => ({}),
      onConfig: () => Promise.resolve('applied'),
      onCommand: () => {},
      onPairing: () => {},
      onAdmin: () => {},
      onDoctor() {},
      onAsk() {},
      onConnectedChange() {},
    });
    for (let kill = 1; kill <= KILLS; kill++) {
      const target = Math.floor((RECORDS * kill) / (KILLS + 1));
      await expect.poll(() => broker.cloud.applied.length, { interval: 1 }).toBeGreaterThan(target);
      await broker.kill();
      await broker.start();
    }
    await expect.poll(async () => (await store.outboxState()).lanes.map((lane) => lane.rows)).toEqual([0, 0, 0]);
    const critical = broker.cloud.applied.filter((record) => record.lane === 0);
    expect(critical.map((record) => (record.payload as { event_ms: number }).event_ms)).toEqual(
      Array.from({ length: RECORDS }, (_, at) => at),
    );
    expect(broker.cloud.applied).toHaveLength(RECORDS + 5);
    expect(broker.cloud.hellos.length).toBeGreaterThan(KILLS);
    // The presence `offline` is published while the link still stands.
    await uplink.close();
    await expect.poll(() => broker.cloud.presence?.status).toBe('offline');
  } finally {
    await uplink.close();
    await store.close();
    await broker.kill();
    await rm(directory, { recursive: true, force: true });
  }
});
