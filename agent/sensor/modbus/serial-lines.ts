/**
 * Serial lines on which Modbus units answer one after the other, at this machine or behind a serial device server. A line stays open as
 * long as it has users and a unit answers on it.
 */
import { type Clock, sleep } from '../../../shared/clock.js';
import type { LinePort } from './line-ports.js';
import { type Client, type ModbusConnection, ModbusException, readRange } from './modbus-connection.js';
import { NEW_PACE, paceAfterAnswer, paceAfterQuestion, patienceOf, type UnitPace } from './unit-pace.js';
import { errorText } from '../../../shared/error-text.js';

/** The silence between two requests: 3.5 characters (Modbus over Serial Line 1.02, 2.5.1.1), and more because adapters deliver in pieces. */
const GAP_MS = 10;

interface Line {
  /** How the line is opened: all its users need the same settings. */
  settings: string;
  opened: Promise<Client>;
  /** Whether the line cannot be used any more. */
  isClosed: boolean;
  /** Closes the line; the next connect opens another one. Idempotent. */
  end(): void;
  users: number;
  /** How many requests in a row had no answer. */
  silences: number;
  /** When its last request ended, on the monotonic clock. */
  ended_mono_ms: number;
  /** Settles at the end of the request that is under way and of the quiet after it. Never rejects. */
  turn: Promise<unknown>;
}

interface UnitOnLine {
  unit: number;
  /** How long the unit is said to need for an answer. */
  timeoutMs: number;
  /** Ends the waits for the unit. */
  signal: AbortSignal;
}

export interface SerialLines {
  /**
   * Opens the line, unless it is open, and waits until the unit may be asked. Rejects with the reason when the line cannot be opened, or
   * when the signal is aborted.
   */
  connect(address: string, to: UnitOnLine): Promise<ModbusConnection>;
}

/** @param deps.portAt finds what is behind an address; throws an Error for people */
export function createSerialLines(deps: { clock: Clock; portAt(address: string): LinePort }): SerialLines {
  const { clock, portAt } = deps;
  const lines = new Map<string, Line>();
  /** The pace of each unit, by device and unit. It stays when its line is closed. */
  const paces = new Map<string, UnitPace>();

  return {
    async connect(address, { unit, timeoutMs, signal }) {
      const port = portAt(address);
      const key = `${port.device} ${unit}`;
      const line = lineAt(lines, port);
      if (line.settings !== port.settings) {
        throw new Error(`${address}: another parking gateway uses this line with ${line.settings}`);
      }
      line.users += 1;
      let isClosed = false;
      const connection: ModbusConnection = {
        read({ function: code, range }) {
          const of = { clock, paces, key, unit, timeoutMs };
          const values = line.turn.then(() => ask(line, of, (client) => readRange(client, code, range)));
          line.turn = values.catch(() => undefined);
          return untilAborted(values, signal).catch((cause: Error) => {
            if (cause instanceof ModbusException) throw cause;
            throw new Error(`${address}, unit ${unit}: ${errorText(cause)}`, { cause });
          });
        },
        close() {
          if (isClosed) return;
          isClosed = true;
          line.users -= 1;
          if (line.users === 0) line.end();
        },
      };
      try {
        await untilAborted(line.opened, signal);
        await untilAborted(line.turn, signal);
        const restMs = (paces.get(key) ?? NEW_PACE).rests_until_ms - clock.monotonic();
        if (restMs > 0) await sleep(clock, restMs, signal);
        return connection;
      } catch (error) {
        connection.close();
        throw error;
      }
    },
  };
}

/** Finds the open line of a device, or opens it. */
function lineAt(lines: Map<string, Line>, { device, settings, open }: LinePort): Line {
  const known = lines.get(device);
  if (known !== undefined) return known;
  const opened = open();
  const forget = () => {
    line.isClosed = true;
    if (lines.get(device) === line) lines.delete(device);
  };
  const line: Line = {
    settings,
    opened,
    isClosed: false,
    users: 0,
    silences: 0,
    ended_mono_ms: 0,
    turn: Promise.resolve(),
    end() {
      forget();
      opened.then(closeClient, () => {});
    },
  };
  lines.set(device, line);
  opened.then((client) => client.on('close', forget), forget);
  return line;
}

/**
 * Runs one request to a unit, and keeps the line quiet until no answer to it can come any more. Call it while nobody else uses the line.
 * @param of.key of the unit's pace
 * @param of.timeoutMs how long the unit is said to need for an answer
 */
async function ask<Values>(
  line: Line,
  of: { clock: Clock; paces: Map<string, UnitPace>; key: string; unit: number; timeoutMs: number },
  request: (client: Client) => Promise<Values>,
): Promise<Values> {
  const { clock, paces, key, unit, timeoutMs } = of;
  const client = await line.opened;
  // Bytes that came besides the last answer have arrived by the end of this gap, and are dropped.
  await sleep(clock, Math.max(0, line.ended_mono_ms + GAP_MS - clock.monotonic()));
  const pace = paces.get(key) ?? NEW_PACE;
  const patienceMs = patienceOf(pace, timeoutMs);
  const sentMs = clock.monotonic();
  const tookMs = () => clock.monotonic() - sentMs;
  const answered = () => {
    line.silences = 0;
    paces.set(key, paceAfterAnswer(pace, tookMs()));
  };
  paces.set(key, paceAfterQuestion(pace, { mono_ms: sentMs, timeout_ms: timeoutMs }));
  client.setID(unit);
  client.setTimeout(patienceMs);
  try {
    const values = await request(client);
    answered();
    return values;
  } catch (error) {
    if (error instanceof ModbusException) {
      answered();
      throw error;
    }
    if (line.isClosed || !client.isOpen) throw new Error('the line was closed', { cause: error });
    if (isTimeout(error)) {
      line.silences += 1;
      // The device behind the line may have forgotten the connection.
      if (line.silences > line.users) line.end();
      throw new Error(`no answer within ${patienceMs} ms`, { cause: error });
    }
    // A damaged answer came, and the true answer may follow.
    await sleep(clock, Math.max(0, patienceMs - tookMs()));
    paces.set(key, pace);
    throw error;
  } finally {
    line.ended_mono_ms = clock.monotonic();
  }
}

/** Rejects with the signal's reason when it is aborted first. */
function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  return Promise.race([value, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

function closeClient(client: Client): void {
  // A request that is under way would keep its timer.
  client.destroy(() => {});
  if (client.isOpen) client.close(() => {});
}

const isTimeout = (error: unknown): boolean =>
  (error as Partial<NodeJS.ErrnoException>).errno?.toString() === 'ETIMEDOUT';
