/** The broker while strangers crowd its door: who has a right password comes in and stays. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import mqtt, { type MqttClient } from 'mqtt';
import { afterEach, describe, expect, it } from 'vitest';
import { createAedesBroker } from '../../../cloud/equipment/broker/aedes-broker.js';
import type { PaceLimits } from '../../../shared/connection-pace.js';
import { openTlsFiles } from '../../../cloud/kernel/secrets/tls-files.js';
import type { BrokerLimits } from '../../../cloud/equipment/broker/aedes-state.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { ATTACKER_ADDRESS } from '../../attack/attack.js';
import { connectWrongly } from '../../attack/broker-connects.js';
import { duringAttack } from '../../attack/during-attack.js';
import { holdSockets } from '../../attack/held-sockets.js';
import { madeUpTerminal } from '../../attack/made-up-terminal.js';
import { encodeConnect } from '../../attack/mqtt-packets.js';
import { runs } from '../../depth.js';
import { FakeClock } from '../../world/fake-clock.js';
import { tlsFixture, tlsPlace, tlsText } from '../../world/tls-fixtures.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { credentials } from '../gateway/link-gateway.js';
import { passwordOf } from '../gateway/link-site.js';
import { createTestLog, type LogLine } from '../../world/test-log.js';
import { generateTerminalKey, terminalCredentials } from '../terminal/terminal-device.js';

const CROWD = runs(60, 15);
const PLACES = 20;

let broker: Awaited<ReturnType<typeof createAedesBroker>>;
let lines: LogLine[];
const clock = new FakeClock();
const registered = new Set<string>();
/** The terminals that the broker asked for, whoever they are. */
let asked: string[];
const clients: MqttClient[] = [];
const sockets: Socket[] = [];

/** Where a test is not about the pace, it is none. */
const NO_PACE = { burst: 1_000_000 };

async function start(limits: Partial<BrokerLimits>, pace: Partial<PaceLimits> = NO_PACE, hasTls = false) {
  const log = createTestLog();
  const ofThisBroker: string[] = [];
  asked = ofThisBroker;
  lines = log.lines;
  broker = await createAedesBroker({
    host: '127.0.0.1',
    port: 0,
    authenticate: async (uuid, password) => password === passwordOf(uuid),
    isTerminalRegistered: async (key) => {
      ofThisBroker.push(key);
      return registered.has(key);
    },
    clock,
    logger: log.logger,
    limits,
    pace,
    tls: hasTls
      ? openTlsFiles(tlsPlace(tlsFixture('server.pem'), tlsFixture('server.key')), { ...log, clock })
      : undefined,
  });
}
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
  for (const socket of sockets.splice(0)) socket.destroy();
  await broker.close();
});

async function join(options: mqtt.IClientOptions, localAddress?: string): Promise<MqttClient> {
  const client = await mqtt.connectAsync(
    `mqtt://127.0.0.1:${broker.port}`,
    // mqtt.js hands its options to the socket.
    { ...options, keepalive: 60, reconnectPeriod: 0, ...(localAddress === undefined ? {} : { localAddress }) },
    false,
  );
  client.on('error', () => {});
  clients.push(client);
  return client;
}
const gateway = (number: number) =>
  gatewayUuidSchema.parse(`0d3c2a54-5a1f-4b7e-9a51-${String(number).padStart(12, '0')}`);
const joinGateway = (number: number, localAddress?: string) => join(credentials(gateway(number)), localAddress);

/** Resolves when the room is so full that a connection of the attacker had to go. */
async function firstOfAttackerGone(opening?: Buffer): Promise<void> {
  const socket = connect({ port: broker.port, host: '127.0.0.1', localAddress: ATTACKER_ADDRESS });
  sockets.push(socket);
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  if (opening !== undefined) socket.write(opening);
  await once(socket, 'close');
}

describe('connections that say nothing', () => {
  it('keep no gateway out, from their own address neither', async () => {
    await start({ strangersMax: PLACES });
    const before = await joinGateway(1);
    await duringAttack(
      'silent connections',
      (order) => holdSockets({ port: broker.port, count: CROWD }, order),
      async () => {
        await firstOfAttackerGone();
        const during = [await joinGateway(2), await joinGateway(3, ATTACKER_ADDRESS)];
        expect([before, ...during].map(({ connected }) => connected)).toEqual([true, true, true]);
      },
    );
  });

  it('keep no gateway out of a storm of reconnects behind one address', async () => {
    await start({ strangersMax: PLACES });
    // As the agent does: it tries again until it is in.
    const storm = Array.from({ length: 100 }, (_, number) => waitUntil('a place', () => joinGateway(number)));
    expect((await Promise.all(storm)).every(({ connected }) => connected)).toBe(true);
  });
});

