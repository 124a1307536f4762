import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type Audience, createAudience } from '../../../cloud/doors/realtime/audience.js';
import type { Connection } from '../../../cloud/doors/realtime/connection.js';
import { type OutgoingEvent, outgoingEvent } from '../../../cloud/doors/realtime/outgoing-event.js';
import type { RealtimeSocket } from '../../../cloud/doors/realtime/realtime-socket.js';

const BUFFERED_BYTES_MAX = 100;

const eventOf = (id: number): OutgoingEvent =>
  outgoingEvent(
    { id, account_id: 1, lot_id: 1, event: 'lot_change', payload: '{}', created_at: 0 },
    { sign: (uid) => uid, signJson: (json) => json, verify: () => null },
  );

/** A connection that notes what it hears, by its socket and itself. */
function listener(audience: Audience) {
  const heard: string[] = [];
  let bufferedBytes = 0;
  const socket = {
    get bufferedBytes() {
      return bufferedBytes;
    },
    send: (frames: Buffer) => void heard.push(`socket ${frames.length}`),
  } as RealtimeSocket;
  const notified: number[] = [];
  let onNotice = () => {};
  const connection = {
    unfiltered: null as RealtimeSocket | null,
    deliver(batches) {
      notified.push(...batches.flatMap(({ events }) => events.map(({ id }) => id ?? 0)));
      onNotice();
    },
  } as Connection & { unfiltered: RealtimeSocket | null };
  return {
    connection,
    /** How many writes went to the socket itself. */
    writes: () => heard.length,
    notified,
    owes: (bytes: number) => (bufferedBytes = bytes),
    hearsAll(does: boolean) {
      connection.unfiltered = does ? socket : null;
      audience.place(connection);
    },
    whenNotified: (then: () => void) => (onNotice = then),
    end: () => audience.delete(connection),
  };
}

describe('an audience', () => {
  it('writes each commit once to who hears everything, and tells all others of it', () => {
    const audience = createAudience(BUFFERED_BYTES_MAX);
    const [all, some] = [listener(audience), listener(audience)];
    all.hearsAll(true);
    some.hearsAll(false);
    audience.push([eventOf(1), eventOf(2)]);
    expect([all.writes(), all.notified, some.writes(), some.notified]).toEqual([1, [], 0, [1, 2]]);
  });

  it('tells those that owe too much instead, who may end by it, and skips nobody', () => {
    const audience = createAudience(BUFFERED_BYTES_MAX);
    const listeners = Array.from({ length: 5 }, () => listener(audience));
    for (const each of listeners) each.hearsAll(true);
    for (const each of listeners.slice(0, 2)) {
      each.owes(BUFFERED_BYTES_MAX + 1);
      each.whenNotified(each.end);
    }
    audience.push([eventOf(1)]);
    expect(listeners.map((each) => [each.writes(), each.notified])).toEqual([
      [0, [1]],
      [0, [1]],
      [1, []],
      [1, []],
      [1, []],
    ]);
    expect(audience.size).toBe(3);
  });

  it('gives nobody an event twice who hears everything from this event on', () => {
    const audience = createAudience(BUFFERED_BYTES_MAX);
    const [first, second] = [listener(audience), listener(audience)];
    for (const each of [first, second]) {
      each.hearsAll(false);
      each.whenNotified(() => each.hearsAll(true));
    }
    audience.push([eventOf(1)]);
    audience.push([eventOf(2)]);
    expect([first, second].map((each) => [each.notified, each.writes()])).toEqual([
      [[1], 1],
      [[1], 1],
    ]);
  });

  it('reaches exactly those that are there, whatever came and went before', () => {
    const step = fc.record({ who: fc.nat(7), does: fc.constantFrom('hear all', 'hear some', 'end') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const audience = createAudience(BUFFERED_BYTES_MAX);
        const listeners = Array.from({ length: 8 }, () => listener(audience));
        const now = new Map<number, string>();
        for (const { who, does } of steps) {
          if (does === 'end') listeners[who]?.end();
          else listeners[who]?.hearsAll(does === 'hear all');
          now.set(who, does);
        }
        audience.push([eventOf(1)]);
        const expected = listeners.map((_, who) =>
          [now.get(who) === 'hear all', now.get(who) === 'hear some'].map(Number),
        );
        expect(listeners.map(({ writes, notified }) => [writes(), notified.length])).toEqual(expected);
        const there = listeners.flatMap(({ connection }, who) => (expected[who]?.includes(1) ? [connection] : []));
        expect(new Set(audience)).toEqual(new Set(there));
        expect(audience.size).toBe(there.length);
      }),
    );
  });
});
