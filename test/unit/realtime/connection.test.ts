import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../cloud/kernel/auth/caller.js';
import { CONNECTION_LIMITS, openConnection } from '../../../cloud/doors/realtime/connection.js';
import type { RealtimeSocket } from '../../../cloud/doors/realtime/realtime-socket.js';
import { batchEvents } from '../../../cloud/doors/realtime/event-batch.js';
import { outgoingEvent } from '../../../cloud/doors/realtime/outgoing-event.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

const socket: RealtimeSocket = {
  bufferedBytes: 0,
  send() {},
  cork() {},
  uncork() {},
  ping() {},
  close() {},
  terminate() {},
};

it('hears every event only as long as its token is not limited to lots', () => {
  const whole = { kind: 'api', has_own_lots: false, account_id: 1, lot_ids: new Set([1, 2]) } as unknown as Caller;
  const scopes: boolean[] = [];
  const connection = openConnection({
    socket,
    caller: whole,
    cursor: null,
    liveCursor: () => 0,
    lotsOfAccount: async () => new Set(),
    journal: { after: async () => [] },
    clock: new FakeClock(),
    logger: silentLogger,
    limits: CONNECTION_LIMITS,
    onScope: ({ unfiltered }) => void scopes.push(unfiltered === socket),
    onEnded() {},
    onTooSlow() {},
  });
  connection.rescope({ ...whole, has_own_lots: true, lot_ids: new Set([1]) });
  expect(scopes).toEqual([true, false]);
  connection.ended();
  connection.rescope(whole);
  expect(scopes).toEqual([true, false]);
});

describe('a connection that hears nothing for an hour', () => {
  const PING_MS = 25_000;
  const HOUR_MS = 3_600_000;
  const links = { sign: (uid: string) => uid, signJson: (json: string) => json, verify: () => null };
  const batchOf = (id: number, lot_id: number) => {
    const row = { id, account_id: 1, lot_id, event: 'gateway_status' as const, payload: '{}', created_at: 0 };
    return batchEvents([outgoingEvent(row, links)]);
  };

  /** @param hears the lots of its token; null: every event goes to its bare socket */
  function open(hears: number[] | null) {
    const clock = new FakeClock();
    const frames: { event: string; data: string; id?: string }[] = [];
    let newest = 5;
    const connection = openConnection({
      socket: {
        ...socket,
        send: (frame) => void frames.push(JSON.parse(frame.subarray(frame.indexOf('{')).toString())),
      },
      caller: {
        kind: 'api',
        has_own_lots: hears !== null,
        account_id: 1,
        lot_ids: new Set(hears ?? [1, 2]),
      } as unknown as Caller,
      cursor: null,
      liveCursor: () => newest,
      lotsOfAccount: async () => new Set(),
      journal: { after: async () => [] },
      clock,
      logger: silentLogger,
      limits: CONNECTION_LIMITS,
      onScope() {},
      onEnded() {},
      onTooSlow() {},
    });
    return {
      cursors: () => frames.filter(({ event }) => event === 'cursor'),
      /** An event of the account, which goes to the connection unless the audience gives it to the bare socket. */
      happen(id: number, lot_id: number) {
        newest = id;
        if (connection.unfiltered === null) connection.deliver(batchOf(id, lot_id));
      },
      async pass(ms: number) {
        for (let passed = 0; passed < ms; passed += PING_MS) {
          await clock.advance(PING_MS);
          connection.pong();
        }
      },
    };
  }

  it('is told where to go on from, each hour, though others heard much', async () => {
    const { cursors, happen, pass } = open([1]);
    happen(6, 2);
    await pass(HOUR_MS - PING_MS);
    expect(cursors()).toEqual([]);
    happen(7, 2);
    await pass(PING_MS);
    expect(cursors()).toEqual([{ event: 'cursor', data: '{}', id: '7' }]);
    await pass(HOUR_MS);
    expect(cursors()).toHaveLength(2);
  });

  it.each([
    ['a part', [1]],
    ['everything', null],
  ])('has that hour begin with its last event, if it hears %s', async (_what, hears) => {
    const { cursors, happen, pass } = open(hears);
    await pass(HOUR_MS / 2);
    happen(6, 1);
    await pass(HOUR_MS - PING_MS);
    expect(cursors()).toEqual([]);
    await pass(2 * PING_MS);
    expect(cursors()).toMatchObject([{ id: '6' }]);
  });
});
