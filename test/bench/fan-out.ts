/**
 * What one delivery of a 700-byte event costs the cloud's processor, against a bare `socket.write` of one buffer, ws with each event
 * serialised once, and Socket.IO; and what other clients pay for one that does not read. Servers and receivers are separate
 * processes; they run in turn, so that changes of the machine affect all.
 */
import { median, printFigure, startChild, alternate } from './harness.js';
import type { FanOutCase, FanOutOrder } from './fan-out-server.js';

/** The server of each sender; `stalled` is the hub with clients that read nothing. */
const SENDERS = { tcp: 'tcp', ws: 'ws', socketIo: 'socket.io', hub: 'hub', stalled: 'hub' } as const;
type Sender = keyof typeof SENDERS;
const RECEIVERS = { tcp: 'tcp', ws: 'websocket', 'socket.io': 'socket.io', hub: 'websocket' } as const;

const SOCKETS = [1_000, 5_000];
const CASES: readonly FanOutCase[] = [
  { eventsPerCommit: 1, pace: 'apart' },
  { eventsPerCommit: 2, pace: 'apart' },
  { eventsPerCommit: 1, pace: 'burst' },
];
const STALLED = 3;
const WARM_UP = 3;
const ROUNDS = 21;
/** Deliveries of one round, per sender. They fit into the kernel's buffers: no sender meets a full one. */
const DELIVERIES_PER_ROUND = 20_000;

interface FanOut {
  /** Microseconds of processor time per delivery. */
  cost(of: FanOutCase): Promise<number>;
  end(): Promise<unknown>;
}

async function startFanOut(sender: Sender, sockets: number): Promise<FanOut> {
  const server = await startChild<number>('fan-out-server.js', [SENDERS[sender]]);
  const args = [server.started, sockets, RECEIVERS[SENDERS[sender]], sender === 'stalled' ? STALLED : 0];
  const clients = await startChild('fan-out-clients.js', args);
  return {
    async cost({ eventsPerCommit, pace }) {
      const commits = Math.ceil(DELIVERIES_PER_ROUND / sockets / eventsPerCommit);
      const perSocket = await server.ask<number>({ commits, eventsPerCommit, pace } satisfies FanOutOrder);
      await clients.ask(perSocket * sockets);
      // Some senders leave a part of their work to later turns, so the cost counts until everything has arrived.
      const cpuUs = await server.ask<number>('cost' satisfies FanOutOrder);
      return cpuUs / (commits * eventsPerCommit * sockets);
    },
    end: () => Promise.all([clients.end(), server.end()]),
  };
}

async function measure(sockets: number, fanOutCase: FanOutCase): Promise<void> {
  const senders = Object.keys(SENDERS) as Sender[];
  const fanOuts = await Promise.all(senders.map((sender) => startFanOut(sender, sockets)));
  const costs = await alternate(
    ROUNDS,
    Object.fromEntries(senders.map((sender, index) => [sender, () => fanOuts[index]?.cost(fanOutCase)])) as Record<
      Sender,
      () => Promise<number>
    >,
    WARM_UP,
  ).finally(() => Promise.all(fanOuts.map((fanOut) => fanOut.end())));
  const shown = (sender: Sender) => `${median(costs[sender]).toFixed(2)} us`;
  const { eventsPerCommit, pace } = fanOutCase;
  const commits = `, commits of ${eventsPerCommit}, ${pace === 'burst' ? 'back to back' : 'apart'}`;
  const print = (what: string, of: { sender: Sender; reference: Sender; name: string; reach: number | null }) =>
    // The median of the rounds' ratios: a slow round is slow for both.
    printFigure(
      `CPU per delivery to ${sockets} sockets${commits}${what}`,
      [
        median(costs[of.sender].map((cost, round) => cost / (costs[of.reference][round] ?? Number.NaN))),
        shown(of.sender),
      ],
      [1, `${of.name} ${shown(of.reference)}`],
      of.reach,
    );
  print('', { sender: 'hub', reference: 'tcp', name: 'a bare TCP write', reach: 1.3 });
  print('', { sender: 'hub', reference: 'socketIo', name: 'Socket.IO', reach: 0.75 });
  print('', { sender: 'hub', reference: 'ws', name: 'ws, serialised once', reach: null });
  print(`, ${STALLED} more read nothing`, { sender: 'stalled', reference: 'hub', name: 'none of them', reach: 1.1 });
}

/** Runs the benchmark. */
export async function benchFanOut(): Promise<void> {
  for (const sockets of SOCKETS) {
    for (const each of CASES) await measure(sockets, each);
  }
}
