/** Asks a gateway through the service, and reads its answer until it is over. */
import { useSignal } from '@preact/signals';
import type { Refusal } from '../wording/sentences.js';
import type { CallToMake, MadeCall } from './made-calls.js';
import { useSending } from './sending.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

const READ_EVERY_MS = 1_000;

/** The last ask of a kind, as the service keeps it. */
export interface KeptAsk<Answer> {
  asked_at: string;
  state: 'asked' | 'answered' | 'failed' | 'silent';
  reason: string | null;
  answered_at: string | null;
  answer: Answer | null;
}

export interface Asking<Answer> {
  /** The last ask, of whoever asked; null: there is none, or it has not been read. While it is waited for, its answer is an earlier one. */
  last: KeptAsk<Answer> | null;
  isWaiting: boolean;
  refusal: Refusal | null;
  made: readonly MadeCall[];
  /** Asks, unless it is asked already. @returns whether the service took it */
  begin(work: () => Promise<{ asked_at: string }>, what: CallToMake): Promise<boolean>;
}

/** @param key names what is asked about */
export function useAsk<Answer>(
  key: string,
  read: (signal: AbortSignal) => Promise<KeptAsk<Answer> | null>,
): Asking<Answer> {
  const reading = useRead(key, read);
  const { found, refusal } = reading;
  const askedAt = useSignal<string | null>(null);
  const sending = useSending([]);
  const isOwn = found !== null && (askedAt.value === null || found.asked_at >= askedAt.value);
  const isWaiting = sending.isBusy || (askedAt.value !== null && !isOwn) || (isOwn && found.state === 'asked');
  useAgain(reading, isWaiting && !sending.isBusy ? READ_EVERY_MS : null);
  return {
    last: found,
    isWaiting,
    refusal: sending.refusal ?? refusal,
    made: sending.made,
    async begin(work, what) {
      if (isWaiting) return false;
      return await sending.send(async () => {
        askedAt.value = (await work()).asked_at;
      }, what);
    },
  };
}
