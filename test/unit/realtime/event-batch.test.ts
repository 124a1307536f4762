import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { batchEvents } from '../../../cloud/doors/realtime/event-batch.js';
import { createSendQueue } from '../../../cloud/doors/realtime/send-queue.js';
import { outgoingEvent } from '../../../cloud/doors/realtime/outgoing-event.js';
import { encodeTextFrame } from '../../../cloud/doors/realtime/text-frame-codec.js';

const links = { sign: (uid: string) => uid, signJson: (json: string) => json, verify: () => null };
const numbered = (id: number | null, lot_id: number) =>
  outgoingEvent(
    { id: id ?? 1, account_id: 1, lot_id, event: 'gateway_status', payload: `{"n":${id}}`, created_at: 0 },
    links,
  );

describe('text frames', () => {
  it.each([
    [0, '8100'],
    [125, '817d'],
    [126, '817e007e'],
    [65_535, '817effff'],
    [65_536, '817f0000000000010000'],
  ])('with %i bytes begin %s', (bytes, header) => {
    const text = 'x'.repeat(bytes);
    expect(encodeTextFrame(text).toString('latin1')).toBe(Buffer.from(header, 'hex').toString('latin1') + text);
  });

  it('count bytes, not characters', () => {
    expect(encodeTextFrame('čć').toString('hex')).toBe(`8104${Buffer.from('čć').toString('hex')}`);
  });
});

describe('what a connection is sent', () => {
  it('is what it wants, once, in order, beyond what its replay brought', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 100 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 3 })),
        fc.nat({ max: 100 }),
        (lots, wantedLots, sentTo) => {
          const events = lots.map((lot, index) => numbered(index + 1, lot));
          const written: Buffer[] = [];
          const sendQueue = createSendQueue({
            socket: {
              bufferedBytes: 0,
              send: (frames) => void written.push(frames),
              cork() {},
              uncork() {},
              ping() {},
              close() {},
              terminate() {},
            },
            limits: { bufferedBytesMax: 1, replayBufferedBytesMax: 1 },
            wants: ({ lot_id }) => wantedLots.includes(lot_id),
            hasEnded: () => false,
            tooSlow: () => {
              throw new Error('not slow');
            },
            heard() {},
          });
          sendQueue.live(batchEvents(events), sentTo);
          const expected = events.filter((event) => Number(event.id) > sentTo && wantedLots.includes(event.lot_id));
          expect(Buffer.concat(written)).toEqual(Buffer.concat(expected.map((event) => event.frame())));
          expect(written.length).toBeLessThanOrEqual(Math.ceil(lots.length / 30));
        },
      ),
    );
  });

  it('is one buffer for all who want the same', () => {
    const [batch] = batchEvents([numbered(1, 1), numbered(2, 1), numbered(3, 2)]);
    expect(batch?.frames(0b011)).toBe(batch?.frames(0b011));
    expect(batch?.frames(0b100)).toBe(batch?.events[2]?.frame());
  });
});
