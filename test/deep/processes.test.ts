/** Cloud processes that die, freeze, lose their broker or have a wrong clock, in the middle of commands, records and webhooks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { printsFaults } from '../faults/fault-table.js';
import { startReceiver, type WebhookReceiver } from '../integration/webhook/webhook-receiver.js';
import { type CloudProcess, createProcessesWorld, type ProcessesWorld, sharesOf } from '../world/cloud-processes.js';
import { hasMosquitto } from '../world/mosquitto-server.js';
import { openingsSince } from '../world/openings.js';
import { hasPostgres } from '../world/postgres-databases.js';
import { TEST_SITE } from '../world/site.js';
import { startTcpRelay } from '../world/tcp-relay.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const KILLS = 20;
const FROZEN_MS = 60_000;
const GATE_ID = 2;
/** How long a process may take to notice that nothing comes from the broker any more: its keepalive, and once more for the answer. */
const SILENCE_SEEN_WITHIN_MS = 120_000;
const ONCE = 'nothing lost, nothing twice, no second movement';
const ENDED = new Set(['succeeded', 'failed']);

interface CommandAnswer {
  data: { event_id: string; status: string };
}
type Callable = Pick<CloudProcess, 'call'>;

describe.runIf(hasPostgres() && hasMosquitto())('two cloud processes', () => {
  const faults = printsFaults('Faults of brokers and cloud processes');
  let processes: ProcessesWorld;
  let receiver: WebhookReceiver;
  let second: CloudProcess;
  beforeAll(async () => {
    processes = await createProcessesWorld({
      cloudEnv: { GATEWAY_WAIT_MS: '8000', WEBHOOK_ALLOW_PRIVATE: 'true' },
    });
    second = await processes.start();
    await processes.world.settled();
    receiver = await startReceiver(200);
    const events = ['plate_reading_create'];
    expect((await first.call('POST', '/v2/webhooks', { url: receiver.url, events })).status).toBe(200);
  });
  afterAll(async () => {
    await processes?.close();
    await receiver?.close();
  });

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
  const read = (plate: string) => processes.world.arrive(plate);
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

  /** A command opens the gate, once. */
  async function opensOnce(through: Callable): Promise<void> {
    const closed = await closedGate();
    expect(await endOf(through, await give(through))).toBe('succeeded');
    expect(openingsSince(closed, await gate())).toBe(1);
  }
  /** The gateway's reading of a plate is there, once. */
  async function isReadOnce(plate: string): Promise<void> {
    const readings = async () => {
      const { body } = await first.call<{ data: unknown[] }>('GET', `/v2/plate-readings?filter=plate:eq:${plate}`);
      return body.data.length;
    };
    await waitUntil(`the reading of ${plate}`, async () => (await readings()) > 0);
    expect(await readings(), plate).toBe(1);
  }
  /** The ids of the webhook's calls that brought this plate. */
  const callsOf = (plate: string) =>
    receiver.received.filter(({ body }) => body.includes(plate)).map(({ headers }) => headers['webhook-id']);
  const isReady = async (url: string) => (await fetch(`${url}/readyz`)).ok;

  it(`lose nothing and do nothing twice while one of them is killed ${KILLS} times`, async () => {
    const saw = faults.row(`a process killed -9, ${KILLS} times, in commands, records and webhooks`, ONCE);
    const plates: string[] = [];
    const seen = { succeeded: 0, failed: 0 };
    for (let round = 0; round < KILLS; round++) {
      const isFirst = round % 2 === 0;
      const [victim, survivor] = isFirst ? [first, second] : [second, first];
      const closed = await closedGate();
      const plate = `ZG${String(round).padStart(3, '0')}KL`;
      plates.push(plate);
      const event_id = await give(round % 3 === 0 ? survivor : victim);
      // Of every four kills two come while the webhook's call is not answered, one of each process.
      const isCalling = round % 4 < 2;
      if (isCalling) receiver.answer = 'never';
      await read(plate);
      if (isCalling) await waitUntil('the webhook to be called', () => receiver.waiting > 0);
      if (isFirst) await processes.world.faults.kill('cloud');
      else await second.program.end('SIGKILL');
      receiver.answer = 200;
      receiver.release(200);
      const status = await endOf(survivor, event_id);
      seen[status as keyof typeof seen] += 1;
      const opened = openingsSince(closed, await gate());
      expect(opened, `round ${round}: ${status}`).toBeLessThanOrEqual(1);
      if (status === 'succeeded') expect(opened).toBe(1);
      if (isFirst) await processes.world.startCloud();
      else second = await processes.start();
    }
    await processes.world.settled();
    for (const plate of plates) await isReadOnce(plate);
    const notified = await processes.ask<{ id: number; event: string; plate: string | null }>(
      "select id::int, event, payload::json ->> 'plate' as plate from events order by account_id, id",
    );
    expect(notified.map(({ id }) => id)).toEqual(notified.map((_, index) => (notified[0]?.id ?? 1) + index));
    for (const plate of plates) {
      const created = notified.filter((each) => each.event === 'plate_reading_create' && each.plate === plate);
      expect(created, plate).toHaveLength(1);
      await waitUntil(`the webhook to be told of ${plate}`, () => callsOf(plate).length > 0, 60_000);
      expect(new Set(callsOf(plate)).size, plate).toBe(1);
    }
    const again = receiver.received.length - plates.length;
    saw(
      `commands: ${seen.succeeded} succeeded, ${seen.failed} failed; each of ${plates.length} plates read once, each told of by webhook, ${again} calls made again`,
    );
  });

  it(`go on when one of them is frozen for ${FROZEN_MS / 1_000} s, which writes nothing any more`, async () => {
    const saw = faults.row(
      `a process frozen for ${FROZEN_MS / 1_000} s`,
      'its gateways are the other’s within 10 s; it writes nothing any more, and ends',
    );
    const frozen = second;
    process.kill(frozen.program.pid, 'SIGSTOP');
    const frozenAt = performance.now();
    await waitUntil('all gateways to be the other’s', async () => `${await sharesOf(processes)}` === '64', 10_000);
    const resumedMs = performance.now() - frozenAt;
    await opensOnce(first);
    await waitUntil('the time to be over', () => performance.now() - frozenAt > FROZEN_MS, FROZEN_MS * 2);
    const before = await processes.ask('select count(*) from audit_log');
    process.kill(frozen.program.pid, 'SIGCONT');
    expect((await frozen.program.ended).code).toBe(1);
    expect(await processes.ask('select count(*) from audit_log')).toEqual(before);
    expect(await processes.ask('select 1 from cloud_processes')).toHaveLength(1);
    saw(
      `taken over after ${(resumedMs / 1_000).toFixed(1)} s; a command succeeded meanwhile; it wrote nothing, and ended`,
    );
    second = await processes.start();
  });

  it('go on when the whole broker is killed and started again', async () => {
    const saw = faults.row('the whole broker killed, and started again', ONCE);
    await processes.mosquitto.stop('SIGKILL');
    const urls = [processes.world.cloudUrl, second.url];
    for (const url of urls) await waitUntil(`${url} to say so`, async () => !(await isReady(url)));
    await read('ZG001BR');
    const startedAt = performance.now();
    await processes.mosquitto.start();
    for (const url of urls) await waitUntil(`${url} to be ready`, () => isReady(url));
    await processes.world.settled();
    const backMs = performance.now() - startedAt;
    await isReadOnce('ZG001BR');
    for (const through of [first, second]) await opensOnce(through);
    saw(`not ready meanwhile, all back after ${(backMs / 1_000).toFixed(1)} s; a plate read meanwhile is there once`);
  });

  it('go on when one of them is parted from the broker, without a word', async () => {
    const saw = faults.row('one process parted from the broker, silently', `its gateways are the other’s; ${ONCE}`);
    await second.program.end();
    const relay = await startTcpRelay(processes.mosquitto.port);
    try {
      const address = new URL(processes.mosquitto.url);
      address.port = String(relay.port);
      const parted = await processes.start({ MQTT_URL: address.href });
      await waitUntil('each to have its share', async () => `${await sharesOf(processes)}` === '32,32');
      relay.silence();
      const partedAt = performance.now();
      await read('ZG001PB');
      await waitUntil('it to say so', async () => !(await isReady(parted.url)), SILENCE_SEEN_WITHIN_MS);
      await waitUntil('all gateways to be the other’s', async () => `${await sharesOf(processes)}` === '64');
      const resumedMs = performance.now() - partedAt;
      await isReadOnce('ZG001PB');
      await opensOnce(first);
      relay.resume();
      await waitUntil('it to be ready again', () => isReady(parted.url));
      await waitUntil('each to have its share again', async () => `${await sharesOf(processes)}` === '32,32');
      await processes.world.settled();
      for (const through of [first, parted]) await opensOnce(through);
      await isReadOnce('ZG001PB');
      await parted.program.end();
      saw(`noticed and taken over after ${(resumedMs / 1_000).toFixed(0)} s; a plate read meanwhile is there once`);
    } finally {
      await relay.close();
    }
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
        await processes.world.leave(plate);
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
    const saw = faults.row('the clock of one process 5 minutes ahead', 'it keeps the time of the database');
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
    saw(`it says that its clock differs; a command that it took is dated ${row?.late_ms} ms before it is looked at`);
    await wrong.program.end();
  });
});

/** A module that moves the clock of its process ahead by five minutes. */
const WRONG_CLOCK = encodeURIComponent('const now = Date.now; Date.now = () => now() + 300_000;');
