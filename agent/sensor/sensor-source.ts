/**
 * Port: watches the places of one parking gateway of any technology. A driver polls (Modbus), or listens until something is sent (LoRa
 * over MQTT, HTTP, advertisements). It interprets what it hears and delivers the state of places.
 */
import type { Clock } from '../../shared/clock.js';
import type { SensorDriverName } from '../../shared/drivers/sensor-driver-list.js';
import type { OCCUPANCY_STATES } from '../../shared/events/event-schemas.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import type { BeaconRadio } from './beacons.js';
import type { Frame } from './frame-count-machine.js';
import type { SensorPushes } from './sensor-pushes.js';

export type Occupancy = (typeof OCCUPANCY_STATES)[number];

/** A sensor's report of its place. A sensor that says nothing has no reading: silence does not mean "free". */
export interface SensorReading {
  parking_place_id: number;
  /** null: the sensor lives, but says nothing of its place (a start-up message, a battery report). */
  occupancy: Occupancy | null;
  /** When the sensor measured, in wall milliseconds; null: just now. A sensor reading with an older time never replaces a newer one. */
  measured_ms: number | null;
  /** The frame that brought it; null: the device counts its frames from the beginning again. Left out: it counts none. */
  frame?: Frame | null | undefined;
  /** The value as people look for it in the device's manual: a register's value, the bytes of a payload. */
  raw?: string;
}

export interface SensorListener {
  /** Called with what was heard just now. Sensor readings of places that are not in the configuration are ignored. */
  onReadings(readings: SensorReading[]): void;
  /** Called with the reason, for people, why not every sensor can be heard; with null when all of them can be heard again. */
  onFault(reason: string | null): void;
  /** Returns the last known state of a place, also from before a restart; null: none. A threshold with hysteresis starts from it. */
  occupancyOf(parkingPlaceId: number): Occupancy | null;
}

export interface SensorSource {
  /** The listener hears nothing afterwards. Resolves when the connection is gone. Idempotent. */
  close(): Promise<void>;
}

export interface SensorDriver {
  /** Its name in the list of drivers in `shared`. */
  readonly name: SensorDriverName;
  /**
   * Begins to listen to the places of a parking gateway. It does not call the listener before it returns. A link that fails is reported
   * as a fault, never thrown, and made again.
   * @param item its settings and the names of its sensors meet the driver's requirements in `shared/drivers/sensor-drivers.ts`
   */
  open(item: SensorItem, listener: SensorListener): SensorSource;
}

/** The parts that drivers need from outside. */
export interface SensorDriverDeps {
  clock: Clock;
  /** Returns a number in [0, 1). */
  random(): number;
  /** By which a broker knows this gateway again. */
  gatewayUuid: string;
  /** Where sensors post to. */
  pushes: Pick<SensorPushes, 'add'>;
  /** By which sensors are heard that advertise. */
  radio: BeaconRadio;
}

/** The drivers by their names in the configuration. */
export type SensorDrivers = ReadonlyMap<string, SensorDriver>;
