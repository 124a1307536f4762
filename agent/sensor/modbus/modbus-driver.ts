/** Drivers of sensors behind Modbus servers, over TCP, a serial line, or a serial line over TCP: their registers are read every `poll_ms`. */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import { sleep } from '../../../shared/clock.js';
import { hostPortOf } from '../../../shared/drivers/host-port.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { SENSOR_DRIVERS } from '../../../shared/drivers/sensor-drivers.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { pushTo } from '../../../shared/grouping.js';
import type { SensorReading, SensorDriver, SensorDriverDeps, SensorListener } from '../sensor-source.js';
import { faultsText } from '../faults.js';
import { decideValueOccupancy, scaledValue } from '../decide-value-occupancy.js';
import type { ModbusConnection } from './modbus-connection.js';
import { type LinePort, serialLineAt, tcpLineAt } from './line-ports.js';
import { connectModbusTcp, NEW_HABIT, type NumberingHabit } from './modbus-tcp-connection.js';
import { createPollingTurns, type PollingTurns } from './polling-turns.js';
import { createRegisterRounds, type ModbusLink, type RegisterRound } from './register-rounds.js';
import { createSerialLines } from './serial-lines.js';
import { errorText } from '../../../shared/error-text.js';

const PORT_DEFAULT = 502;
const CONNECT_TIMEOUT_MS = 5_000;
/** The limit for a whole answer, also when its bytes come slowly. */
const REQUEST_TIMEOUT_MS = 5_000;
/** How long a unit on a line has for an answer when its settings do not say. The others on the line wait; most answer within 50 ms. */
const RTU_REQUEST_TIMEOUT_MS = 500;
const RECONNECT: BackoffLimits = { baseMs: 500, maxMs: 30_000 };
/** How many servers are asked at once. */
const SERVERS_AT_ONCE_MAX = 64;
/** The first polls of all servers are spread over this time, or over their own interval when that is shorter. */
const FIRST_WITHIN_MS = 1_000;
/** The shortest pause between two rounds, also after a long one. */
const PAUSE_MIN_MS = 10;

export interface ModbusOptions extends Pick<SensorDriverDeps, 'clock' | 'random'> {
  connectTimeoutMs?: number;
  requestTimeoutMs?: number;
}

