import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalOperations, OperationResult } from '../../../agent/command/local-operations.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { createActionRoutes } from '../../../agent/console/page-actions.js';

const ASKING = { by: 'console', address: '127.0.0.1' };

let asked: unknown[];
let result: OperationResult;
let isSignedIn: boolean;
let server: LocalServer;

beforeAll(async () => {
  server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());
beforeEach(() => {
  asked = [];
  result = { is_done: true, type: null, problem: null };
  isSignedIn = true;
});

const operations: LocalOperations = {
  async operate(...given) {
    asked.push(given);
    return result;
  },
  async letIn(...given) {
    asked.push(given);
    return result;
  },
  async close() {},
};
const app = createActionRoutes(
  { signedIn: async (context, next) => (isSignedIn ? await next() : context.body(null, 401)) },
  {
    operations,
    release: {
      release: async (asking) => [void asked.push(['release', asking])].flatMap(() => []),
      clear: async (asking) => [void asked.push(['clear', asking])].flatMap(() => []),
    },
  },
);

async function ask(path: string, body: string) {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, request);
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}

const PATHS = [
  '/api/products/a4c138000001/operations',
  '/api/sightings/uid/let-in',
  '/api/release',
  '/api/release/clear',
];

describe('the actions of the local console', () => {
  it('are done for who is signed in, in the name of the address that asked', async () => {
    for (const path of PATHS) expect(await ask(path, '{"operation":"open"}')).toMatchObject({ status: 200 });
    expect(asked).toEqual([
      ['a4c138000001', 'open', ASKING],
      ['uid', ASKING],
      ['release', ASKING],
      ['clear', ASKING],
    ]);
  });

  it('are not done for who is not', async () => {
    isSignedIn = false;
    for (const path of PATHS) expect(await ask(path, '{"operation":"open"}')).toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  });

  it.each([
    ['no JSON', 'open', 422, 'must be JSON'],
    ['no operation', '{}', 422, '"field":"operation"'],
    ['an operation that there is not', '{"operation":"autoclose"}', 422, '"field":"operation"'],
    ['another key', '{"operation":"open","seconds":5}', 422, 'seconds'],
    ['too much', JSON.stringify({ operation: 'x'.repeat(5_000) }), 413, '4096 bytes'],
  ])('are not done by a body with %s', async (_what, body, status, message) => {
    expect(await ask(PATHS[0] ?? '', body)).toMatchObject({ status, body: expect.stringContaining(message) });
    expect(asked).toEqual([]);
  });

  it('say why they were not begun, and when to try again', async () => {
    result = { status: 429, message: '8 products are being operated', retryAfterS: 5 };
    const answer = await ask(PATHS[0] ?? '', '{"operation":"open"}');
    expect([answer.status, answer.headers.get('retry-after'), JSON.parse(answer.body)]).toEqual([
      429,
      '5',
      { errors: [{ message: '8 products are being operated' }] },
    ]);
    result = { is_done: false, type: 5, problem: 'Jammed' };
    expect(await ask(PATHS[1] ?? '', '')).toMatchObject({
      status: 200,
      body: '{"is_done":false,"type":5,"problem":"Jammed"}',
    });
  });
});
