/** What the drivers of LoRa network servers differ in: on which topics uplinks come, and what their messages look like. */
import type { Uplink } from '../codecs/sensor-codec.js';

/** An uplink as a network server passes it on. */
export interface NetworkUplink extends Uplink {
  /** 16 lower-case hex digits. */
  devEui: string;
  /** By which names its application may be configured. */
  applications: readonly string[];
  /** When the network heard it, in wall milliseconds; null: it does not say. */
  measured_ms: number | null;
}

export interface LoraNetwork {
  /** The topic filter for an application; null: of all that the account may hear. @param username of the broker's address, '' without one */
  topicOf(application: string | null, username: string): string;
  /** null: the message is no uplink with a payload. */
  parse(message: unknown): NetworkUplink | null;
}
