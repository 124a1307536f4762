/** A form on its way to the service: once at a time, and what is wrong with it stands at its fields. */
import { useSignal } from '@preact/signals';
import { type FieldFaults, faultsOf, refusalBeside } from '../wording/field-faults.js';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { type CallToMake, type MadeCall, useMadeCalls } from './made-calls.js';
import { refusalOf } from './session.js';

export interface Sending<Name extends string> {
  isBusy: boolean;
  /** By the names of the form's fields. */
  faults: FieldFaults<Name>;
  /** What is wrong beside the fields. */
  refusal: Refusal | null;
  /** What was done last, for who wants to do it by a program. */
  made: readonly MadeCall[];
  /**
   * Sends unless something can be said to be wrong before.
   * @param what the call that `work` makes, where it is shown once it was made
   * @returns whether it was taken
   */
  send(work: () => Promise<unknown>, what?: CallToMake): Promise<boolean>;
  /** Makes one call after the other, up to the first that is refused. */
  sendAll(calls: readonly (CallToMake & { work: () => Promise<unknown> })[]): Promise<boolean>;
  /** Forgets what was wrong. */
  clear(): void;
}

/**
 * @param fields names of the form's fields, as the service calls them
 * @param check what is wrong before anything is sent; it speaks only after the first try, so that nobody is told off while typing
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
      refusal.value = refusalOf(error);
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
    clear() {
      isTried.value = false;
      refusal.value = null;
    },
  };
}
