/** The differences between drivers of LoRa network servers: the topics of events, and the shape of their messages. */
import type { Frame } from '../frame-count-machine.js';
import type { Uplink } from '../codecs/sensor-codec.js';

/** The message of a device, as a network server passes it on. */
export interface NetworkUplink {
  /** 16 lower-case hex digits. */
  devEui: string;
  /** By which names its application may be configured. */
  applications: readonly string[];
  /** When the network heard it, in wall milliseconds; null: it does not say. */
  measured_ms: number | null;
  /** null: the device counts from the beginning again. undefined: the message has no count. */
  frame: Frame | null | undefined;
  /** null: a sign of life, which says nothing of the place. */
  payload: Uplink | null;
}

export interface LoraNetwork {
  /**
   * The filters of uplinks, and of other signs of life, which a broker may refuse, for an application; null: of all that the account may
   * hear. @param username of the broker's address, '' without one
   */
  topicsOf(application: string | null, username: string): { uplinks: string; signs: readonly string[] };
  /** null: the message does not show that a device lives. @param event the last level of its topic */
  parse(message: unknown, event: string): NetworkUplink | null;
}
