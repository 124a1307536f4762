/**
 * One connection to a Modbus TCP server, on which one question is asked at a time, with a time limit for every step.
 * Anything else than the answer to the question, such as another unit's, is passed over until the limit, and named if
 * that is reached.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { type Clock, sleep } from '../../../shared/clock.js';
import { isAnswerTo, type Question, questionOf } from './decide-answer.js';
import { type Client, type ModbusConnection, ModbusException, readRange } from './modbus-connection.js';
import { errorText } from '../../../shared/error-text.js';

/** The habits of a server beyond one connection. */
export interface NumberingHabit {
  /** The number of the next question: the late answer to one over an earlier connection has another. */
  next_number: number;
  /** How many waits in a row were in vain, while an answer came that had another number. */
  misnumbered: number;
  /** When no late answer can come any more, on the monotonic clock. */
  quiet_from_ms: number;
}

export const NEW_HABIT: NumberingHabit = { next_number: 1, misnumbered: 0, quiet_from_ms: 0 };

/**
 * A server that numbers its answers by itself, as some gateways do: they are then known by unit, function and length, and what could be
 * the late answer to an earlier question is waited for before the next is asked. One wrong number may be such a late answer.
 */
const numbersByItself = ({ misnumbered }: NumberingHabit): boolean => misnumbered >= 2;
/** The pause between two questions to a server that numbers by itself: its repeated answers have come by then. */
const GAP_MS = 10;
const CRC_BYTES = 2;

export interface ModbusConnectionOptions {
  host: string;
  port: number;
  unit: number;
  clock: Clock;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  /** Is written to, and handed over to the next connection. */
  habit?: NumberingHabit;
  signal: AbortSignal;
}

export async function connectModbusTcp(options: ModbusConnectionOptions): Promise<ModbusConnection> {
  const { host, port, unit, clock, signal, requestTimeoutMs, habit = { ...NEW_HABIT } } = options;
  const socket = new Socket();
  const limits = createLimits(socket, { peer: `${host}:${port}`, clock });
  const close = () => void socket.destroy();
  signal.addEventListener('abort', close, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', close));
  if (signal.aborted) close();
  try {
    await limits.within(
      options.connectTimeoutMs,
      () => 'the connection',
      () => {
        socket.connect({ host, port });
        return once(socket, 'connect');
      },
    );
    const { client, answers } = await openClient(socket, habit);
    client.setID(unit);
    return {
      async read({ function: code, range }) {
        const quietMs = Math.max(GAP_MS, habit.quiet_from_ms - clock.monotonic());
        if (numbersByItself(habit)) await sleep(clock, quietMs, signal);
        const what = `function ${code}, unit ${unit}, ${range.count} from ${range.start}`;
        answers.passedOver = '';
        answers.isMisnumbered = false;
        const asking = () => readRange(client, code, range);
        try {
          return await limits.within(requestTimeoutMs, () => `${what}${answers.passedOver}`, asking);
        } catch (error) {
          if (error instanceof ModbusException) throw error;
          habit.quiet_from_ms = clock.monotonic() + requestTimeoutMs;
          if (answers.isMisnumbered) habit.misnumbered += 1;
          throw error;
        }
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The number of the next question, as the library's port calls it. */
const NEXT_NUMBER = '_transactionIdWrite';
/** That of the answer that is being handed over. */
const READ_NUMBER = '_transactionIdRead';

/** The members of the library's port that its types lack. */
interface NumberedPort {
  [NEXT_NUMBER]: number;
  [READ_NUMBER]: number;
  write(frame: Buffer): void;
  emit(event: string, ...what: unknown[]): boolean;
}

interface PortLibrary {
  TcpPort: new (options: { socket: Socket }) => NumberedPort;
}

interface Answers {
  /** The answers that came since the question and were not to it, in words; empty: none. */
  passedOver: string;
  /** It would have been the answer but for its number. */
  isMisnumbered: boolean;
}

/** A client that hears only the answer to its question: the library gives up at whatever comes first. */
async function openClient(socket: Socket, habit: NumberingHabit): Promise<{ client: Client; answers: Answers }> {
  // The library is loaded only when it is needed: while it loads it looks for drivers of serial ports.
  const { default: library } = await import('modbus-serial');
  const { TcpPort } = library as unknown as PortLibrary;
  const port = new TcpPort({ socket });
  const answers: Answers = { passedOver: '', isMisnumbered: false };
  let asked: { question: Question; number: number } | null = null;
  const write = port.write.bind(port);
  port.write = (frame) => {
    asked = { question: questionOf(frame), number: port[NEXT_NUMBER] };
    write(frame);
    habit.next_number = port[NEXT_NUMBER];
  };
  const emit = port.emit.bind(port);
  port.emit = (event, ...what) => {
    const [frame] = what;
    if (event !== 'data' || !(frame instanceof Buffer)) return emit(event, ...what);
    if (asked === null) return false;
    const number = port[READ_NUMBER];
    if (!isAnswerTo(asked.question, frame)) {
      answers.passedOver = `; unit ${frame[0]} answered with ${frame.length - CRC_BYTES} bytes`;
      return false;
    }
    if (number === asked.number) habit.misnumbered = numbersByItself(habit) ? habit.misnumbered : 0;
    else if (!numbersByItself(habit)) {
      answers.passedOver = `; an answer came that was numbered ${number} instead of ${asked.number}`;
      answers.isMisnumbered = true;
      return false;
    }
    // By which the library knows the question.
    port[READ_NUMBER] = asked.number;
    asked = null;
    return emit(event, frame);
  };
  const client = new library.default(port);
  await new Promise<void>((resolve, reject) => {
    client.open((error?: Error | null) => (error === undefined || error === null ? resolve() : reject(error)));
  });
  port[NEXT_NUMBER] = habit.next_number;
  return { client, answers };
}

/** Runs one step at a time; its limit or the end of the socket ends it. */
function createLimits(socket: Socket, { peer, clock }: { peer: string; clock: Clock }) {
  let failStep: (error: Error) => void = () => {};
  let gone: Error | null = null;
  const fail = (error: Error) => {
    gone ??= error;
    failStep(gone);
  };
  socket.on('error', (cause) => fail(new Error(`${peer}: ${errorText(cause)}`, { cause })));
  socket.once('close', () => fail(new Error(`${peer}: the connection was closed`)));
  return {
    within<Value>(limitMs: number, what: () => string, step: () => Promise<Value>): Promise<Value> {
      if (gone !== null) return Promise.reject(gone);
      return new Promise<Value>((resolve, reject) => {
        const limit = clock.setTimer(limitMs, () =>
          reject(new Error(`${peer}: no answer within ${limitMs} ms (${what()})`)),
        );
        failStep = (error) => {
          limit.cancel();
          reject(error);
        };
        step()
          .then(resolve, (cause: Error) =>
            reject(cause instanceof ModbusException ? cause : prefixed(cause, peer, what())),
          )
          .finally(() => limit.cancel());
      });
    },
  };
}

function prefixed(cause: Error, peer: string, what: string): Error {
  return new Error(`${peer}: ${errorText(cause)} (${what})`, { cause });
}
