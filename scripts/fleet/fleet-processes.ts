/** The processes that hold the fleet, as one part. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FleetNote, FleetOrder, FleetState } from './fleet-messages.js';
import type { DeclaredGateway } from './fleet-site.js';

const PROGRAM = fileURLToPath(new URL('./fleet-process.js', import.meta.url));
const PROBLEMS_KEPT_MAX = 20;

export interface FleetEnd {
  lagsMs: number[];
  /** How many records each gateway wrote. */
  written: Map<number, number>;
}

export interface FleetProcesses {
  connect(order: { run: string; cloudUrl: string; state: string; gateways: DeclaredGateway[]; atOnce: number }): void;
  write(order: { perSecond: number; seconds: number }): void;
  stop(): void;
  /** The sums of the processes' latest states. @throws Error when one of them has ended */
  state(): Omit<FleetState, 'kind'>;
  /** The first problems that were reported. */
  problems(): string[];
  /** Disconnects all gateways. @throws Error when a process ended before its last message */
  close(): Promise<FleetEnd>;
  kill(): void;
}

export function startFleetProcesses(count: number): FleetProcesses {
  const problems: string[] = [];
  const members = Array.from({ length: count }, () =>
    startProcess((text) => {
      if (problems.length < PROBLEMS_KEPT_MAX) problems.push(text);
    }),
  );
  const sum = (pick: (state: FleetState) => number) => members.reduce((total, { last }) => total + pick(last()), 0);
  /** The share of one process. */
  const part = (whole: number) => whole / count;

  return {
    connect({ gateways, atOnce, ...order }) {
      const numbered = gateways.map((gateway, index) => ({ ...gateway, index }));
      for (const [place, { send }] of members.entries()) {
        const own = numbered.filter(({ index }) => index % count === place);
        send({ kind: 'connect', ...order, gateways: own, atOnce: Math.max(1, Math.floor(part(atOnce))) });
      }
    },
    write({ perSecond, seconds }) {
      for (const { send } of members) send({ kind: 'write', perSecond: part(perSecond), seconds });
    },
    stop() {
      for (const { send } of members) send({ kind: 'stop' });
    },
    state: () => ({
      claimed: sum(({ claimed }) => claimed),
      connected: sum(({ connected }) => connected),
      ready: sum(({ ready }) => ready),
      reconnects: sum(({ reconnects }) => reconnects),
      isWriting: members.some(({ last }) => last().isWriting),
      written: sum(({ written }) => written),
      acknowledged: sum(({ acknowledged }) => acknowledged),
    }),
    problems: () => problems,
    async close() {
      const ends = await Promise.all(members.map(({ close }) => close()));
      return {
        lagsMs: ends.flatMap(({ lagsMs }) => lagsMs),
        written: new Map(ends.flatMap(({ written }) => written)),
      };
    },
    kill() {
      for (const { child } of members) child.kill('SIGKILL');
    },
  };
}

function startProcess(onProblem: (text: string) => void) {
  // Detached from Ctrl-C: the parent tells it to stop.
  const child: ChildProcess = fork(PROGRAM, { detached: true });
  let last: FleetState = {
    kind: 'state',
    claimed: 0,
    connected: 0,
    ready: 0,
    reconnects: 0,
    isWriting: false,
    written: 0,
    acknowledged: 0,
  };
  let ended: Error | null = null;
  const closed = new Promise<Extract<FleetNote, { kind: 'closed' }>>((resolve, reject) => {
    child.on('message', (note: FleetNote) => {
      if (note.kind === 'state') last = note;
      else if (note.kind === 'problem') onProblem(note.text);
      else resolve(note);
    });
    child.once('exit', (code, signal) => {
      ended = new Error(`A process of the fleet ended (${signal ?? `exit code ${code}`})`);
      reject(ended);
    });
  });
  // Reported when the last message is asked for.
  closed.catch(() => undefined);
  const send = (order: FleetOrder) => void (child.connected && child.send(order));
  return {
    child,
    send,
    last() {
      if (ended !== null) throw ended;
      return last;
    },
    close() {
      send({ kind: 'close' });
      return closed;
    },
  };
}
