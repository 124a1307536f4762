/** Reads data for one view: once, and again on request. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askJson, problemSentence } from './api.js';

export interface Asked<Answer> {
  /** null: it is not there yet. */
  answer: Signal<Answer | null>;
  /** Why it is not there; null: no problem. */
  problem: Signal<string | null>;
  again: () => Promise<void>;
}

/** @param path null: nothing is asked */
export function useAsked<Answer>(path: string | null): Asked<Answer> {
  const answer = useSignal<Answer | null>(null);
  const problem = useSignal<string | null>(null);
  const newest = useSignal(0);
  const again = async () => {
    if (path === null) return;
    const own = ++newest.value;
    try {
      const got = await askJson<Answer>(path);
      if (own !== newest.value) return;
      answer.value = got;
      problem.value = null;
    } catch (error) {
      if (own === newest.value) problem.value = problemSentence(error);
    }
  };
  useEffect(() => {
    void again();
  }, [path]);
  return { answer, problem, again };
}
