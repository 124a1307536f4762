/** Terminals at one of several cloud processes on one PostgreSQL database, registered and seen through another. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAedesBroker } from '../../../cloud/equipment/broker/aedes-broker.js';
import { insertProcess } from '../../../cloud/kernel/peers/peer-queries.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { createPostgresStore } from '../../../cloud/kernel/store/postgres/postgres-store.js';
import { type SharedTerminals, shareTerminals } from '../../../cloud/equipment/terminal/shared-terminals.js';
import { startTerminalPresence, type TerminalPresence } from '../../../cloud/equipment/terminal/terminal-presence.js';
import { createTerminalRegistrations } from '../../../cloud/equipment/terminal/terminal-registrations.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { accountRow } from '../../conformance/account-row.js';
import { createDatabase, dropDatabase, hasPostgres, postgresUrl, TEMPLATE } from '../../world/postgres-databases.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { confirmation, connectTerminal, generateTerminalKey, type TerminalKey } from './terminal-device.js';

const WAIT_MS = 5_000;
const CHANGES = 40;
const IDENTITY = { device_id: 'term-1', mac: '02:00:00:00:00:0a', type: 'pof', is_master: true };

interface Process {
  store: CloudStore;
  port: number;
  terminals: SharedTerminals;
  confirm: ReturnType<typeof createTerminalRegistrations>['confirm'];
  presence: TerminalPresence;
  /** How often it has written of terminals. */
  statusWrites(): number;
  /** Ends it, as a kill does: it says nothing any more. */
  end(): Promise<void>;
}

describe.runIf(hasPostgres())('terminals of several processes', () => {
  let name: string;
  let one: Process;
  let other: Process;
  const running = new Set<Process>();
  const clients: MqttClient[] = [];
  beforeEach(async () => {
    name = `terminals_${randomBytes(6).toString('hex')}`;
    await createDatabase(name, { template: TEMPLATE });
    one = await start();
    other = await start();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.end(true);
    for (const process of running) await process.end();
    await dropDatabase(name);
  });

  async function start(): Promise<Process> {
    const logger = silentLogger;
    let statusWrites = 0;
    const store = await createPostgresStore({
      url: postgresUrl(name),
      clock: systemClock,
      logger,
      onCommitted: ({ written }) => void (statusWrites += written !== 'any' && written.has('terminals') ? 1 : 0),
    });
    const id = store.peers?.id ?? '';
    await store.change((tx) => insertProcess(tx, { id, beat: 0, is_hearing: 1, started_at: 0 }));
    const broker = await createAedesBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async () => false,
      isTerminalRegistered: async () => true,
      clock: systemClock,
      logger,
    });
    const terminals = await shareTerminals({ link: broker.terminals, store, clock: systemClock, logger });
    const registrations = createTerminalRegistrations({
      link: terminals,
      clock: systemClock,
      waitMs: WAIT_MS,
      generateRequestId: randomUUID,
    });
    const presence = await startTerminalPresence({ store, link: terminals, clock: systemClock, logger });
    const process: Process = {
      store,
      port: broker.port,
      terminals,
      confirm: registrations.confirm,
      presence,
      statusWrites: () => statusWrites,
      async end() {
        running.delete(process);
        terminals.close();
        registrations.close();
        await presence.close();
        await broker.close();
        await store.change((tx) => tx.deleteFrom('cloud_processes').where('id', '=', id).execute());
        await store.close();
      },
    };
    running.add(process);
    return process;
  }
  async function connect({ port }: Process, ...args: [key: TerminalKey, answer?: (request: string) => string | null]) {
    const client = await connectTerminal(port, ...args);
    clients.push(client);
    return client;
  }
  const seen = (process: Process, { publicKey }: TerminalKey, isThere = true) =>
    waitUntil(
      `the terminal to be ${isThere ? 'there' : 'gone'}`,
      () => process.terminals.isConnected(publicKey) === isThere,
    );
  async function register({ publicKey }: TerminalKey): Promise<void> {
    await one.store.change(async (tx) => {
      const { id } = await tx.insertInto('accounts').values(accountRow('A')).returning('id').executeTakeFirstOrThrow();
      const times = { last_seen: 1, created_at: 1, updated_at: 1 };
      const said = { version: null, ip_address: null, pos_serial_number: null, electronic_device_id: null };
      await tx
        .insertInto('terminals')
        .values({
          account_id: id,
          zone_id: null,
          device_id: IDENTITY.device_id,
          name: IDENTITY.device_id,
          public_key: publicKey,
          mac: IDENTITY.mac,
          type: 'pof',
          is_master: 1,
          status: 'offline',
          system_currency: null,
          ...said,
          ...times,
        })
        .execute();
    });
  }
  const statusIs = (status: string) =>
    waitUntil(`its status to be ${status}`, async () => {
      const row = await one.store.reader.selectFrom('terminals').select('status').executeTakeFirst();
      return row?.status === status;
    });

  it('confirm their registration through another one than they are at', async () => {
    const key = generateTerminalKey();
    await connect(one, key, (request) => confirmation(key, request, { ip_address: '10.0.0.8' }));
    await seen(other, key);
    expect(await other.confirm(key.publicKey, IDENTITY)).toMatchObject({ version: '2.0.1', ip_address: '10.0.0.8' });
    expect(await one.confirm(key.publicKey, IDENTITY)).toMatchObject({ version: '2.0.1' });
  });

  it('are not confirmed by what another key has signed, and nobody waits for one that is nowhere', async () => {
    const [key, liar] = [generateTerminalKey(), generateTerminalKey()];
    await connect(one, key, (request) => confirmation({ ...liar, publicKey: key.publicKey }, request));
    await seen(other, key);
    expect(await other.confirm(key.publicKey, IDENTITY)).toBeNull();
    const beganMs = performance.now();
    expect(await other.confirm(generateTerminalKey().publicKey, IDENTITY)).toBeNull();
    expect(performance.now() - beganMs).toBeLessThan(WAIT_MS);
  });

  it('are written of when they come and go, and not whenever another one writes anything', async () => {
    const key = generateTerminalKey();
    await register(key);
    await connect(one, key);
    await seen(other, key);
    await statusIs('online');
    let notified = 0;
    other.store.onForeignChange(() => (notified += 1));
    for (let change = 1; change <= CHANGES; change++) {
      await one.store.change((tx) =>
        tx
          .updateTable('terminals')
          .set({ name: `${change}` })
          .execute(),
      );
      await waitUntil('it to be told', () => notified >= change);
    }
    // Those of the test are in it, and a few of its coming.
    expect(one.statusWrites() + other.statusWrites()).toBeLessThan(1.5 * CHANGES);
  });

  it('are there as long as they are at any of them, also for one that starts later', async () => {
    const key = generateTerminalKey();
    await register(key);
    const client = await connect(one, key);
    await statusIs('online');
    const third = await start();
    expect(third.terminals.isConnected(key.publicKey)).toBe(true);
    await third.presence.close();
    await statusIs('online');
    await connect(other, key);
    await waitUntil('both to have it', () => other.terminals.connected().includes(key.publicKey));
    client.end(true);
    await seen(one, key);
    await statusIs('online');
    await other.end();
    await seen(one, key, false);
    await statusIs('offline');
    await seen(third, key, false);
  });
});
