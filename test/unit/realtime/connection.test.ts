import { expect, it } from 'vitest';
import type { Caller } from '../../../cloud/kernel/auth/caller.js';
import { CONNECTION_LIMITS, openConnection } from '../../../cloud/doors/realtime/connection.js';
import type { RealtimeSocket } from '../../../cloud/doors/realtime/realtime-socket.js';
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
