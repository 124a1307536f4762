/** The answers of a Modbus server to read requests (Modbus Application Protocol 1.1b3, 6.1 to 6.4), on any transport. */

export const EXCEPTION = {
  illegalFunction: 1,
  illegalAddress: 2,
  deviceFailure: 4,
  busy: 6,
  targetFailed: 11,
} as const;

const READ_PDU_BYTES = 5;

/** The register or bit (0, 1) that a function reads at an address, or why it cannot be read. */
export type ReadValue = (code: number, address: number) => number | { exception: number };

export interface ReadRequest {
  /** 1 to 4 */
  code: number;
  start: number;
  count: number;
}

/** @param pdu function and data; null: it is no request that reads */
export function readRequestOf(pdu: Buffer): ReadRequest | null {
  const [code = 0] = pdu;
  if (code < 1 || code > 4 || pdu.length !== READ_PDU_BYTES) return null;
  return { code, start: pdu.readUInt16BE(1), count: pdu.readUInt16BE(3) };
}

export const refusalOf = (code: number, exception: number): Buffer => Buffer.of(code | 0x80, exception);

/** The protocol data unit of the answer: all values, or the exception of the first that cannot be read. */
export function answerTo({ code, start, count }: ReadRequest, read: ReadValue): Buffer {
  if (start + count > 65_536) return refusalOf(code, EXCEPTION.illegalAddress);
  const values: number[] = [];
  for (let address = start; address < start + count; address++) {
    const value = read(code, address);
    if (typeof value !== 'number') return refusalOf(code, value.exception);
    values.push(value);
  }
  const data = code <= 2 ? bitsOf(values) : Buffer.concat(values.map(registerOf));
  return Buffer.concat([Buffer.of(code, data.length), data]);
}

function bitsOf(values: number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8));
  values.forEach((value, index) => {
    const at = index >> 3;
    if (value !== 0) bytes[at] = (bytes[at] ?? 0) | (1 << (index & 7));
  });
  return bytes;
}

function registerOf(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
