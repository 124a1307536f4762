/** What kinds of deliveries differ in: where they wait, to whom they go, and what an answer means. */
import type { RecordSpan } from '../../../shared/tracer.js';
import type { Tx } from '../store/cloud-store.js';
import type { RetryPace } from './decide-retry.js';
import type { DeliveryTable } from './delivery-tables.js';

/** A delivery that this process has leased for an attempt. */
export interface LeasedDelivery {
  id: number;
  /** The number of the attempt. */
  attempts: number;
  tries_began_at: number;
}

/** The receiver's answer to an attempt. `refused`: for good. */
export type DeliveryAnswer =
  | { end: 'accepted' }
  | {
      end: 'refused' | 'failed';
      /** In words for people. */
      reason: string;
      /** How long the receiver asked for patience; null: it did not. */
      leftAloneMs: number | null;
    };

/** The outcome of an attempt. `given_up`: it failed and was the last one; `stopped`: the service stops, and it is made again. */
export interface DeliveryOutcome<Item, Answer> {
  item: Item;
  answer: Answer;
  end: DeliveryAnswer['end'] | 'given_up' | 'stopped';
  /** null: it has ended. */
  nextAttemptAt: number | null;
}

export interface DeliveryRule<Item extends LeasedDelivery, Answer extends DeliveryAnswer> {
  table: DeliveryTable;
  /** The deliveries in the plural, as log lines name them. */
  what: string;
  /** How long deliveries are shown after their end. */
  keptMs: number;
  /** How long attempts under way may go on when the service stops. */
  graceMs: number;
  pace(item: Item): RetryPace;
  /**
   * Leases deliveries that are due, in the transaction of a turn and under the lock of the table.
   * @returns them, and at which wall milliseconds something is due next; null: only `ask` brings something
   */
  lease(
    tx: Tx,
    turn: { now: number; underWay: readonly Item[] },
  ): Promise<{ due: readonly Item[]; nextDueAt: number | null }>;
  /** Makes one attempt; never rejects. After `signal` it ends soon. */
  attempt(item: Item, signal: AbortSignal): Promise<Answer>;
  /** Logs and measures what came of an attempt. It is recorded later. */
  note(outcome: DeliveryOutcome<Item, Answer>, took: Pick<RecordSpan, 'startMs' | 'tookMs'>): void;
  /** Records an outcome (`recordAttempt`), and what else follows from it. */
  record(tx: Tx, outcome: DeliveryOutcome<Item, Answer>, now: number): Promise<void>;
  /** Cleans up beside the deletion of deliveries that ended long ago, once an hour. A turn follows. */
  prune(): Promise<void>;
}
