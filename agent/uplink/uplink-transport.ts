/** Port: one connection to the broker at a time. Who makes the next one, and when, is decided above. */
import type { LinkEnd } from './uplink-machine.js';

export interface LinkOptions {
  /** `mqtt://` or `mqtts://` */
  url: string;
  clientId: string;
  username: string;
  password: string;
  /** PEM of the authority that signed the broker's certificate; null: the machine's own list. */
  ca: string | null;
  /** What the broker publishes, retained, when the link ends without goodbye. */
  will: { topic: string; payload: string };
  subscriptions: string[];
}

export interface LinkListener {
  /** The broker accepted, and the subscriptions stand. */
  onOpen(): void;
  onMessage(topic: string, payload: Uint8Array): void;
  /** Once, and last; also when the link never opened. Not after `close`. */
  onEnd(end: LinkEnd, message: string): void;
}

export interface UplinkLink {
  /**
   * Resolves when the broker has it (QoS 1), or when it is on its way (QoS 0). Rejects when the link ends first. Nothing is
   * queued beyond the link.
   */
  publish(topic: string, payload: string, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
  /** Says goodbye, so that the broker forgets the will; settles when the socket is gone. Idempotent. */
  close(): Promise<void>;
}

export interface UplinkTransport {
  /** Begins a connection. Its end is told, never thrown. */
  connect(options: LinkOptions, listener: LinkListener): UplinkLink;
}
