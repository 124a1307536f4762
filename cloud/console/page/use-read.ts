/** What a view reads for itself, over REST. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { refusalOf } from './session.js';

export interface Read<Value> {
  /** null: nothing has been read yet. With a new key the value of the key before stays until the answer comes. */
  found: Value | null;
  /** When that was read, in milliseconds since 1970; null: nothing has been. */
  at: number | null;
  /** Why the last reading failed; null: it did not. */
  refusal: Refusal | null;
  again: () => void;
}

/** While somebody types, only the last text is sent. */
const TYPING_MS = 200;

/** @param key names what is read. With another key it is read anew, and the answer to the key before is dropped. */
export function useRead<Value>(key: string, work: (signal: AbortSignal) => Promise<Value>): Read<Value> {
  const found = useSignal<Value | null>(null);
  const at = useSignal<number | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const round = useSignal(0);
  const lastKey = useRef(key);
  useEffect(() => {
    const abort = new AbortController();
    const begin = async () => {
      try {
        const read = await work(abort.signal);
        if (abort.signal.aborted) return;
        found.value = read;
        at.value = Date.now();
        refusal.value = null;
      } catch (error) {
        if (!abort.signal.aborted) refusal.value = refusalOf(error);
      }
    };
    const timer = setTimeout(() => void begin(), lastKey.current === key ? 0 : TYPING_MS);
    lastKey.current = key;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, round.value]);
  return { found: found.value, at: at.value, refusal: refusal.value, again: () => (round.value += 1) };
}
