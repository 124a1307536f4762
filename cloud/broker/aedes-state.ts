/** The state that the parts of the embedded broker share: its limits, and who is connected. */
import type { Client } from 'aedes';
import type { Logger } from '../../shared/logger.js';
import { MESSAGE_BYTES_MAX } from '../../shared/uplink-bounds.js';
import type { GatewayInbox, InboxLimits } from './gateway-inbox.js';
import type { TerminalDoor } from './terminal-door.js';

export interface BrokerLimits extends InboxLimits {
  /** No message of a gateway is larger; those of most channels have less (`shared/uplink-bounds.ts`). */
  messageBytesMax: number;
  /** The limit before the password was checked. */
  connectBytesMax: number;
  connectTimeoutMs: number;
  /** A link that died silently is found after one and a half times this. */
  keepaliveMaxS: number;
  /** How much may wait to be sent to one gateway; a gateway that reads too slowly is cut off and says hello again. */
  sendBufferBytesMax: number;
  drainTimeoutMs: number;
  connectionsMax: number;
  terminalsMax: number;
}

export const DEFAULT_LIMITS: BrokerLimits = {
  messageBytesMax: MESSAGE_BYTES_MAX.records,
  connectBytesMax: 4 * 1024,
  connectTimeoutMs: 10_000,
  keepaliveMaxS: 120,
  sendBufferBytesMax: 32 * 1024 * 1024,
  drainTimeoutMs: 120_000,
  connectionsMax: 20_000,
  terminalsMax: 1_000,
  gatewayBytesMax: 10 * 1024 * 1024,
  totalBytesMax: 256 * 1024 * 1024,
};

/** MQTT 3.1.1, table 3.1. */
export const RETURN_CODE = { accepted: 0, identifierRejected: 2, badCredentials: 4, notAuthorised: 5 } as const;

/** What the hooks and the port share. */
export interface BrokerState {
  logger: Logger;
  limits: BrokerLimits;
  inbox: GatewayInbox;
  terminals: TerminalDoor;
  /** By gateway, the connection whose password was accepted last: the last will of any other connection is out of date. */
  newest: Map<string, Client>;
  /** The connections that were sent their acceptance. */
  connected: Map<string, Client>;
  /** Counts the disconnects of a gateway: a password that was looked up before a disconnect no longer counts. */
  revocations: Map<string, number>;
  /** Who asked for a connection, for the log: a refused connection has lost its address by the time it is logged. */
  askers: WeakMap<Client, { client_id: string; remote: string | undefined }>;
  /** Connections whose refusal was logged, so that their end need not be. */
  refused: WeakSet<Client>;
  stopping: boolean;
}
