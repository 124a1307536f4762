/** Two cloud processes whose PostgreSQL server is stopped and started again, in the middle of a command and of a plate that is read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { createPostgresStore } from '../../cloud/kernel/store/postgres/postgres-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { printsFaults } from '../faults/fault-table.js';
import { type CloudProcess, createProcessesWorld, type ProcessesWorld } from '../world/cloud-processes.js';
import { hasMosquitto } from '../world/mosquitto-server.js';
import { hasPostgres } from '../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../world/postgres-server.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const DATABASE = 'parking';
const GATE_ID = 2;
const ENDED = new Set(['succeeded', 'failed']);
const BACK_WITHIN_MS = 120_000;

interface CommandAnswer {
  data: { event_id: string; status: string };
}

describe.runIf(hasPostgres() && hasMosquitto())('two cloud processes and their PostgreSQL server', () => {
  const faults = printsFaults('Faults of the database of two cloud processes');
  let server: PostgresServer;
  let processes: ProcessesWorld;
  let second: CloudProcess;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: true });
    await server.run(`create database ${DATABASE} template template0 encoding UTF8`);
    const databaseUrl = server.url(DATABASE);
    const store = await createPostgresStore({ url: databaseUrl, clock: systemClock, logger: silentLogger });
    await store.migrate(MIGRATIONS);
    await store.close();
    processes = await createProcessesWorld({ databaseUrl, cloudEnv: { GATEWAY_WAIT_MS: '8000' } });
    second = await processes.start();
    await processes.world.settled();
  });
  afterAll(async () => {
    await processes?.close();
    await server?.remove();
  });

  const gate = () => processes.world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.gate}`);
  const closedGate = () =>
    waitUntil('the gate to be closed', async () => {
      const now = await gate();
      return now.state === 'closed' && now;
    });
  const isReady = async (url: string) => (await fetch(`${url}/readyz`)).ok;
  const urls = () => [processes.world.cloudUrl, second.url];

  it.each(['fast', 'kill'] as const)(
    'stopped (%s) and started: the gate opens once, the plate is there once',
    async (how) => {
      const saw = faults.row(`stopped (${how}) and started, in a command and a plate`, 'one opening, one reading');
      const { moves } = await closedGate();
      const plate = `ZG1${how.toUpperCase()}`;
      const open = () => second.call<CommandAnswer>('POST', `/v2/products/${GATE_ID}/state`, { operation: 'open' });
      const { event_id } = await waitUntil('a command that is taken', async () => {
        const answer = await open();
        return answer.status === 200 && answer.body.data;
      });
      await processes.world.arrive(plate);
      await server.stop(how);
      for (const url of urls()) await waitUntil(`${url} to say so`, async () => !(await isReady(url)));
      await waitUntil('the gate to move', async () => (await gate()).moves > moves);
      await server.start();
      for (const url of urls()) await waitUntil(`${url} to be ready`, () => isReady(url), BACK_WITHIN_MS);
      const status = await waitUntil(
        'the end of the command',
        async () => {
          const { body } = await second.call<CommandAnswer>('GET', `/v2/commands/${event_id}`);
          return ENDED.has(body.data.status) && body.data.status;
        },
        BACK_WITHIN_MS,
      );
      await processes.world.settled();
      const readings = () => processes.ask(`select 1 from plate_readings where plate = '${plate}'`);
      await waitUntil('the reading', async () => (await readings()).length > 0);
      await closedGate();
      expect(await readings()).toHaveLength(1);
      // It opened, and closed by itself.
      expect((await gate()).moves).toBe(moves + 2);
      const notified = await processes.ask<{ id: number }>('select id::int from events order by account_id, id');
      expect(notified.map(({ id }) => id)).toEqual(notified.map((_, index) => (notified[0]?.id ?? 1) + index));
      // Both live on, and neither took the other for dead.
      expect(await processes.ask('select 1 from cloud_processes')).toHaveLength(2);
      saw(`the command ${status}, the gate opened once, the plate is there once`);
    },
  );
});
