/**
 * Serial lines on which Modbus units answer one after the other, here or behind a serial device server. A line is open as long as somebody
 * uses it and anybody answers on it.
 */
import { type Clock, sleep } from '../../../shared/clock.js';
import type { LinePort } from './line-ports.js';
import { type Client, type ModbusConnection, ModbusException, readRange } from './modbus-connection.js';
import { NEW_PACE, paceAfterAnswer, paceAfterQuestion, patienceOf, type UnitPace } from './unit-pace.js';

/** Between two requests a line is silent: for 3.5 characters (Modbus over Serial Line 1.02, 2.5.1.1), and adapters hand over in pieces. */
const GAP_MS = 10;

interface Line {
  /** How it is opened: all its users speak alike. */
  settings: string;
  opened: Promise<Client>;
  /** It cannot be used any more. */
  isClosed: boolean;
  /** Closes it; whoever connects next opens another. Idempotent. */
  end(): void;
  users: number;
  /** How many requests in a row nobody has answered. */
  silences: number;
  /** When its last request ended, on the monotonic clock. */
  ended_mono_ms: number;
  /** The end of the request that is under way, and of the quiet after it. Never rejects. */
  turn: Promise<unknown>;
}

interface UnitOnLine {
  unit: number;
  /** How long it is said to need for an answer. */
  timeoutMs: number;
  /** Ends what waits for it. */
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
  /** By device and unit. What is known of a unit stays when its line is closed. */
  const paces = new Map<string, UnitPace>();

  function lineAt({ device, settings, open }: LinePort): Line {
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

  /** Runs one request while nobody else uses the line, and keeps it quiet until no answer to it can come any more. */
  async function ask<Values>(
    line: Line,
    { key, unit, timeoutMs }: { key: string; unit: number; timeoutMs: number },
    request: (client: Client) => Promise<Values>,
  ): Promise<Values> {
    const client = await line.opened;
    // What was said beside the answer has come by then, and is thrown away.
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
        // What is behind it may have forgotten the connection.
        if (line.silences > line.users) line.end();
        throw new Error(`no answer within ${patienceMs} ms`, { cause: error });
      }
      // What came was spoiled, and the true answer may follow.
      await sleep(clock, Math.max(0, patienceMs - tookMs()));
      paces.set(key, pace);
      throw error;
    } finally {
      line.ended_mono_ms = clock.monotonic();
    }
  }

  return {
    async connect(address, { unit, timeoutMs, signal }) {
      const port = portAt(address);
      const key = `${port.device} ${unit}`;
      const line = lineAt(port);
      if (line.settings !== port.settings) {
        throw new Error(`${address}: another parking gateway uses this line with ${line.settings}`);
      }
      line.users += 1;
      let isClosed = false;
      const connection: ModbusConnection = {
        read({ function: code, range }) {
          const run = () => ask(line, { key, unit, timeoutMs }, (client) => readRange(client, code, range));
          const values = line.turn.then(run);
          line.turn = values.catch(() => undefined);
          return untilAborted(values, signal).catch((cause: Error) => {
            if (cause instanceof ModbusException) throw cause;
            throw new Error(`${address}, unit ${unit}: ${cause.message}`, { cause });
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
