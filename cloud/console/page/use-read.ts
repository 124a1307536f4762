/** What a view reads for itself, over REST. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { refusalOf } from './session.js';

export interface Read<Value> {
  /** null: it has not been read yet. While something else is read, it is what was read before. */
  value: Signal<Value | null>;
  refusal: Signal<Refusal | null>;
  again: () => void;
}

/** Who types asks once. */
const TYPING_MS = 200;

/** @param key what is read: another one is read anew, and the answer of the one before is not taken any more */
export function useRead<Value>(key: string, work: (signal: AbortSignal) => Promise<Value>): Read<Value> {
  const value = useSignal<Value | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const round = useSignal(0);
  const lastKey = useRef(key);
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      try {
        const found = await work(abort.signal);
        if (abort.signal.aborted) return;
        value.value = found;
        refusal.value = null;
      } catch (error) {
        if (!abort.signal.aborted) refusal.value = refusalOf(error);
      }
    };
    const timer = setTimeout(() => void read(), lastKey.current === key ? 0 : TYPING_MS);
    lastKey.current = key;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, round.value]);
  return { value, refusal, again: () => (round.value += 1) };
}
