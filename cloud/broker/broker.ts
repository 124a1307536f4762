/** Port: the MQTT broker as the cloud uses it. Its driver is the embedded aedes. */
import type { GatewayUuid } from '../../shared/ids.js';
import type { DownChannel, UpChannel } from '../../shared/topics.js';

export interface UpMessage {
  uuid: GatewayUuid;
  channel: UpChannel;
  payload: Uint8Array;
}

/** Called for each connection attempt of a gateway; false refuses it. */
export type GatewayAuthenticator = (uuid: GatewayUuid, password: string) => Promise<boolean>;

/** Whether a terminal is registered under this public key; one that is not waits in a small room. */
export type IsTerminalRegistered = (publicKey: string) => Promise<boolean>;

export interface Broker {
  /** False while the broker can neither receive nor deliver messages (`/readyz`). */
  readonly ready: boolean;
  /** Delivers what gateways publish, in order for each gateway; its next message waits for the returned promise. */
  onMessage(listener: (message: UpMessage) => Promise<void>): () => void;
  /** Publishes to a gateway. The message is neither retained nor queued: a gateway that is not connected does not get it. */
  publish(uuid: GatewayUuid, channel: DownChannel, payload: string): Promise<void>;
  /** Ends a gateway's connection (revoked, claimed anew). */
  disconnect(uuid: GatewayUuid): Promise<void>;
  close(): Promise<void>;
}
