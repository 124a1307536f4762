/** Bodies that cost who reads them: large, deep, with many keys, or none at all. For endpoints that ask for no token. */
import { request } from 'node:http';

/** A request as it is written. */
export interface HostileBody {
  name: string;
  headers: Readonly<Record<string, string>>;
  parts: readonly (string | Buffer)[];
  /** The length is not said. */
  isChunked: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const KIB = 1024;
const keys = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0])));
const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const repeatedKey = (count: number): string => `{${'"email":"a",'.repeat(count)}"email":"b"}`;

const whole = (name: string, body: string | Buffer, headers: Record<string, string> = JSON_TYPE): HostileBody => ({
  name,
  headers,
  parts: [body],
  isChunked: false,
});

export const HOSTILE_BODIES: readonly HostileBody[] = [
  whole('100,000 unknown keys', keys(100_000)),
  whole('as many unknown keys as fit', keys(780)),
  whole('a long string', JSON.stringify({ email: 'x'.repeat(512 * KIB) })),
  whole('a long string that fits', JSON.stringify({ email: 'x'.repeat(8_000) })),
  whole('very deep', nested(200_000)),
  whole('as deep as fits', nested(4_000)),
  whole('one key many times', repeatedKey(60_000)),
  whole('one key as often as fits', repeatedKey(650)),
  whole('a made-up bearer', keys(100_000), { ...JSON_TYPE, authorization: 'Bearer made-up-0123456789abcdef' }),
  whole('another type', '<email/>', { 'content-type': 'text/xml' }),
  whole('no type', '{"email":1}', {}),
  whole('parts of a form', '--b\r\n\r\nx\r\n--b--', { 'content-type': 'multipart/form-data; boundary=b' }),
  whole('no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  whole('no JSON', '{"email":'),
  whole('null', 'null'),
  whole('a list', '[1,2]'),
  whole('a prototype', '{"__proto__":{"email":"a"},"constructor":{"prototype":{}}}'),
  {
    name: 'many chunks',
    headers: JSON_TYPE,
    parts: Array.from({ length: 64 }, () => ' '.repeat(16 * KIB)),
    isChunked: true,
  },
];

export interface HostileAnswer {
  /** null: the connection was cut without an answer. */
  status: number | null;
  text: string;
}

/** Sends one body to an endpoint. Never rejects. */
export function sendHostileBody(
  to: { base: string; method: string; path: string },
  { headers, parts, isChunked }: HostileBody,
): Promise<HostileAnswer> {
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const length = isChunked ? {} : { 'content-length': String(bytes) };
  return new Promise((resolve) => {
    const options = { method: to.method, headers: { ...headers, ...length }, agent: false };
    const sent = request(new URL(to.path, to.base), options);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('error', () => undefined);
      response.once('close', () => resolve({ status: response.statusCode ?? null, text }));
    });
    // The server may answer and end the connection while parts are still on their way.
    sent.on('error', () => resolve({ status: null, text: '' }));
    for (const part of parts) sent.write(part);
    sent.end();
  });
}
