/** Knows which accounts have webhooks that want which events, and which of them have events to be turned into deliveries. */
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Webhook } from './webhook-queries.js';

type Listener = Pick<Webhook, 'account_id' | 'events'>;
export type WebhookAudience = ReturnType<typeof createWebhookAudience>;

export function createWebhookAudience() {
  /** The events that are wanted, by account; null: not known. */
  let wanted: ReadonlyMap<number, ReadonlySet<string>> | null = null;
  /** The accounts with events that are no deliveries yet, each with the number of its last one. */
  const active = new Map<number, number>();
  let noted = 0;
  let forgottenAt = 0;
  return {
    /** Notes an event. @returns whether a webhook may want it */
    note({ account_id, event }: { account_id: number; event: string }): boolean {
      if (wanted !== null && wanted.get(account_id)?.has(event) !== true) return false;
      active.set(account_id, ++noted);
      return true;
    },
    /** Returns the accounts that had wanted events (null: any may have had some, and the webhooks of all must be read), and what came last. */
    heard: () => ({ accounts: wanted === null ? null : [...active.keys()], upTo: noted }),
    /** Forgets the accounts of a turn that turned all that was heard into deliveries, and learns the webhooks that it read. */
    settle({ accounts, upTo }: { accounts: readonly number[] | null; upTo: number }, webhooks: readonly Listener[]) {
      // The turn may have read webhooks that have changed since.
      if (forgottenAt > upTo) return;
      if (accounts === null) wanted = eventsByAccount(webhooks);
      for (const [account_id, last] of active) if (last <= upTo) active.delete(account_id);
    },
    /** Webhooks may have changed: the next turn reads them all. */
    forget() {
      wanted = null;
      forgottenAt = ++noted;
    },
  };
}

function eventsByAccount(webhooks: readonly Listener[]): Map<number, Set<string>> {
  const byAccount = new Map<number, Set<string>>();
  for (const { account_id, events } of webhooks) {
    const names = byAccount.get(account_id) ?? new Set();
    byAccount.set(account_id, names);
    for (const name of decodeJson(events)) names.add(name);
  }
  return byAccount;
}
