/** Frames of a serial Modbus line (Modbus over Serial Line 1.02, 2.5.1): unit, protocol data unit, CRC with its low byte first. */

/** Requests that read, which are all that is answered here, have this length. */
const REQUEST_BYTES = 8;
const CRC_BYTES = 2;

export interface RtuRequest {
  unit: number;
  pdu: Buffer;
}

/**
 * Finds the requests in what came over a line. A whole frame is known by its CRC, because a pseudo-terminal keeps no pauses between
 * frames; bytes that begin no frame are passed over one by one.
 * @returns the requests, and the bytes that the next ones may complete: fewer than a frame
 */
export function parseRtuRequests(bytes: Buffer): { requests: RtuRequest[]; rest: Buffer } {
  const requests: RtuRequest[] = [];
  let at = 0;
  while (bytes.length - at >= REQUEST_BYTES) {
    const frame = bytes.subarray(at, at + REQUEST_BYTES);
    const content = frame.subarray(0, -CRC_BYTES);
    const isFrame = frame.readUInt16LE(content.length) === crcOf(content);
    if (isFrame) requests.push({ unit: frame.readUInt8(0), pdu: content.subarray(1) });
    at += isFrame ? REQUEST_BYTES : 1;
  }
  return { requests, rest: bytes.subarray(at) };
}

export function rtuFrame(unit: number, pdu: Buffer): Buffer {
  const content = Buffer.concat([Buffer.of(unit), pdu]);
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt16LE(crcOf(content));
  return Buffer.concat([content, crc]);
}

function crcOf(bytes: Buffer): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
