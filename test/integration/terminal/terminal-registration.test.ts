import mqtt from 'mqtt';
import type { IClientOptions } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAedesBroker } from '../../../cloud/equipment/broker/aedes-broker.js';
import { isTerminalKeyKnown } from '../../../cloud/equipment/terminal/terminal-queries.js';
import { TERMINAL_ANSWER } from '../../../cloud/equipment/terminal/terminal-resource.js';
import { startTerminalPresence, type TerminalPresence } from '../../../cloud/equipment/terminal/terminal-presence.js';
import { systemClock } from '../../../shared/system-clock.js';
import { terminalDownTopic, terminalUpTopic } from '../../../shared/topics.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { TERMINAL_WAIT_MS } from '../http/http-world.js';
import { createTestLog } from '../../world/test-log.js';
import { type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import {
  confirmation,
  connectTerminal,
  generateTerminalKey,
  terminalCredentials,
  type TerminalKey,
} from './terminal-device.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const PATH = '/v2/terminals';
const MAC = '02:00:00:00:00:0a';

const { lines, logger } = createTestLog();
let broker: Awaited<ReturnType<typeof createAedesBroker>>;
let world: RestWorld;
let presence: TerminalPresence;

beforeAll(async () => {
  broker = await createAedesBroker({
    host: '127.0.0.1',
    port: 0,
    authenticate: async () => false,
    isTerminalRegistered: (key) => isTerminalKeyKnown(world.cloud.store.reader, key),
    clock: systemClock,
    logger,
    limits: { newTerminalsMax: 3 },
  });
  world = await startRestWorld({ terminalLink: broker.terminals });
  const { store, clock } = world.cloud;
  presence = await startTerminalPresence({ store, clock, logger, link: broker.terminals });
});
afterAll(async () => {
  await broker.close();
  await presence.close();
  await world.cloud.close();
});

const clients: { endAsync(force: boolean): Promise<void> }[] = [];
const keys = new Set<string>();
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
  await allGone();
});
const connect = async (...args: [key: TerminalKey, answer?: (request: string) => string | null]) => {
  keys.add(args[0].publicKey);
  const client = await connectTerminal(broker.port, ...args);
  clients.push(client);
  return client;
};
/** The broker hears of an end later than the terminal: until then it has no room for another. */
const allGone = () => waitUntil('all to be gone', () => [...keys].every((key) => !broker.terminals.isConnected(key)));
const body = (key: TerminalKey, changed: object = {}) => ({
  device_id: 'term-1',
  mac: MAC.toUpperCase(),
  public_key: key.publicKey,
  type: 'pof',
  is_master: true,
  ...changed,
});
describe('a terminal that is registered', () => {
  it('confirms it with its signature, and is online as long as it is connected', async () => {
    const key = generateTerminalKey();
    const asked: unknown[] = [];
    const client = await connect(key, (request) => {
      asked.push(JSON.parse(request));
      return confirmation(key, request, { mac: MAC.toUpperCase(), ip_address: '10.0.0.8', system_currency: 'EUR' });
    });
    const terminal = TERMINAL_ANSWER.schema.parse(await world.post(PATH, body(key)));
    const now = new Date(world.cloud.clock.now()).toISOString();
    expect(terminal).toEqual({
      id: terminal.id,
      zone_id: null,
      name: 'term-1',
      status: 'online',
      device_id: 'term-1',
      ip_address: '10.0.0.8',
      version: '2.0.1',
      mac: MAC,
      is_master: true,
      type: 'pof',
      pos_serial_number: null,
      electronic_device_id: null,
      system_currency: 'EUR',
      last_seen: now,
      created_at: now,
      updated_at: now,
    });
    const notified = world.cloud.store.reader
      .selectFrom('audit_log')
      .select(['action', 'target'])
      .orderBy('id', 'desc');
    const entry = { action: 'terminal.create', target: `terminal ${terminal.id}` };
    expect(await notified.executeTakeFirst()).toEqual(entry);
    const identity = { device_id: 'term-1', mac: MAC, type: 'pof', is_master: true };
    expect(asked).toEqual([{ request_id: expect.any(String), ...identity }]);
    // Of a device that the account knows nobody asks again.
    expect(await world.refused('POST', PATH, body(generateTerminalKey()))).toEqual([422, '23 device_id']);
    // Another account is told no more than of a terminal that does not answer.
    expect(await world.refused('POST', PATH, body(key), RIVAL_TOKEN)).toEqual([503, '40']);
    expect(asked).toHaveLength(2);
    expect(await world.ids(PATH, RIVAL_TOKEN)).toEqual([]);

    const statusIs = (status: string) =>
      waitUntil(status, async () => (await world.get(`${PATH}/${terminal.id}`)).status === status);
    await client.endAsync(true);
    await statusIs('offline');
    await connect(key);
    await statusIs('online');
    await world.remove(`${PATH}/${terminal.id}`);
  });

  it('is all whose coming and going is written: nobody waits for who makes up keys', async () => {
    const { store } = world.cloud;
    let changes = 0;
    const counting = {
      ...store,
      reader: store.reader,
      change: (work: Parameters<typeof store.change>[0]) => {
        changes += 1;
        return store.change(work);
      },
    } as typeof store;
    const counted = await startTerminalPresence({
      store: counting,
      clock: world.cloud.clock,
      logger,
      link: broker.terminals,
    });
    const before = changes;
    for (let made = 0; made < 5; made++) await (await connect(generateTerminalKey())).endAsync(true);
    await allGone();
    await counted.close();
    expect(changes).toBe(before);
  });

  it.each<[string, (key: TerminalKey, request: string) => string | null]>([
    ['keeps silent', () => null],
    ['says no JSON', () => 'yes'],
    ['says something else', () => '{"ok":true}'],
    [
      'is signed by another key',
      (key, request) => confirmation({ ...generateTerminalKey(), publicKey: key.publicKey }, request),
    ],
    ['answers another request', (key, request) => confirmation(key, request, { request_id: 'x' })],
    ['changes what it signed', (key, request) => confirmation(key, request).replace('2.0.1', '2.0.2')],
    ['tells what is no currency', (key, request) => confirmation(key, request, { system_currency: 'XQQ' })],
  ])('is not stored when its answer %s', async (_what, answer) => {
    const { clock } = world.cloud;
    const key = generateTerminalKey();
    let said: string | null | undefined;
    const heard = new Set<string>();
    const stop = broker.terminals.onMessage(({ payload }) => void heard.add(payload));
    await connect(key, (request) => (said = answer(key, request)));
    const refused = world.refused('POST', PATH, body(key));
    await waitUntil('what it says to be heard', () => said === null || (said !== undefined && heard.has(said)));
    stop();
    await clock.advance(TERMINAL_WAIT_MS);
    expect(await refused).toEqual([503, '40']);
    expect(await world.ids(PATH)).toEqual([]);
  });

  it.each([{ device_id: 'term-2' }, { mac: '02:00:00:00:00:0b' }])(
    'is not stored when it says it is %s',
    async (own) => {
      const key = generateTerminalKey();
      await connect(key, (request) => confirmation(key, request, own));
      expect(await world.refused('POST', PATH, body(key))).toEqual([503, '40']);
      expect(await world.ids(PATH)).toEqual([]);
    },
  );

  it('is not stored when it is not connected, and nobody waits for it', async () => {
    expect(await world.refused('POST', PATH, body(generateTerminalKey()))).toEqual([503, '40']);
    expect(await world.ids(PATH)).toEqual([]);
  });

  it('is refused with every wrong field at once, by managers only', async () => {
    const key = generateTerminalKey();
    expect(await world.refused('POST', PATH)).toEqual([
      422,
      '23 device_id',
      '23 mac',
      '23 public_key',
      '23 type',
      '23 is_master',
    ]);
    const wrong = { device_id: 'no spaces', mac: '1', public_key: 'short', type: 'kiosk', is_master: 1, name: 'x' };
    expect(await world.refused('POST', PATH, wrong)).toEqual([
      422,
      ...Object.keys(wrong).map((field) => `23 ${field}`),
    ]);
    expect(await world.refused('POST', PATH, body(key), GUARD_TOKEN)).toEqual([403, '4']);
  });
});

