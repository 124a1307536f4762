/** Driver of sensors behind a Modbus TCP server: their registers are read every `poll_ms`. */
import { backoffDelayMs, type BackoffLimits } from '../../shared/backoff.js';
import { type Clock, sleep } from '../../shared/clock.js';
import type { RegisterConfig, SensorItem } from '../../shared/gateway-config.js';
import { decideModbusReads, halves, type ReadRange } from './decide-modbus-reads.js';
import { connectModbusTcp, type ModbusConnection, ModbusException } from './modbus-tcp-connection.js';
import type { SensorDriver, SensorListener, SensorReading } from './sensor-source.js';

const PORT_DEFAULT = 502;
const UNIT_DEFAULT = 1;
const CONNECT_TIMEOUT_MS = 5_000;
/** For a whole answer, however slowly its bytes come. */
const REQUEST_TIMEOUT_MS = 5_000;
const RECONNECT: BackoffLimits = { baseMs: 500, maxMs: 30_000 };
/** Between two rounds, however long one took. */
const PAUSE_MIN_MS = 10;

export interface ModbusTcpOptions {
  clock: Clock;
  random: () => number;
  connectTimeoutMs?: number;
  requestTimeoutMs?: number;
}

/** A configuration it cannot use is told as a fault, and nothing is asked then. */
export function createModbusTcpSensors(options: ModbusTcpOptions): SensorDriver {
  return (item, listener) => {
    const closing = new AbortController();
    const setUp = setUpOf(item);
    const ended = Promise.resolve().then(async () => {
      if ('problem' in setUp) listener.onFault(setUp.problem);
      else await pollUntil(closing.signal, setUp, { ...options, pollMs: item.poll_ms, listener });
    });
    return {
      close() {
        closing.abort(new Error('the sensors are not asked any more'));
        return ended;
      },
    };
  };
}

interface SetUp {
  host: string;
  port: number;
  unit: number;
  function: RegisterConfig['function'];
  /** Which places a register or bit tells of. */
  placesByAddress: ReadonlyMap<number, number[]>;
}

function setUpOf({ address, unit, register, places }: SensorItem): SetUp | { problem: string } {
  const [, ipv6, ipv4OrName, port] = /^(?:\[([^\]\s]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/.exec(address) ?? [];
  const host = ipv6 ?? ipv4OrName;
  if (host === undefined) return { problem: `address "${address}" is not host:port` };
  if (register === null) return { problem: 'no register is configured' };
  const placesByAddress = new Map<number, number[]>();
  for (const { id, name, sensor } of places) {
    const at = register.base + Number(sensor);
    if (!/^\d+$/.test(sensor) || at > 65_535) return { problem: `sensor "${sensor}" of ${name} is no register` };
    placesByAddress.set(at, [...(placesByAddress.get(at) ?? []), id]);
  }
  return {
    host,
    port: Number(port ?? PORT_DEFAULT),
    unit: unit ?? UNIT_DEFAULT,
    function: register.function,
    placesByAddress,
  };
}

type PollOptions = ModbusTcpOptions & { pollMs: number; listener: SensorListener };

/** Connects, asks round after round, and begins again when the connection fails. Never rejects. */
async function pollUntil(signal: AbortSignal, setUp: SetUp, options: PollOptions): Promise<void> {
  const { clock, random, listener, pollMs } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const rounds = createRounds(setUp);
  let attempt = 0;
  while (!signal.aborted) {
    let connection: ModbusConnection | null = null;
    try {
      connection = await connectModbusTcp({ ...setUp, clock, connectTimeoutMs, requestTimeoutMs, signal });
      for (;;) {
        const beganMs = clock.monotonic();
        const { readings, fault } = await rounds.ask(connection);
        if (signal.aborted) break;
        if (readings.length > 0) attempt = 0;
        listener.onReadings(readings);
        listener.onFault(fault);
        await sleep(clock, Math.max(PAUSE_MIN_MS, pollMs - (clock.monotonic() - beganMs)), signal);
      }
    } catch (error) {
      if (!signal.aborted) listener.onFault(error instanceof Error ? error.message : String(error));
    } finally {
      connection?.close();
    }
    await sleep(clock, backoffDelayMs(RECONNECT, attempt++, random()), signal).catch(() => undefined);
  }
}

/** What a server says of the registers asked for, and not of itself: others of the range may be well. */
const OF_THE_REGISTER: ReadonlySet<number> = new Set([2, 3, 4, 8]);

const FAULTY_TOLD_MAX = 10;

interface Round {
  readings: SensorReading[];
  /** Why some could not be had. */
  fault: string | null;
}

function createRounds(setUp: SetUp) {
  /** Registers the server refuses, and how. */
  const faulty = new Map<number, string>();
  let round = 0;

  /** Throws what is not said of the registers alone. */
  async function readRange(connection: ModbusConnection, range: ReadRange, into: SensorReading[]): Promise<void> {
    let values: number[];
    try {
      values = await connection.read({ function: setUp.function, range });
    } catch (error) {
      if (!(error instanceof ModbusException) || !OF_THE_REGISTER.has(error.code)) throw error;
      if (range.count === 1) {
        faulty.set(range.start, error.message);
        return;
      }
      for (const half of halves(range)) await readRange(connection, half, into);
      return;
    }
    values.forEach((value, index) => {
      const address = range.start + index;
      faulty.delete(address);
      for (const parking_place_id of setUp.placesByAddress.get(address) ?? []) into.push({ parking_place_id, value });
    });
  }

  return {
    /** Rejects when the connection is of no use any more. */
    async ask(connection: ModbusConnection): Promise<Round> {
      const readings: SensorReading[] = [];
      const addresses = setUp.placesByAddress.keys();
      const alone = new Set(faulty.keys());
      const ranges = decideModbusReads({ function: setUp.function, addresses, faulty: alone, round: round++ });
      try {
        for (const range of ranges) await readRange(connection, range, readings);
      } catch (error) {
        // Busy, or a unit that is not there: the connection is sound, and the next round asks again.
        if (!(error instanceof ModbusException)) throw error;
        return { readings, fault: error.message };
      }
      return { readings, fault: faultOf(faulty) };
    },
  };
}

function faultOf(faulty: ReadonlyMap<number, string>): string | null {
  const [first] = faulty.values();
  if (first === undefined) return null;
  const addresses = [...faulty.keys()].sort((a, b) => a - b);
  const more = addresses.length > FAULTY_TOLD_MAX ? ` and ${addresses.length - FAULTY_TOLD_MAX} more` : '';
  return `register ${addresses.slice(0, FAULTY_TOLD_MAX).join(', ')}${more}: ${first}`;
}
