import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { createNameResolver, type Resolve } from '../../../cloud/doors/webhook/name-resolver.js';

const HEADER_BYTES = 12;
const [A, AAAA] = [1, 28];
const [NO_ERROR, SERVER_FAILURE] = [0, 2];
/** What the name server knows, by name and type; of anything else it says that it failed. */
const KNOWN: Record<string, Buffer[]> = {
  [`both.example ${A}`]: [Buffer.from([192, 0, 2, 1]), Buffer.from([192, 0, 2, 2])],
  [`both.example ${AAAA}`]: [Buffer.from('20010db8000000000000000000000001', 'hex')],
  [`four.example ${A}`]: [Buffer.from([192, 0, 2, 4])],
  [`four.example ${AAAA}`]: [],
};

let server: Socket;
let resolve: Resolve;
const asked: string[] = [];

beforeEach(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { address, port }) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    if (name !== 'silent.example') server.send(answerOf(query.subarray(0, end), `${name} ${type}`), port, address);
  });
  await new Promise<void>((done) => server.bind(0, '127.0.0.1', done));
  resolve = createNameResolver({ servers: [`127.0.0.1:${server.address().port}`], queryTimeoutMs: 500 });
});
afterEach(() => new Promise<void>((done) => server.close(done)));

it('finds addresses of both families', async () => {
  expect(await resolve('both.example')).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  expect(await resolve('four.example')).toEqual([{ address: '192.0.2.4', family: 4 }]);
});

it('waits for names whose server is silent beside all others', async () => {
  const silent = Promise.allSettled(Array.from({ length: 20 }, () => resolve('silent.example')));
  await waitUntil('the silent server to be asked', () => asked.filter((name) => name === 'silent.example').length > 2);
  expect(await resolve('four.example')).toHaveLength(1);
  for (const { status, reason } of (await silent) as PromiseRejectedResult[]) {
    expect([status, (reason as NodeJS.ErrnoException).code]).toEqual(['rejected', 'ETIMEOUT']);
  }
});

it('tells a failure of the name server', async () => {
  await expect(resolve('failing.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
});

it('knows this machine without a name server', async () => {
  asked.length = 0;
  for (const { address } of await resolve('localhost')) expect(['127.0.0.1', '::1']).toContain(address);
  expect(asked).toEqual([]);
});

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  // c-ares writes names in letters of random size.
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** The query's header and question again, as an answer, with the records behind them. */
function answerOf(query: Buffer, question: string): Buffer {
  const known = KNOWN[question];
  const answer = Buffer.from(query);
  answer.writeUInt16BE(0x8180 | (known === undefined ? SERVER_FAILURE : NO_ERROR), 2);
  answer.writeUInt16BE(known?.length ?? 0, 6);
  answer.writeUInt32BE(0, 8);
  const type = Number(question.split(' ')[1]);
  const records = (known ?? []).map((data) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([answer, ...records]);
}
