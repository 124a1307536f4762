/** Sends a form to the service, once at a time, and gives the faults for its fields. */
import { useSignal } from '@preact/signals';
import { faultsOf, type FieldFaults, refusalBeside } from '../wording/field-faults.js';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { type CallToMake, type MadeCall, useMadeCalls } from './made-calls.js';
import { loadServiceWords } from './rare-words.js';
import { refusalOf } from './session.js';

export interface Sending<Name extends string> {
  isBusy: boolean;
  /** By the names of the form's fields. */
  faults: FieldFaults<Name>;
  /** What the service refused, without the faults that stand at fields; null: nothing. */
  refusal: Refusal | null;
  /** The calls of the last sending, shown to people who want to make them by a program. */
  made: readonly MadeCall[];
  /**
   * Sends, unless `check` finds a fault or a sending is under way.
   * @param what the call that `work` makes; left out: it is not shown afterwards
   * @returns whether it was taken
   */
  send(work: () => Promise<unknown>, what?: CallToMake): Promise<boolean>;
  /** Makes one call after the other, up to the first that is refused. */
  sendAll(calls: readonly (CallToMake & { work: () => Promise<unknown> })[]): Promise<boolean>;
  /** Removes the refusal of the service, because the person types something else. */
  forgive(): void;
}

/**
 * @param fields names of the form's fields, as the service calls them
 * @param check the faults that are known before sending. They are shown only after the first try, not while the person types.
 */
export function useSending<Name extends string>(
  fields: readonly Name[],
  check: () => FieldFaults<Name> = () => ({}),
): Sending<Name> {
  const isTried = useSignal(false);
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const calls = useMadeCalls();
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    isTried.value = true;
    if (isBusy.value || Object.keys(check()).length > 0) return false;
    isBusy.value = true;
    refusal.value = null;
    calls.forget();
    try {
      await work();
      isTried.value = false;
      return true;
    } catch (error) {
      const refused = refusalOf(error);
      // Its words come after the first view: a form that is refused before waits for them.
      if (refused.errors.length > 0) await loadServiceWords().catch(() => undefined);
      refusal.value = refused;
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return {
    isBusy: isBusy.value,
    faults: { ...faultsOf(refusal.value, fields, words), ...(isTried.value ? check() : {}) },
    refusal: refusalBeside(refusal.value, fields),
    made: calls.list,
    send: (work, what) => run(() => (what === undefined ? work() : calls.make(what, work))),
    sendAll: (each) =>
      run(async () => {
        for (const { work, ...what } of each) await calls.make(what, work);
      }),
    forgive() {
      refusal.value = null;
    },
  };
}
