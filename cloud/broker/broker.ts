/** Port: the MQTT broker as the cloud uses it. Drivers: the embedded aedes; external brokers later. */
import type { GatewayUuid } from '../../shared/ids.js';
import type { DownChannel, UpChannel } from '../../shared/topics.js';

export interface UpMessage {
  uuid: GatewayUuid;
  channel: UpChannel;
  payload: Uint8Array;
}

/** Asked for each connection attempt of a gateway; false refuses it. */
export type GatewayAuthenticator = (uuid: GatewayUuid, password: string) => Promise<boolean>;

export interface Broker {
  /** False while the broker cannot take or deliver messages (`/readyz`). */
  readonly ready: boolean;
  /** Delivers what gateways publish, per gateway in order; the next message of a gateway waits for the returned promise. */
  onMessage(listener: (message: UpMessage) => Promise<void>): () => void;
  /** Never retained, never queued: a gateway that is not connected does not get it. */
  publish(uuid: GatewayUuid, channel: DownChannel, payload: string): Promise<void>;
  /** Ends a gateway's connection (revoked, claimed anew). */
  disconnect(uuid: GatewayUuid): Promise<void>;
  close(): Promise<void>;
}
