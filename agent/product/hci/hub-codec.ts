/**
 * The messages between host and hub of an emulated radio beside plain HCI. Pure.
 *
 * A hub listens on one unix socket and speaks H4; every connection is one virtual controller. The first packet of a connection is
 * the vendor command JOIN, which says who it is. The hub answers with its Command Complete (status 0, then the controller's
 * address, 6 bytes little-endian), or closes the connection when it refuses. The vendor event POWER says, as a kernel would, that the
 * adapter went down or came up; when the adapter is down, it comes before the answer to JOIN.
 *
 * | Packet | Bytes |
 * | --- | --- |
 * | JOIN, host > hub | `01 00 FC n | role (0 central, 1 peripheral) | name, UTF-8, 1 to 64 bytes` |
 * | joined, hub > host | `04 0E 0A | 01 00 FC | status 0 | address:6` |
 * | POWER, hub > host | `04 FF 02 | 01 | up (0, 1)` |
 *
 * A gateway joins as a central by its UUID, a product as a peripheral by its device_id, which is its radio address too. The name
 * decides range and signal per pair. When a name joins again, its new connection replaces the earlier one. A gateway's further adapters
 * join by its UUID with `/1`, `/2` behind it, and hear what the first one hears, unless it is said otherwise of them.
 */
import { H4_COMMAND, H4_EVENT } from './h4-parser.js';

/** Command Complete, and the event code reserved for vendors. */
const COMMAND_COMPLETE = 0x0e;
const VENDOR_EVENT = 0xff;
const JOIN_OPCODE = 0xfc00;
const POWER_SUBEVENT = 1;
const NAME_BYTES_MAX = 64;

export type RadioRole = 'central' | 'peripheral';

export interface RadioIdentity {
  role: RadioRole;
  /** Gateway UUID of a central, device_id of a peripheral. */
  name: string;
}

/** The name by which an adapter of a gateway joins; the first one has index 0. */
export function adapterName(gateway: string, index: number): string {
  return index === 0 ? gateway : `${gateway}/${index}`;
}

/** The gateway that an adapter's name belongs to. */
export function gatewayOfAdapter(name: string): string {
  return name.split('/', 1)[0] ?? name;
}

export function encodeJoin(identity: RadioIdentity): Buffer {
  const name = Buffer.from(identity.name, 'utf8');
  if (name.length === 0 || name.length > NAME_BYTES_MAX) {
    throw new Error(
      `Name ${JSON.stringify(identity.name)} on the emulated radio must have 1 to ${NAME_BYTES_MAX} bytes`,
    );
  }
  const header = [
    H4_COMMAND,
    JOIN_OPCODE & 0xff,
    JOIN_OPCODE >> 8,
    1 + name.length,
    identity.role === 'central' ? 0 : 1,
  ];
  return Buffer.concat([Buffer.from(header), name]);
}

/** Decodes a JOIN; undefined when the packet is no (valid) one. */
export function decodeJoin(packet: Buffer): RadioIdentity | undefined {
  if (packet.length < 6 || packet[0] !== H4_COMMAND || packet.readUInt16LE(1) !== JOIN_OPCODE) return undefined;
  const role = packet[4];
  if (role !== 0 && role !== 1) return undefined;
  const name = packet.subarray(5);
  if (name.length > NAME_BYTES_MAX) return undefined;
  return { role: role === 0 ? 'central' : 'peripheral', name: name.toString('utf8') };
}

/** @param address 6 bytes, little-endian as HCI has them */
export function encodeJoined(address: Buffer): Buffer {
  const head = [H4_EVENT, COMMAND_COMPLETE, 4 + address.length, 1, JOIN_OPCODE & 0xff, JOIN_OPCODE >> 8, 0];
  return Buffer.concat([Buffer.from(head), address]);
}

export function isJoined(packet: Buffer): boolean {
  return (
    packet.length >= 7 &&
    packet[0] === H4_EVENT &&
    packet[1] === COMMAND_COMPLETE &&
    packet.readUInt16LE(4) === JOIN_OPCODE
  );
}

export function encodePower(up: boolean): Buffer {
  return Buffer.from([H4_EVENT, VENDOR_EVENT, 2, POWER_SUBEVENT, up ? 1 : 0]);
}

/** Decodes a POWER; undefined when the packet is none. */
export function decodePower(packet: Buffer): boolean | undefined {
  const isPower =
    packet.length === 5 && packet[0] === H4_EVENT && packet[1] === VENDOR_EVENT && packet[3] === POWER_SUBEVENT;
  return isPower ? packet[4] === 1 : undefined;
}
