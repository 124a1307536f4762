/** Port: one connection to the broker at a time. The caller decides when to make the next one. */
import type { LinkEnd } from '../../shared/reconnect-ladder.js';

export interface LinkOptions {
  /** `mqtt://` or `mqtts://` */
  url: string;
  clientId: string;
  username: string;
  password: string;
  /** PEM of the authority that signed the broker's certificate; null: the machine's own list. */
  ca: string | null;
  /** The message that the broker publishes, retained, when the link ends without goodbye. */
  will: { topic: string; payload: string };
  subscriptions: string[];
}

export interface LinkListener {
  /** Called when the broker has accepted the connection and the subscriptions. */
  onOpen(): void;
  onMessage(topic: string, payload: Uint8Array): void;
  /** Called once, as the last call, also when the link never opened; not after `close`. */
  onEnd(end: LinkEnd, message: string): void;
}

export interface UplinkLink {
  /**
   * Resolves when the broker has the message (QoS 1), or when it is on its way (QoS 0). Rejects when the link ends first. No message
   * outlives the link.
   */
  publish(topic: string, payload: string, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
  /** Says goodbye, so that the broker forgets the will; settles when the socket is gone. Idempotent. */
  close(): Promise<void>;
}

export interface UplinkTransport {
  /** Begins a connection. Its end is reported to the listener, never thrown. */
  connect(options: LinkOptions, listener: LinkListener): UplinkLink;
}