export function createModbusTcpDriver(options: ModbusOptions): SensorDriver {
  /** By address and unit. */
  const habits = new Map<string, NumberingHabit>();
  return driverOf('modbus-tcp', options, (address, { unit, timeoutMs, signal }) => {
    const key = `${address} ${unit}`;
    const habit = habits.get(key) ?? { ...NEW_HABIT };
    habits.set(key, habit);
    const { clock, connectTimeoutMs = CONNECT_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
    const { host, port } = hostPortOf(address) ?? { host: address, port: null };
    return connectModbusTcp({
      host,
      port: port ?? PORT_DEFAULT,
      unit,
      clock,
      connectTimeoutMs,
      requestTimeoutMs: timeoutMs ?? requestTimeoutMs,
      habit,
      signal,
    });
  });
}

export const createModbusRtuDriver = (options: ModbusOptions): SensorDriver =>
  lineDriverOf('modbus-rtu', options, serialLineAt);

/** The frames of a serial line, over the connection to a serial device server. */
export const createModbusRtuTcpDriver = (options: ModbusOptions): SensorDriver =>
  lineDriverOf('modbus-rtu-tcp', options, tcpLineAt);

/** Parking gateways on the same line share it, one request at a time. */
function lineDriverOf(
  name: 'modbus-rtu' | 'modbus-rtu-tcp',
  options: ModbusOptions,
  portAt: (address: string) => LinePort,
): SensorDriver {
  const { clock, requestTimeoutMs = RTU_REQUEST_TIMEOUT_MS } = options;
  const lines = createSerialLines({ clock, portAt });
  return driverOf(name, options, (address, { unit, timeoutMs, signal }) =>
    lines.connect(address, { unit, timeoutMs: timeoutMs ?? requestTimeoutMs, signal }),
  );
}

type ModbusDriverName = 'modbus-tcp' | 'modbus-rtu' | 'modbus-rtu-tcp';

/** @param to.timeoutMs from the settings; undefined: the settings have none */
type Connect = (
  address: string,
  to: { unit: number; timeoutMs: number | undefined; signal: AbortSignal },
) => Promise<ModbusConnection>;

function driverOf(name: ModbusDriverName, options: ModbusOptions, connect: Connect): SensorDriver {
  const { settings, defaults } = SENSOR_DRIVERS[name];
  const { clock, random } = options;
  const turns = createPollingTurns({ clock, permits: SERVERS_AT_ONCE_MAX });
  return {
    name,
    open(item, listener) {
      const closing = new AbortController();
      const { signal } = closing;
      const { address, register } = settings.pick({ address: true, register: true }).parse(item);
      const server = serverOf(item, register);
      const to = { unit: item.unit ?? defaults.unit, timeoutMs: register.timeout_ms, signal };
      const ended = Promise.resolve().then(() =>
        pollUntil(signal, server, { clock, random, listener, turns, connect: () => connect(address, to) }),
      );
      return {
        close() {
          closing.abort(new Error('the sensors are not asked any more'));
          return ended;
        },
      };
    },
  };
}

/** The questions for a server. */
interface Server {
  pollMs: number;
  register: ModbusRegister;
  /** The places whose state a register or bit holds. */
  placesByAddress: ReadonlyMap<number, number[]>;
}

function serverOf(item: SensorItem, register: ModbusRegister): Server {
  const placesByAddress = new Map<number, number[]>();
  for (const { id, sensor } of item.places) {
    const at = register.base + Number(sensor);
    pushTo(placesByAddress, at, id);
  }
  return { pollMs: item.poll_ms, register, placesByAddress };
}

type PollOptions = Pick<SensorDriverDeps, 'clock' | 'random'> & {
  listener: SensorListener;
  turns: PollingTurns;
  connect(): Promise<ModbusConnection>;
};

/** Connects, asks round after round, and begins again when the connection fails. Never rejects. */
async function pollUntil(signal: AbortSignal, server: Server, options: PollOptions): Promise<void> {
  const { clock, random, listener, turns } = options;
  const { register, placesByAddress, pollMs } = server;
  const rounds = createRegisterRounds(register, { poll_ms: pollMs, addresses: [...placesByAddress.keys()] });
  let attempt = 0;
  let connection: ModbusConnection | null = null;
  const close = () => {
    connection?.close();
    connection = null;
  };
  const connect = async () => (connection ??= await options.connect());
  const report = (values: RegisterRound['values'], fault: string | null) => {
    if (values.size > 0) attempt = 0;
    listener.onReadings(readingsOf(values, server, listener));
    listener.onFault(faultsText([fault ?? [], rounds.faults()].flat()));
  };
  const link: ModbusLink = {
    read: async (what) => (await connect()).read(what),
    async renew(fault, values) {
      close();
      signal.throwIfAborted();
      report(values, messageOf(fault));
      await connect();
    },
  };
  // After a restart hundreds of servers are not asked in the same moment, then and for ever after.
  await sleep(clock, Math.floor(random() * Math.min(pollMs, FIRST_WITHIN_MS)), signal).catch(() => undefined);
  while (!signal.aborted) {
    try {
      for (;;) {
        const beganMs = clock.monotonic();
        const { values, refusal } = await turns(() => rounds.read(link));
        if (signal.aborted) break;
        report(values, refusal);
        await sleep(clock, Math.max(PAUSE_MIN_MS, pollMs - (clock.monotonic() - beganMs)), signal);
      }
    } catch (error) {
      if (!signal.aborted) listener.onFault(faultsText([messageOf(error), ...rounds.faults()]));
    } finally {
      close();
    }
    await sleep(clock, backoffDelayMs(RECONNECT, attempt++, random()), signal).catch(() => undefined);
  }
}

const messageOf = (error: unknown): string => errorText(error);

/** A register that holds no measurement gives no reading. */
function readingsOf(
  values: ReadonlyMap<number, number>,
  { register, placesByAddress }: Server,
  known: Pick<SensorListener, 'occupancyOf'>,
): SensorReading[] {
  return [...values].flatMap(([address, value]) =>
    (placesByAddress.get(address) ?? []).flatMap((parking_place_id) => {
      const occupancy = decideValueOccupancy(
        scaledValue(value, register),
        register,
        known.occupancyOf(parking_place_id),
      );
      const raw = `register ${address}: ${value}`;
      return occupancy === null ? [] : { parking_place_id, occupancy, measured_ms: null, raw };
    }),
  );
}
