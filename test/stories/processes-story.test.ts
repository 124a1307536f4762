import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type CloudProcess, createProcessesWorld, type ProcessesWorld, sharesOf } from '../world/cloud-processes.js';
import { hasMosquitto } from '../world/mosquitto-server.js';
import { openingsSince } from '../world/openings.js';
import { onPostgres } from '../world/postgres-databases.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const GATE_ID = 2;
const HALF = [32, 32];

interface CommandAnswer {
  data: { event_id: string; status: string };
}

/** The same car park as in the other stories, behind two cloud processes of which either may die. */
describe.runIf(onPostgres() && hasMosquitto())('processes story: a car park works through two cloud processes', () => {
  let processes: ProcessesWorld;
  let second: CloudProcess;
  beforeAll(async () => {
    processes = await createProcessesWorld({ cloudEnv: { GATEWAY_WAIT_MS: '8000' } });
    second = await processes.start();
    await waitUntil('each to have its share', async () => `${await sharesOf(processes)}` === `${HALF}`);
    await processes.world.settled();
  });
  afterAll(() => processes?.close());

  const gate = () => processes.world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.gate}`);
  const closedGate = () =>
    waitUntil('the gate to be closed', async () => {
      const now = await gate();
      return now.state === 'closed' && now;
    });
  const give = (through: Pick<CloudProcess, 'call'>) =>
    waitUntil('a command that is taken', async () => {
      const body = { operation: 'open' };
      const answer = await through.call<CommandAnswer>('POST', `/v2/products/${GATE_ID}/state`, body);
      return answer.status === 200 && answer.body.data.event_id;
    });
  const endOf = (through: Pick<CloudProcess, 'call'>, event_id: string) =>
    waitUntil('the end of the command', async () => {
      const { body } = await through.call<CommandAnswer>('GET', `/v2/commands/${event_id}`);
      return body.data.status !== 'pending' && body.data.status;
    });
  const first = (): Pick<CloudProcess, 'call' | 'listen'> => ({
    call: (method, path, body) => processes.world.call(method, path, body === undefined ? {} : { body }),
    listen: (lastEventId) => processes.world.listen(lastEventId),
  });

  it('a command through either opens the gate once, and the sockets of both hear of it', async () => {
    const streams = [await first().listen(), await second.listen()];
    for (const [through, asked] of [
      [first(), second],
      [second, first()],
    ] as const) {
      const closed = await closedGate();
      const event_id = await give(through);
      expect(await endOf(asked, event_id)).toBe('succeeded');
      expect(openingsSince(closed, await gate())).toBe(1);
      for (const stream of streams) {
        await waitUntil('the answer on the stream', () =>
          stream.of('lot_change').some(({ payload }) => payload['event_id'] === event_id),
        );
      }
    }
    await waitUntil('reports that nobody keeps at both', () =>
      streams.every((stream) => stream.of('lot_change').some(({ id }) => id === null)),
    );
    for (const stream of streams) await stream.close();
  });

  it('a sign-in that is ended through one ends its connections at the other', async () => {
    const signIn = async () => {
      const credentials = { email: TEST_SITE.ownerEmail, password: TEST_SITE.ownerPassword };
      const { body } = await first().call<{ data: { token: string } }>('POST', '/v2/auth/login', credentials);
      return body.data.token;
    };
    const token = await signIn();
    const socket = new WebSocket(`${second.url.replace('http', 'ws')}/v2/realtime`);
    const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
    const authorized = new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send(JSON.stringify({ event: 'authorize', data: token }));
    await authorized;
    // A second sign-in of the same user ends the first.
    await signIn();
    expect(await closed).toBe(4401);
  });

  it('the other takes over when one is killed in the middle of a command, which ends once', async () => {
    const closed = await closedGate();
    const event_id = await give(second);
    second.program.end('SIGKILL');
    // It may have been killed before the gateway was asked: then the time of the attempt ends.
    const status = await endOf(first(), event_id);
    const openings = openingsSince(closed, await gate());
    expect(openings).toBeLessThanOrEqual(1);
    if (status === 'succeeded') expect(openings).toBe(1);
    await waitUntil('all parts to be one process’s', async () => `${await sharesOf(processes)}` === '64', 10_000);
    const closedAgain = await closedGate();
    expect(await endOf(first(), await give(first()))).toBe('succeeded');
    expect(openingsSince(closedAgain, await gate())).toBe(1);
  });
});
