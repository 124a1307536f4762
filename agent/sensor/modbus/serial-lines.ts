/** Serial lines on which Modbus units answer one after the other. A line is open as long as somebody uses it. */
import { realpathSync } from 'node:fs';
import { normalize } from 'node:path';
import { type Clock, sleep } from '../../../shared/clock.js';
import { SERIAL_PORT_FORM, type SerialPort, serialPortOf } from '../../../shared/drivers/serial-port.js';
import { type Client, type ModbusConnection, ModbusException, readRange } from './modbus-connection.js';
import { NEW_PACE, paceAfterAnswer, paceAfterQuestion, patienceOf, type UnitPace } from './unit-pace.js';

/** Between two requests a line is silent: for 3.5 characters (Modbus over Serial Line 1.02, 2.5.1.1), and adapters hand over in pieces. */
const GAP_MS = 10;

interface Line {
  /** How it was opened: all its users speak alike. */
  settings: string;
  client: Client;
  users: number;
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

export function createSerialLines({ clock }: { clock: Clock }): SerialLines {
  const lines = new Map<string, Promise<Line>>();
  /** By device and unit. What is known of a unit stays when its line is closed. */
  const paces = new Map<string, UnitPace>();

  function lineAt(port: OpenablePort): Promise<Line> {
    const { device } = port;
    const known = lines.get(device);
    if (known !== undefined) return known;
    const opening = openLine(port);
    lines.set(device, opening);
    const forget = () => {
      if (lines.get(device) === opening) lines.delete(device);
    };
    opening.then(({ client }) => client.on('close', forget), forget);
    return opening;
  }

  /** Runs one request while nobody else uses the line, and keeps it quiet until no answer to it can come any more. */
  async function ask<Values>(
    line: Line,
    { key, unit, timeoutMs }: { key: string; unit: number; timeoutMs: number },
    request: () => Promise<Values>,
  ): Promise<Values> {
    // What was said beside the answer has come by then, and is thrown away.
    await sleep(clock, Math.max(0, line.ended_mono_ms + GAP_MS - clock.monotonic()));
    const pace = paces.get(key) ?? NEW_PACE;
    const patienceMs = patienceOf(pace, timeoutMs);
    const sentMs = clock.monotonic();
    const tookMs = () => clock.monotonic() - sentMs;
    const answered = () => paces.set(key, paceAfterAnswer(pace, tookMs()));
    paces.set(key, paceAfterQuestion(pace, { mono_ms: sentMs, timeout_ms: timeoutMs }));
    line.client.setID(unit);
    line.client.setTimeout(patienceMs);
    try {
      const values = await request();
      answered();
      return values;
    } catch (error) {
      if (error instanceof ModbusException) answered();
      else if (isTimeout(error)) throw new Error(`no answer within ${patienceMs} ms`, { cause: error });
      else if (line.client.isOpen) {
        // What came was spoiled, and the true answer may follow.
        await sleep(clock, Math.max(0, patienceMs - tookMs()));
        paces.set(key, pace);
      }
      throw error;
    } finally {
      line.ended_mono_ms = clock.monotonic();
    }
  }

  return {
    async connect(address, { unit, timeoutMs, signal }) {
      const port = portOf(address);
      const key = `${port.device} ${unit}`;
      const opening = lineAt(port);
      const line = await opening;
      if (line.settings !== settingsOf(port)) {
        throw new Error(`${address}: another parking gateway uses this line with ${line.settings}`);
      }
      line.users += 1;
      let isClosed = false;
      const connection: ModbusConnection = {
        read({ function: code, range }) {
          const run = () => ask(line, { key, unit, timeoutMs }, () => readRange(line.client, code, range));
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
          if (line.users > 0 && line.client.isOpen) return;
          if (lines.get(port.device) === opening) lines.delete(port.device);
          // A request that is under way would keep its timer.
          line.client.destroy(() => {});
          if (line.client.isOpen) line.client.close(() => {});
        },
      };
      try {
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

interface OpenablePort extends SerialPort {
  /** What is behind the path: udev gives a port several names, and a line is opened once. */
  device: string;
}

const settingsOf = ({ baudRate, parity }: SerialPort): string => `baud=${baudRate}&parity=${parity}`;

/** @throws Error for people: the address is no serial port's */
function portOf(address: string): OpenablePort {
  const port = serialPortOf(address);
  if (port === null) throw new Error(`address ${SERIAL_PORT_FORM}`);
  return { ...port, device: deviceAt(port.path) };
}

function deviceAt(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is not there; whoever opens it says so.
    return normalize(path);
  }
}

const isTimeout = (error: unknown): boolean =>
  (error as Partial<NodeJS.ErrnoException>).errno?.toString() === 'ETIMEDOUT';

/** Where the library's own port, of which its types say nothing, has what came and was no answer, such as one that came too late. */
const WAITING = '_buffer';

interface BufferedPort {
  [WAITING]: Buffer;
  write(frame: Buffer): void;
}

interface PortLibrary {
  RTUBufferedPort: new (path: string, options: Pick<SerialPort, 'baudRate' | 'parity'>) => BufferedPort;
}

async function openLine(port: SerialPort): Promise<Line> {
  const { path, baudRate, parity } = port;
  // The library is loaded only when it is needed: while it loads it looks for drivers of serial ports.
  const { default: library } = await import('modbus-serial');
  const { RTUBufferedPort } = library as unknown as PortLibrary;
  const buffered = new RTUBufferedPort(path, { baudRate, parity });
  const write = buffered.write.bind(buffered);
  buffered.write = (frame) => {
    // The library would take it for the answer to this request.
    buffered[WAITING] = Buffer.alloc(0);
    write(frame);
  };
  const client = new library.default(buffered);
  // A line that breaks ends its requests; without a listener the error would end the program.
  client.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    client.open((error?: Error | null) => (error === undefined || error === null ? resolve() : reject(error)));
  });
  return { settings: settingsOf(port), client, users: 0, ended_mono_ms: 0, turn: Promise.resolve() };
}
