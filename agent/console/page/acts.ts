/** Runs a person's actions and follows how they go: one at a time for each key, such as a product. */
import { signal } from '@preact/signals';
import { ApiProblem, askJson, problemSentence } from './api.js';
import { words } from './browser.js';
import { lookNow, present } from './view-store.js';

interface Act {
  state: 'busy' | 'done' | 'failed';
  sentence: string;
}

const acts = signal<ReadonlyMap<string, Act>>(new Map());

export const actOf = (key: string): Act | undefined => acts.value.get(key);
export const isBusy = (key: string): boolean => actOf(key)?.state === 'busy';

const note = (key: string, next: Act) => void (acts.value = new Map(acts.value).set(key, next));

/** A success says nothing about later. */
const DONE_SHOWN_MS = 30_000;
/** How long a product may take to move. */
const MOVED_WITHIN_MS = 90_000;

/**
 * Sends one call and tells how it goes. Nothing is sent a second time, or later.
 * @param of.done what is said of a success: of its answer, or the reason why it is none
 */
export async function act<Answer>(
  key: string,
  path: string,
  body: object,
  of: {
    busy: string;
    done: (answer: Answer) => string | { failed: string };
    failed?: (why: string, status: number | null) => string;
  },
): Promise<boolean> {
  if (isBusy(key)) return false;
  note(key, { state: 'busy', sentence: of.busy });
  try {
    if (!navigator.onLine) throw new ApiProblem(0, []);
    const answer = await askJson<Answer>(path, { method: 'POST', body, withinMs: MOVED_WITHIN_MS, signal: present() });
    const said = of.done(answer);
    if (typeof said !== 'string') return failed(key, said.failed);
    const done = { state: 'done', sentence: said } as const;
    note(key, done);
    setTimeout(() => actOf(key) === done && forgetAct(key), DONE_SHOWN_MS);
    return true;
  } catch (error) {
    const why = problemSentence(error);
    return failed(
      key,
      of.failed === undefined ? why : of.failed(why, error instanceof ApiProblem ? error.status : null),
    );
  } finally {
    void lookNow();
  }
}

function failed(key: string, sentence: string): false {
  note(key, { state: 'failed', sentence });
  return false;
}

function forgetAct(key: string): void {
  const others = new Map(acts.value);
  others.delete(key);
  acts.value = others;
}

/** As the gateway answers what is asked of one product. */
export interface OperationAnswer {
  is_done: boolean;
  /** The reason of `gateway_error`. */
  type?: number | null;
  problem: string | null;
}

/** Why a product did not do it: by the type of its error where there is one, in the person's language. */
export function failureOf({ type, problem }: OperationAnswer): string {
  const { failures, unknownFailure } = words();
  return failures[String(type)] ?? problem ?? unknownFailure;
}
