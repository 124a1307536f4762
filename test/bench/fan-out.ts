/**
 * What one delivery of a 700-byte event costs the cloud's processor, against a bare `socket.write` of one buffer, ws with each event
 * serialised once, and Socket.IO; and what other clients pay for one that does not read. Servers and receivers are separate
 * processes; they run in turn, so that changes of the machine affect all.
 */
import { fork } from 'node:child_process';
import { answerOf } from './child-answer.js';
import { printFigure, quantile } from './figure.js';
import type { FanOutAmount, FanOutCase, FanOutCost, FanOutOrder } from './fan-out-server.js';

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
  end(): void;
}

async function startFanOut(sender: Sender, sockets: number): Promise<FanOut> {
  const server = fork(new URL('fan-out-server.js', import.meta.url), [SENDERS[sender]]);
  const { port } = await answerOf<{ port: number }>(server);
  const args = [port, sockets, RECEIVERS[SENDERS[sender]], sender === 'stalled' ? STALLED : 0].map(String);
  const clients = fork(new URL('fan-out-clients.js', import.meta.url), args);
  await answerOf(clients);
  return {
    async cost({ eventsPerCommit, pace }) {
      const commits = Math.ceil(DELIVERIES_PER_ROUND / sockets / eventsPerCommit);
      server.send({ commits, eventsPerCommit, pace } satisfies FanOutOrder);
      const { perSocket } = await answerOf<FanOutAmount>(server);
      clients.send(perSocket * sockets);
      await answerOf(clients);
      // Some senders leave a part of their work to later turns, so the cost counts until everything has arrived.
      server.send('cost' satisfies FanOutOrder);
      const { cpuUs } = await answerOf<FanOutCost>(server);
      return cpuUs / (commits * eventsPerCommit * sockets);
    },
    end() {
      clients.kill();
      server.kill();
    },
  };
}

async function measure(sockets: number, fanOutCase: FanOutCase): Promise<void> {
  const senders = Object.keys(SENDERS) as Sender[];
  const fanOuts = await Promise.all(senders.map((sender) => startFanOut(sender, sockets)));
  const rounds: number[][] = [];
  try {
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const costs: number[] = [];
      for (const fanOut of fanOuts) costs.push(await fanOut.cost(fanOutCase));
      if (round >= 0) rounds.push(costs);
    }
  } finally {
    for (const fanOut of fanOuts) fanOut.end();
  }
  const median = (of: (costs: number[]) => number) => quantile(rounds.map(of), 0.5);
  const costOf = (sender: Sender) => (costs: number[]) => costs[senders.indexOf(sender)] ?? Number.NaN;
  const shown = (sender: Sender) => `${median(costOf(sender)).toFixed(2)} us`;
  const { eventsPerCommit, pace } = fanOutCase;
  const commits = `, commits of ${eventsPerCommit}, ${pace === 'burst' ? 'back to back' : 'apart'}`;
  const print = (what: string, of: { sender: Sender; reference: Sender; name: string; reach: number | null }) =>
    printFigure({
      what: `CPU per delivery to ${sockets} sockets${commits}${what}`,
      measured: shown(of.sender),
      reference: `${of.name} ${shown(of.reference)}`,
      ratio: median((costs) => costOf(of.sender)(costs) / costOf(of.reference)(costs)),
      reach: of.reach,
    });
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
