/** The answers of a name server that knows the addresses of a table, and denies every other name. */
import { isIP } from 'node:net';

/** @param question a packet of DNS with one question, of type A or AAAA */
export function answerTo(question: Buffer, names: Record<string, string[]>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = question.readUInt16BE(at + 1);
  const known = names[labels.join('.')];
  const addresses = (known ?? []).filter((address) => isIP(address) === (type === 1 ? 4 : 6));
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(known === undefined ? 0x81_83 : 0x81_80, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const bytes = bytesOf(address);
    const record = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, question.subarray(12, at + 5), ...records]);
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [front = '', back = ''] = address.split('::');
  const [first, last] = [front, back].map((part) => part.split(':').filter((each) => each !== ''));
  const zeros = Array.from({ length: 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => '0');
  const words = [...(first ?? []), ...zeros, ...(last ?? [])].map((word) => Number.parseInt(word, 16));
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 255]));
}
