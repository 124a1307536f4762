/** Driver of sensors behind a Modbus TCP server: their registers are read every `poll_ms`. */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import { sleep } from '../../../shared/clock.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { SENSOR_DRIVERS } from '../../../shared/drivers/sensor-drivers.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { pushTo } from '../../../shared/grouping.js';
import type { SensorReading, SensorDriver, SensorDriverDeps, SensorListener } from '../sensor-source.js';
import { decideValueOccupancy } from '../decide-value-occupancy.js';
import { connectModbusTcp, type ModbusConnection } from './modbus-tcp-connection.js';
import { createRegisterRounds } from './register-rounds.js';

const NAME = 'modbus-tcp';
const { settings, defaults } = SENSOR_DRIVERS[NAME];

const PORT_DEFAULT = 502;
const CONNECT_TIMEOUT_MS = 5_000;
/** The limit for a whole answer, also when its bytes come slowly. */
const REQUEST_TIMEOUT_MS = 5_000;
const RECONNECT: BackoffLimits = { baseMs: 500, maxMs: 30_000 };
/** The shortest pause between two rounds, also after a long one. */
const PAUSE_MIN_MS = 10;

export interface ModbusTcpOptions extends Pick<SensorDriverDeps, 'clock' | 'random'> {
  connectTimeoutMs?: number;
  requestTimeoutMs?: number;
}

export function createModbusTcpDriver(options: ModbusTcpOptions): SensorDriver {
  return {
    name: NAME,
    open(item, listener) {
      const closing = new AbortController();
      const server = serverOf(item);
      const ended = Promise.resolve().then(() => pollUntil(closing.signal, server, { ...options, listener }));
      return {
        close() {
          closing.abort(new Error('the sensors are not asked any more'));
          return ended;
        },
      };
    },
  };
}

/** The server of a parking gateway, and what to ask it for. */
interface Server {
  host: string;
  port: number;
  unit: number;
  pollMs: number;
  register: ModbusRegister;
  /** The places whose state a register or bit holds. */
  placesByAddress: ReadonlyMap<number, number[]>;
}

function serverOf(item: SensorItem): Server {
  const { address, register } = settings.pick({ address: true, register: true }).parse(item);
  const [, host = address, port] = /^(.*?)(?::(\d+))?$/.exec(address) ?? [];
  const placesByAddress = new Map<number, number[]>();
  for (const { id, sensor } of item.places) {
    const at = register.base + Number(sensor);
    pushTo(placesByAddress, at, id);
  }
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? PORT_DEFAULT),
    unit: item.unit ?? defaults.unit,
    pollMs: item.poll_ms,
    register,
    placesByAddress,
  };
}

type PollOptions = ModbusTcpOptions & { listener: SensorListener };

/** Connects, asks round after round, and begins again when the connection fails. Never rejects. */
async function pollUntil(signal: AbortSignal, server: Server, options: PollOptions): Promise<void> {
  const { clock, random, listener } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const { register, placesByAddress, pollMs } = server;
  const rounds = createRegisterRounds({ function: register.function, addresses: [...placesByAddress.keys()] });
  let attempt = 0;
  while (!signal.aborted) {
    let connection: ModbusConnection | null = null;
    try {
      connection = await connectModbusTcp({ ...server, clock, connectTimeoutMs, requestTimeoutMs, signal });
      for (;;) {
        const beganMs = clock.monotonic();
        const { values, fault } = await rounds.read(connection);
        if (signal.aborted) break;
        if (values.size > 0) attempt = 0;
        listener.onReadings(readingsOf(values, server, listener));
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

/** A register that holds no measurement gives no reading. */
function readingsOf(
  values: ReadonlyMap<number, number>,
  { register, placesByAddress }: Server,
  known: Pick<SensorListener, 'occupancyOf'>,
): SensorReading[] {
  return [...values].flatMap(([address, value]) =>
    (placesByAddress.get(address) ?? []).flatMap((parking_place_id) => {
      const occupancy = decideValueOccupancy(value, register, known.occupancyOf(parking_place_id));
      const raw = `register ${address}: ${value}`;
      return occupancy === null ? [] : { parking_place_id, occupancy, measured_ms: null, raw };
    }),
  );
}
