/** Lets the limits of several cloud processes count together: each tells the others, soon, what it counted. */
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { createBatcher } from '../../../shared/flow/batcher.js';
import { groupBy, inPieces } from '../../../shared/grouping.js';
import type { Peers } from '../store/peers.js';

/** How late the others know. So much more than a limit passes at most. */
const NOTIFIED_AFTER_MS = 250;
/** How many keys are told at once, so that they fit. */
const KEYS_AT_ONCE = 50;
/** A longer key is that of a flood, which each process refuses for itself. */
const KEY_CHARS_MAX = 100;

const countsSchema = z.array(z.tuple([z.string(), z.number().int().positive()]));

export interface SharedCounts {
  /** Notes that one more was counted of this key. */
  note(key: string): void;
  /** Calls the listener with what other processes counted. */
  onCounted(listener: (key: string, count: number) => void): void;
}

/** Returns the counts of one limit; undefined: no other process counts. @param name of the limit, the same in all processes */
export type ShareCounts = (name: string) => SharedCounts | undefined;

export const countSharing =
  ({ peers, clock }: { peers: Peers | null; clock: Clock }): ShareCounts =>
  (name) =>
    peers === null ? undefined : createSharedCounts({ peers, clock, topic: `count ${name}` });

function createSharedCounts({ peers, clock, topic }: { peers: Peers; clock: Clock; topic: string }): SharedCounts {
  const unsent = createBatcher<string>({
    clock,
    delayMs: () => NOTIFIED_AFTER_MS,
    send(keys) {
      const counts = [...groupBy(keys, (key) => key)].map(([key, { length }]) => [key, length]);
      for (const piece of inPieces(counts, KEYS_AT_ONCE)) peers.notify(topic, piece);
    },
  });
  return {
    note(key) {
      if (key.length <= KEY_CHARS_MAX) unsent.add([key]);
    },
    onCounted(listener) {
      peers.onNotice(topic, (news) => {
        const counts = countsSchema.safeParse(news);
        for (const [key, count] of counts.data ?? []) listener(key, count);
      });
    },
  };
}
