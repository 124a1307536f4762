/** Windows made at random, in the past and the wrong way round: what is refused, and what a key of each is. */
import * as fc from '../../property.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs, runsTimeoutMs } from '../../depth.js';
import { OWNER_TOKEN } from '../http/rest-world.js';
import { type KeyWorld, startKeyWorld } from './key-site.js';

const YEAR_MS = 366 * 24 * 3_600_000;
const COUNTED = ['operation_tokens', 'key_logs', 'operation_keys', 'weblinks', 'mails'] as const;

let world: KeyWorld;
beforeAll(async () => {
  world = await startKeyWorld();
});
afterAll(() => world.cloud.close());

/** Milliseconds from now; often the very moment, or one beside it. */
const moment = fc.oneof(fc.integer({ min: -YEAR_MS, max: YEAR_MS }), fc.constantFrom(-1, 0, 1, 1_000));
const noTime = fc.constantFrom(
  '',
  'soon',
  '2026-02-30T00:00:00Z',
  '25:00',
  0,
  -1,
  1e20,
  true,
  [],
  {},
  '+300000-01-01T00:00:00Z',
);
const OFFSETS = ['Z', '+02:00', '-11:00', '+14:00'];

/** The time as somebody with a clock of this offset writes it. */
function written(fromNowMs: number, offset: string): string {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const shiftMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(world.cloud.clock.now() + fromNowMs + shiftMs).toISOString().replace('Z', offset);
}

async function counts(): Promise<number[]> {
  const of = async (table: (typeof COUNTED)[number]) =>
    Number(
      (
        await world.cloud.store.reader
          .selectFrom(table)
          .select(({ fn }) => fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    );
  return Promise.all(COUNTED.map(of));
}

const REQUESTS = {
  '/v2/key-logs': (window: object) => ({
    product_id: world.barrier,
    name: 'Ana',
    receiver_identifier: 'ana@guest.example',
    receiver_identifier_type: 'email',
    ...window,
  }),
  '/v2/operation-keys': (window: object) => ({
    products: [String(world.barrier)],
    receiver_emails: ['ana@guest.example'],
    ...window,
  }),
  '/v2/weblinks': (window: object) => ({ product_id: world.barrier, ...window }),
} as const;
const path = fc.constantFrom(...(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]));

describe('a window', () => {
  it(
    'is one that ends after it begins; of one that is over nothing opens, and nobody is mailed',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          path,
          moment,
          fc.option(moment),
          fc.constantFrom(...OFFSETS),
          async (at, start, end, offset) => {
            const before = await counts();
            const json = REQUESTS[at]({
              start_time: written(start, offset),
              ...(end === null ? {} : { end_time: written(end, offset) }),
            });
            const { status, body } = await world.cloud.ask('POST', at, { token: OWNER_TOKEN, json });
            if (end !== null && end <= start) {
              expect([status, body.errors]).toMatchObject([422, [{ code: 23, field: 'end_time' }]]);
              expect(await counts()).toEqual(before);
              return;
            }
            expect([status, body.errors]).toEqual([200, undefined]);
            if (at === '/v2/weblinks') return;
            const isOver = end !== null && end <= 0;
            const after = await counts();
            expect(after.map((count, table) => count - (before[table] ?? 0))).toEqual([1, 1, 1, 1, isOver ? 0 : 1]);
            const [key] =
              await world.get<{ status: string; operation_token: Record<string, unknown> }[]>('/v2/key-logs?size=1');
            expect(key).toMatchObject({
              status: isOver ? 'expired' : 'active',
              operation_token: {
                status: isOver ? 'expired' : 'active',
                start_time: world.iso(start),
                end_time: end === null ? null : world.iso(end),
              },
            });
            expect(key?.operation_token.token_open).toMatchObject({
              token: isOver ? '' : expect.stringMatching(/^.{43}$/),
            });
          },
        ),
        { numRuns: runs(60, 10) },
      );
    },
    runsTimeoutMs(60_000, 10),
  );

  it('is made of times', async () => {
    await fc.assert(
      fc.asyncProperty(path, noTime, fc.boolean(), async (at, wrong, isStart) => {
        const before = await counts();
        const window = isStart ? { start_time: wrong } : { start_time: world.iso(0), end_time: wrong };
        const { status, body } = await world.cloud.ask('POST', at, { token: OWNER_TOKEN, json: REQUESTS[at](window) });
        const fields = (body.errors ?? []).map(({ field }) => field);
        expect([status, fields]).toEqual([422, [isStart ? 'start_time' : 'end_time']]);
        expect(await counts()).toEqual(before);
      }),
      { numRuns: runs(40) },
    );
  });
});
