/** What is typed into a form, kept until it is sent: over an error, a reload and an expired sign-in. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { drafts } from './browser.js';

/**
 * A form that is as it began keeps no draft: a record that changes meanwhile is shown as it is then.
 * @param initial as which the form begins, and of which keys and types a kept draft must be. @returns the form, and what empties it
 */
export function useDraft<Form extends object>(name: string, initial: Form): [Signal<Form>, () => void] {
  const form = useSignal<Form>(keptDraft(name, initial));
  useEffect(() => {
    // A form in its first state is not kept: the next time it begins with the record as it is then.
    const untouched = JSON.stringify(initial);
    return form.subscribe((value) =>
      JSON.stringify(value) === untouched ? drafts.forget(name) : drafts.write(name, value),
    );
  }, [name]);
  return [
    form,
    () => {
      form.value = initial;
    },
  ];
}

const KEY_BYTES = 16;
/** A key for a POST that is to be done once. `crypto.randomUUID` is missing in pages that came over plain HTTP. */
export const newKey = (): string => crypto.getRandomValues(new Uint8Array(KEY_BYTES)).join('-');

/**
 * The draft of a form that makes something, and the key of its POST. The key is kept with what is typed and is another one as soon as
 * that changes: sent again after its answer was lost, or after a reload, the same form makes the thing once.
 * @returns `key` is asked for when the form is sent
 */
export function useKeyedDraft<Form extends object>(
  name: string,
  initial: Form,
): { form: Form; set: (changed: Partial<Form>) => void; key: () => string; reset: () => void } {
  const [form, resetForm] = useDraft(name, initial);
  const [sent, resetKey] = useDraft(`${name}-key`, { key: '' });
  return {
    form: form.value,
    set(changed) {
      form.value = { ...form.value, ...changed };
      resetKey();
    },
    key() {
      if (sent.value.key === '') sent.value = { key: newKey() };
      return sent.value.key;
    },
    reset() {
      resetForm();
      resetKey();
    },
  };
}

/** Whether something was typed into a form of this name, and not sent. */
export const hasDraft = (name: string): boolean => drafts.read(name) !== null;

function keptDraft<Form extends object>(name: string, initial: Form): Form {
  const found = drafts.read(name);
  if (typeof found !== 'object' || found === null) return initial;
  const given = new Map<string, unknown>(Object.entries(found));
  const kept = Object.entries(initial).map(([key, value]: [string, unknown]) => {
    const other = given.get(key);
    const isAlike = typeof other === typeof value && Array.isArray(other) === Array.isArray(value);
    return [key, isAlike ? other : value];
  });
  return { ...initial, ...Object.fromEntries(kept) };
}

/** The fields that differ. Only these are sent, so that fields which somebody else changed meanwhile stay. */
export function changedOf<Form extends object>(before: Form, after: Form): Partial<Form> {
  const known = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([key, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(known.get(key)),
  );
  // Its entries are those of a form.
  return Object.fromEntries(changed) as Partial<Form>;
}