describe('the broker and its terminals', () => {
  const refusal = (options: IClientOptions) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, options, false).then(
      (client) => client.endAsync(true).then(() => 'let in'),
      (error: Error) => error.message,
    );

  it('lets in who proves its key, and nobody else', async () => {
    const key = generateTerminalKey();
    const right = terminalCredentials(key);
    keys.add(key.publicKey);
    expect(await refusal(right)).toBe('let in');
    const other = terminalCredentials(generateTerminalKey());
    const will = { topic: terminalUpTopic(key.publicKey), payload: Buffer.from('x'), qos: 0 as const, retain: false };
    for (const wrong of [
      { ...right, password: other.password ?? '' },
      { ...right, password: 'x' },
      { ...right, username: other.username ?? '' },
      { ...right, clean: false },
      { ...right, will },
      { ...right, clientId: 'terminal-short' },
    ]) {
      expect(await refusal(wrong)).toMatch(/refused/i);
    }
    const { password: _, ...without } = right;
    expect(await refusal(without)).toMatch(/refused/i);
  });

  it('has room for so many that nobody has registered', async () => {
    const some = [generateTerminalKey(), generateTerminalKey(), generateTerminalKey()];
    for (const key of some) await connect(key);
    // The one that waits longest goes for the next one.
    await connect(generateTerminalKey());
    const [first, second] = some.map(({ publicKey }) => publicKey);
    await waitUntil('the first to go', () => !broker.terminals.isConnected(first ?? ''));
    expect(broker.terminals.isConnected(second ?? '')).toBe(true);
  });

  it('lets it hear and say nothing but its own', async () => {
    const key = generateTerminalKey();
    const other = generateTerminalKey();
    for (const topic of ['#', 'terminal/#', terminalDownTopic(other.publicKey), terminalUpTopic(key.publicKey)]) {
      const client = await connect(key);
      const answer = await client.subscribeAsync(topic).catch(() => 'refused');
      expect([topic, answer]).toEqual([topic, 'refused']);
      await client.endAsync(true);
    }
    const heard: string[] = [];
    const stop = broker.terminals.onMessage(({ payload }) => void heard.push(payload));
    const uuid = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
    const say = async (topic: string, payload: string, options: { qos: 0 | 1 | 2; retain?: boolean } = { qos: 0 }) => {
      const client = await connect(key);
      const ended = new Promise<void>((resolve) => client.once('close', () => resolve()));
      client.publish(topic, payload, options);
      await ended;
    };
    await say(terminalUpTopic(other.publicKey), 'x');
    await say(`gw/${uuid}/up/hello`, 'x');
    await say(terminalDownTopic(key.publicKey), 'x');
    await say(terminalUpTopic(key.publicKey), 'x', { qos: 1, retain: true });
    await say(terminalUpTopic(key.publicKey), 'x', { qos: 2 });
    await say(terminalUpTopic(key.publicKey), 'x'.repeat(5_000));
    await say(terminalUpTopic(key.publicKey), 'x'.repeat(50_000));
    expect(heard).toEqual([]);
    const client = await connect(key);
    await client.publishAsync(terminalUpTopic(key.publicKey), 'hello', { qos: 1 });
    expect(heard).toEqual(['hello']);
    stop();
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
