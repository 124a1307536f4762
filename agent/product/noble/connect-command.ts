/** LE Create Connection as noble writes it to the adapter, behind the H4 packet type: opcode and length. */
const CREATE_CONNECTION = Buffer.from([0x01, 0x0d, 0x20, 0x19]);
/** Where it says how often, and for how long each time, the adapter listens for the product. */
const INTERVAL_AT = 4;
const WINDOW_AT = 6;

/**
 * Lets an adapter listen for a product all the time while it connects. noble asks for half of it: every other advertisement is missed then,
 * and a driver waits for the next one.
 * @param packet what noble writes; changed in place where it is the command
 */
export function withWholeWindow(packet: Buffer): Buffer {
  const isConnect = packet.subarray(0, CREATE_CONNECTION.length).equals(CREATE_CONNECTION);
  if (isConnect) packet.copy(packet, WINDOW_AT, INTERVAL_AT, WINDOW_AT);
  return packet;
}
