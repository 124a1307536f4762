import { expect, it } from 'vitest';
import { type OutgoingEvent, outgoingEvent } from '../../../cloud/doors/realtime/outgoing-event.js';
import { createReplay } from '../../../cloud/doors/realtime/replay.js';

const links = { sign: (uid: string) => uid, signJson: (json: string) => json, verify: () => null };
const numbered = (id: number) =>
  outgoingEvent({ id, account_id: 1, lot_id: 1, event: 'gateway_status', payload: '{}', created_at: 0 }, links);

it('a replay that the retention overtakes half-way asks for a resync instead of leaving a gap', async () => {
  const pages: (OutgoingEvent[] | null)[] = [[numbered(5), numbered(6)], null];
  const notified: string[] = [];
  const replay = createReplay({
    journal: { after: async () => pages.shift() ?? null },
    cursor: 4,
    scope: () => ({ account_id: 1, lot_ids: null }),
    limits: { pageRows: 2, tailEventsMax: 10 },
    send: async (events) => {
      notified.push(...events.map(({ id }) => `event ${id}`));
      return true;
    },
    known: () => notified.push('known'),
    unknownCursor: () => notified.push('unknown cursor'),
    caughtUp: () => notified.push('caught up'),
  });
  await replay.run();
  expect(notified).toEqual(['known', 'event 5', 'event 6', 'unknown cursor']);
});
