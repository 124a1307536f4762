/** Port: what watches the places of one parking gateway, whatever its technology: asked again and again, or heard when it speaks. */
import type { SensorItem } from '../../shared/gateway-config.js';

/** What a sensor measured, before it is judged (`occupancy-machine.ts`). A sensor that gave no measurement has no reading. */
export interface SensorReading {
  parking_place_id: number;
  /** Modbus: the register, or the bit as 0 or 1. */
  value: number;
}

export interface SensorListener {
  /** What was measured just now. */
  onReadings(readings: SensorReading[]): void;
  /** Why not everything can be heard, for people; null when all is well again. Told when it changes. */
  onFault(reason: string | null): void;
}

export interface SensorSource {
  /** Nothing is told afterwards; settles when its connection is gone. Idempotent. */
  close(): Promise<void>;
}

/** Begins to listen. A link that fails is told, never thrown, and made again. */
export type SensorDriver = (item: SensorItem, listener: SensorListener) => SensorSource;
