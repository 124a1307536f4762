/** Port: the MQTT broker as the cloud uses it. Its drivers are the embedded aedes and `mqtt-broker`, which speaks to an external one. */
import type { GatewayUuid } from '../../../shared/ids.js';
import type { DownChannel, UpChannel } from '../../../shared/topics.js';
import type { GatewayCredential } from './broker-accounts.js';

export interface UpMessage {
  uuid: GatewayUuid;
  channel: UpChannel;
  payload: Uint8Array;
  /** An external broker kept it from before. Presence alone is kept, and it lies when a broker died without publishing last wills. */
  isRetained?: boolean;
}

/** Called for each connection attempt of a gateway; false refuses it. */
export type GatewayAuthenticator = (uuid: GatewayUuid, password: string) => Promise<boolean>;

/** Says whether a terminal is registered under this public key; one that is not waits in a small room. */
export type IsTerminalRegistered = (publicKey: string) => Promise<boolean>;

export interface Broker {
  /** False while the broker can neither receive nor deliver messages (`/readyz`). */
  readonly ready: boolean;
  /** Returns the password that a gateway is told at its claim. */
  passwordFor(credential: GatewayCredential): string;
  /**
   * Hears these gateways from now on, too. The embedded broker hears whoever is connected to it; of an external one each process hears
   * the gateways that are its own.
   */
  hear(uuids: readonly GatewayUuid[]): void;
  /** Stops hearing these gateways. */
  leave(uuids: readonly GatewayUuid[]): void;
  /** Whether it hears this gateway. */
  hears(uuid: GatewayUuid): boolean;
  /**
   * Calls the listener with gateways that are heard from now on, and with all of them again after the connection to the broker was lost,
   * because messages in both directions may have been missed. The embedded broker never calls it: its gateways connect anew.
   */
  onHearing(listener: (uuids: readonly GatewayUuid[]) => void): () => void;
  /** Delivers what gateways publish, in order for each gateway; its next message waits for the returned promise. */
  onMessage(listener: (message: UpMessage) => Promise<void>): () => void;
  /** Publishes to a gateway. The message is neither retained nor queued: a gateway that is not connected does not get it. */
  publish(uuid: GatewayUuid, channel: DownChannel, payload: string): Promise<void>;
  /**
   * Call it when the database changed whether a gateway may connect (claimed, claimed anew, deleted), or when an unknown gateway sends a
   * message. Ends the connection of a gateway that may no longer connect. Resolves when a gateway that may connect is let in.
   */
  disconnect(uuid: GatewayUuid): Promise<void>;
  close(): Promise<void>;
}
