/** H4 is the serial transport of HCI (Bluetooth Core, volume 4 part A): it puts a type byte before each packet. Pure. */

export const H4_COMMAND = 1;
export const H4_ACL = 2;
export const H4_EVENT = 4;

/** By packet type: how many bytes come before the payload, and where its length is. */
const HEADERS = {
  [H4_COMMAND]: { bytes: 4, payload: (packet: Buffer) => packet.readUInt8(3) },
  [H4_ACL]: { bytes: 5, payload: (packet: Buffer) => packet.readUInt16LE(3) },
  [H4_EVENT]: { bytes: 3, payload: (packet: Buffer) => packet.readUInt8(2) },
};

export interface H4Parser {
  /** Adds the next bytes of the stream, and returns the packets that they complete. Throws on a wrong type byte: the stream is lost then. */
  push(chunk: Buffer): Buffer[];
}

/** Cuts a byte stream into H4 packets. */
export function createH4Parser(): H4Parser {
  let rest: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const packets: Buffer[] = [];
      for (;;) {
        const length = packetLength(rest);
        if (length === undefined || rest.length < length) return packets;
        packets.push(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
    },
  };
}

/** Returns the length of the packet at the start of the buffer; undefined while its header is incomplete. */
function packetLength(buffer: Buffer): number | undefined {
  const type = buffer[0];
  if (type === undefined) return undefined;
  if (type !== H4_COMMAND && type !== H4_ACL && type !== H4_EVENT) {
    throw new Error(`H4 stream out of step: packet type ${type}, expected 1 (command), 2 (data) or 4 (event)`);
  }
  const header = HEADERS[type];
  return buffer.length < header.bytes ? undefined : header.bytes + header.payload(buffer);
}
