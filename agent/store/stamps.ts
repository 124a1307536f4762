/** Gives out the ids and the stamps of what the gateway records. */
import { uuidv7 } from 'uuidv7';
import type { Clock } from '../../shared/clock.js';
import type { EventId, Uid } from '../../shared/ids.js';
import { bytesToHex } from '../../shared/product-protocol/bytes.js';
import type { RecordStamp } from './agent-store.js';

const EVENT_ID_BYTES = 4;

interface Stamps {
  newUid(): Uid;
  newEventId(): EventId;
  stamp(uid: Uid): RecordStamp;
}

export function createStamps(deps: {
  clock: Clock;
  randomBytes(length: number): Uint8Array;
  isClockKnown(): boolean;
}): Stamps {
  const { clock } = deps;
  return {
    // The ids are not checked by a schema, because that would keep vehicles waiting.
    newUid: () => uuidv7() as Uid,
    newEventId: () => bytesToHex(deps.randomBytes(EVENT_ID_BYTES)) as EventId,
    stamp: (uid) => ({
      uid,
      mono_ms: Math.round(clock.monotonic()),
      wall_ms: clock.now(),
      clock_ok: deps.isClockKnown(),
    }),
  };
}
