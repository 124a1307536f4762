/** Cloud processes that are killed again and again, in the middle of commands and records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  type CloudProcess,
  createProcessesWorld,
  type ProcessesWorld,
  sharesOf,
} from '../sim/world/cloud-processes.js';
import { hasMosquitto } from '../sim/world/mosquitto-server.js';
import { hasPostgres } from '../sim/world/postgres-databases.js';
import { TEST_SITE } from '../sim/world/site.js';
import { waitUntil } from '../sim/world/wait-until.js';

const KILLS = 20;
const FROZEN_MS = 60_000;
const GATE_ID = 2;
const ENDED = new Set(['succeeded', 'failed']);

interface CommandAnswer {
  data: { event_id: string; status: string };
}
type Callable = Pick<CloudProcess, 'call'>;

describe.runIf(hasPostgres() && hasMosquitto())('two cloud processes', () => {
  let processes: ProcessesWorld;
  let second: CloudProcess;
  beforeAll(async () => {
    processes = await createProcessesWorld({ cloudEnv: { GATEWAY_WAIT_MS: '8000' } });
    second = await processes.start();
    await processes.world.settled();
  });
  afterAll(() => processes?.close());

  const first: Callable = {
    call: (method, path, body) => processes.world.call(method, path, body === undefined ? {} : { body }),
  };
  const world = () => ({ ...first, listen: (id?: string) => processes.world.listen(id) });
  const gate = () => processes.world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.gate}`);
  const closedGate = () =>
    waitUntil('the gate to be closed', async () => {
      const now = await gate();
      return now.state === 'closed' && now;
    });
  const read = (plate: string) => processes.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate });
  const give = (through: Callable) =>
    waitUntil('a command that is taken', async () => {
      const answer = await through.call<CommandAnswer>('POST', `/v2/products/${GATE_ID}/state`, { operation: 'open' });
      return answer.status === 200 && answer.body.data.event_id;
    });
  const endOf = (through: Callable, event_id: string) =>
    waitUntil(
      'the end of the command',
      async () => {
        const { body } = await through.call<CommandAnswer>('GET', `/v2/commands/${event_id}`);
        return ENDED.has(body.data.status) && body.data.status;
      },
      120_000,
    );

  it(`lose nothing and do nothing twice while one of them is killed ${KILLS} times`, async () => {
    const plates: string[] = [];
    const seen = { succeeded: 0, failed: 0 };
    for (let round = 0; round < KILLS; round++) {
      const isFirst = round % 2 === 0;
      const [victim, survivor] = isFirst ? [first, second] : [second, first];
      const { moves } = await closedGate();
      const plate = `ZG${String(round).padStart(3, '0')}KL`;
      plates.push(plate);
      const event_id = await give(round % 3 === 0 ? survivor : victim);
      await read(plate);
      if (isFirst) await processes.world.stopCloud('SIGKILL');
      else await second.program.end('SIGKILL');
      const status = await endOf(survivor, event_id);
      seen[status as keyof typeof seen] += 1;
      const moved = (await gate()).moves - moves;
      expect(moved, `round ${round}: ${status}`).toBeLessThanOrEqual(1);
      if (status === 'succeeded') expect(moved).toBe(1);
      if (isFirst) await processes.world.startCloud();
      else second = await processes.start();
    }
    await processes.world.settled();
    process.stdout.write(`${KILLS} kills: commands ${JSON.stringify(seen)}, ${plates.length} plates read\n`);
    for (const plate of plates) {
      const { body } = await first.call<{ data: unknown[] }>('GET', `/v2/plate-readings?filter=plate:eq:${plate}`);
      expect(body.data, plate).toHaveLength(1);
    }
    const told = await processes.ask<{ id: number; event: string; plate: string | null }>(
      "select id::int, event, payload::json ->> 'plate' as plate from events order by account_id, id",
    );
    expect(told.map(({ id }) => id)).toEqual(told.map((_, index) => (told[0]?.id ?? 1) + index));
    for (const plate of plates) {
      const created = told.filter((each) => each.event === 'plate_reading_create' && each.plate === plate);
      expect(created, plate).toHaveLength(1);
    }
  });

  it(`go on when one of them is frozen for ${FROZEN_MS / 1_000} s, which writes nothing any more`, async () => {
    const frozen = second;
    process.kill(frozen.program.pid, 'SIGSTOP');
    const frozenAt = performance.now();
    await waitUntil('all gateways to be the other’s', async () => `${await sharesOf(processes)}` === '64', 10_000);
    await closedGate();
    expect(await endOf(first, await give(first))).toBe('succeeded');
    await waitUntil('the time to be over', () => performance.now() - frozenAt > FROZEN_MS, FROZEN_MS * 2);
    const before = await processes.ask('select count(*) from audit_log');
    process.kill(frozen.program.pid, 'SIGCONT');
    expect((await frozen.program.ended).code).toBe(1);
    expect(await processes.ask('select count(*) from audit_log')).toEqual(before);
    expect(await processes.ask('select 1 from cloud_processes')).toHaveLength(1);
    second = await processes.start();
  });

  it('what is changed through either reaches the gateway: a member is let out', async () => {
    for (const [index, through] of [first, second].entries()) {
      const { moves } = await closedGate();
      const plate = `ZG77${index}PR`;
      const member = { name: `Pia ${index}`, license_plate: plate };
      const { status, body } = await through.call<{ data: { id: number } }>('POST', '/v2/members', member);
      expect(status, JSON.stringify(body)).toBe(200);
      await through.call('PUT', `/v2/groups/1/members/${body.data.id}`);
      await waitUntil('the gate to open for the plate', async () => {
        await processes.world.sim('POST', `/cameras/${TEST_SITE.exitCamera}/read`, { plate });
        return (await gate()).moves > moves;
      });
    }
  });

  it('a rolling restart loses no event: sockets are closed with 1012, and go on after their last event elsewhere', async () => {
    await second.program.end();
    second = await processes.start({ STOP_DELAY_MS: '500' });
    await waitUntil('each to have its share', async () => `${await sharesOf(processes)}` === '32,32');
    const stream = await second.listen();
    const event_id = await give(second);
    const last = await waitUntil('the answer on the stream', () =>
      stream.of('lot_change').find(({ payload }) => payload['event_id'] === event_id),
    );
    const socket = new WebSocket(`${second.url.replace('http', 'ws')}/v2/realtime`);
    const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const ended = second.program.end();
    await waitUntil('it to say that it stops', async () => (await fetch(`${second.url}/readyz`)).status === 503);
    // Who asks it all the same is still answered.
    expect((await second.call('GET', '/v2/lots')).status).toBe(200);
    await ended;
    expect(await closed).toBe(1012);
    await stream.close();
    await closedGate();
    const missed = await give(world());
    await endOf(world(), missed);
    const resumed = await world().listen(last.id ?? undefined);
    await waitUntil('what was missed', () =>
      resumed.of('lot_change').some(({ payload }) => payload['event_id'] === missed),
    );
    await resumed.close();
    expect(await sharesOf(processes)).toEqual([64]);
  });

  it('agree on the time, however wrong the clock of a machine is', async () => {
    const wrong = await processes.start({ NODE_OPTIONS: `--import=data:text/javascript,${WRONG_CLOCK}` });
    await waitUntil('the difference to be noticed', () =>
      wrong.program.output().includes('differs from that of the database'),
    );
    await closedGate();
    const event_id = await give(wrong);
    expect(await endOf(first, event_id)).toBe('succeeded');
    const [row] = await processes.ask<{ late_ms: number }>(
      `select abs(created_at - extract(epoch from clock_timestamp()) * 1000)::int as late_ms from commands where event_id = '${event_id}'`,
    );
    expect(row?.late_ms).toBeLessThan(60_000);
    await wrong.program.end();
  });
});

/** A module that moves the clock of its process ahead by five minutes. */
const WRONG_CLOCK = encodeURIComponent('const now = Date.now; Date.now = () => now() + 300_000;');
