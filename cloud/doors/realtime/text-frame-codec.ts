/** Encodes WebSocket text frames of a server (RFC 6455, 5.2): whole messages, neither masked nor compressed. */

const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Encodes a text as one frame for the wire, which is shared by all the sockets that get it. */
export function encodeTextFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const headerBytes = bytes < LENGTH_16 ? 2 : bytes <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerBytes + bytes);
  frame[0] = FINAL_TEXT;
  if (headerBytes === 2) {
    frame[1] = bytes;
  } else if (headerBytes === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(bytes, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeBigUInt64BE(BigInt(bytes), 2);
  }
  frame.write(text, headerBytes);
  return frame;
}