describe('wrong passwords', () => {
  it('keep no gateway out, and do not fill the log', async () => {
    await start({});
    const attack = await duringAttack(
      'wrong passwords',
      (order) => connectWrongly({ port: broker.port, perSecond: 1_000, inFlightMax: 20 }, order),
      async () => {
        await waitUntil('some to be refused', () => lines.length >= 10);
        for (let number = 0; number < 5; number++) await joinGateway(number);
        await joinGateway(5, ATTACKER_ADDRESS);
      },
    );
    const refusals = () => lines.filter(({ message }) => message.startsWith('gateway connection refused'));
    expect(refusals()).toHaveLength(10);
    await clock.advance(60_000);
    // A few were still under way when the attack ended.
    const [counted] = refusals().flatMap(({ fields }) => fields.left_out ?? []);
    expect(counted).toBeGreaterThanOrEqual((attack.refused ?? 0) - 10);
    expect(refusals().length).toBeLessThanOrEqual(21);
  });
});

describe('terminals that nobody registered', () => {
  it('are in the way of themselves only', async () => {
    await start({ newTerminalsMax: PLACES });
    const [known, fresh] = [generateTerminalKey(), generateTerminalKey()];
    registered.add(known.publicKey);
    const before = await join(terminalCredentials(known));
    const opening = () => encodeConnect(madeUpTerminal());
    await duringAttack(
      'made-up terminals',
      (order) => holdSockets({ port: broker.port, count: CROWD, opening }, order),
      async () => {
        await firstOfAttackerGone(opening());
        const waiting = await join(terminalCredentials(fresh));
        const again = generateTerminalKey();
        registered.add(again.publicKey);
        const late = await join(terminalCredentials(again), ATTACKER_ADDRESS);
        await joinGateway(1);
        expect(broker.terminals.isConnected(fresh.publicKey)).toBe(true);
        expect([before, waiting, late].map(({ connected }) => connected)).toEqual([true, true, true]);
      },
    );
    expect(lines.filter(({ message }) => message === 'terminal connected').length).toBeLessThanOrEqual(20);
    const honest = new Set([fresh.publicKey, ...registered]);
    await waitUntil('all others to be known as gone', () =>
      asked.every((key) => honest.has(key) || !broker.terminals.isConnected(key)),
    );
  });
});

describe('strangers who come back as soon as they are sent away', () => {
  it('are let in at a pace, and keep nobody out', async () => {
    await start({ newTerminalsMax: 5 }, { burst: 10, perSecond: 10 });
    const beganMs = clock.monotonic();
    const opening = () => encodeConnect(madeUpTerminal());
    await duringAttack(
      'made-up terminals that come again',
      (order) => holdSockets({ port: broker.port, count: CROWD, opening }, order),
      async () => {
        await waitUntil('the burst', () => asked.length === 10);
        await joinGateway(1);
        await clock.advance(1_000);
        await waitUntil('the turns of a second', () => asked.length === 20);
        let isIn = false;
        const late = joinGateway(2, ATTACKER_ADDRESS).then(() => (isIn = true));
        await waitUntil('a gateway of their own address', async () => {
          await clock.advance(100);
          return isIn;
        });
        await late;
      },
    );
    expect(asked.length).toBeLessThanOrEqual(10 + (clock.monotonic() - beganMs) / 100);
  });

  it('are another thing than a crowd of gateways behind one address: each that is accepted makes way for the next', async () => {
    await start({}, { burst: 5 });
    const crowd = await Promise.all(Array.from({ length: runs(300, 1) }, (_, number) => joinGateway(number)));
    expect(crowd.every(({ connected }) => connected)).toBe(true);
  });

  it('are so with TLS, too, which begins when their turn has come', async () => {
    await start({}, { burst: 1 }, true);
    const tls = { protocol: 'mqtts', ca: tlsText('authority.pem') } as const;
    const crowd = await Promise.all([1, 2, 3].map((number) => join({ ...credentials(gateway(number)), ...tls })));
    expect(crowd.every(({ connected }) => connected)).toBe(true);
  });
});
