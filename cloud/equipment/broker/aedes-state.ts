/** The state that the parts of the embedded broker share: its limits, and who is connected. */
import type { Socket } from 'node:net';
import type { Client } from 'aedes';
import type { BoundedLog } from '../../../shared/bounded-log.js';
import type { AddressSeats } from '../../../shared/address-seats.js';
import type { Semaphore } from '../../../shared/flow/semaphore.js';
import type { Logger } from '../../../shared/logger.js';
import type { SocketRoom } from '../../kernel/limit/entry.js';
import { PICTURE_MESSAGE_BYTES_MAX } from '../../../shared/uplink-bounds.js';
import { type GatewayInbox, INBOX_LIMITS, type InboxLimits } from './gateway-inbox.js';
import type { ReadGate } from './read-gate.js';
import type { TerminalDoor } from './terminal-door.js';

export interface BrokerLimits extends InboxLimits {
  /** No message of a gateway is larger; all but pictures have less (`shared/uplink-bounds.ts`). */
  messageBytesMax: number;
  /** The limit before the password was checked. */
  connectBytesMax: number;
  /** From the connection to its CONNECT packet, and once more for the TLS handshake before. */
  connectTimeoutMs: number;
  /** A link that died silently is found after one and a half times this. */
  keepaliveMaxS: number;
  /** How much may wait to be sent to one gateway; a gateway that reads too slowly is cut off and says hello again. */
  sendBufferBytesMax: number;
  drainTimeoutMs: number;
  connectionsMax: number;
  /** How many connections may be there whose password was not accepted yet. */
  strangersMax: number;
  /** How many terminals may wait for their registration: anybody can generate a key. */
  newTerminalsMax: number;
}

export const DEFAULT_LIMITS: BrokerLimits = {
  messageBytesMax: PICTURE_MESSAGE_BYTES_MAX,
  connectBytesMax: 4 * 1024,
  connectTimeoutMs: 5_000,
  keepaliveMaxS: 120,
  sendBufferBytesMax: 32 * 1024 * 1024,
  drainTimeoutMs: 120_000,
  connectionsMax: 20_000,
  strangersMax: 2_000,
  newTerminalsMax: 200,
  ...INBOX_LIMITS,
};

/** MQTT 3.1.1, table 3.1. */
export const RETURN_CODE = {
  accepted: 0,
  identifierRejected: 2,
  unavailable: 3,
  badCredentials: 4,
  notAuthorised: 5,
} as const;

export interface Peer {
  /** The TCP or TLS connection. */
  socket: Socket;
  reading: ReadGate;
  remote: string;
  /** Called when it has shown who it is: it then does not count for the pace of its address. */
  proved: () => void;
  /** As the CONNECT packet says it, shortened: anybody may send any. */
  client_id?: string;
}

/** The names of a peer in a log line. */
export const namesOf = (peer: Peer | undefined) => ({ client_id: peer?.client_id, remote: peer?.remote });

/** How much of a text that somebody outside chose a log line shows. */
export const SHOWN_LENGTH_MAX = 64;

/** The state that the hooks and the port share. */
export interface BrokerState {
  logger: Logger;
  /** For log lines that a client causes: bounded by address, or by client id once that is proven. */
  outsiders: BoundedLog;
  /** The connections whose password was not accepted yet. A gateway with the right password is among them for a moment only. */
  strangers: SocketRoom;
  /** The checks of passwords. Addresses take turns, so that no gateway waits for all the guesses of another address. */
  checks: Semaphore;
  /** Terminals that nobody has registered, by address. */
  newTerminals: AddressSeats<Client>;
  limits: BrokerLimits;
  inbox: GatewayInbox;
  terminals: TerminalDoor;
  /** By gateway, the connection whose password was accepted last: the last will of any other connection is out of date. */
  newest: Map<string, Client>;
  /** The connections that were sent their acceptance. */
  connected: Map<string, Client>;
  /** Counts the disconnects of a gateway: a password that was looked up before a disconnect no longer counts. */
  revocations: Map<string, number>;
  /** The other end of each connection, as it was at its beginning: a refused one has lost its address by the time it is logged. */
  peers: WeakMap<Client, Peer>;
  /** Connections whose refusal was logged, so that their end need not be. */
  refused: WeakSet<Client>;
  stopping: boolean;
}
