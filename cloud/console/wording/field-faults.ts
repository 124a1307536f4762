/** What the service says about the fields of a form. */
import type { ConsoleWords } from './en.js';
import type { Refusal } from './sentences.js';
import { serviceSentence } from './service-sentences.js';

/** A fault by the field that has it, as the service calls fields: `receivers.0.receiver_email`. */
export type Faults = Readonly<Record<string, string>>;

const isWithin = (field: string, parent: string): boolean => field === parent || field.startsWith(`${parent}.`);

/** What is wrong with a field, or with a part of it; undefined: nothing. */
export function faultAt(refusal: Refusal | null, field: string, words: ConsoleWords): string | undefined {
  const found = refusal?.errors.find((each) => each.field !== undefined && isWithin(each.field, field));
  return found === undefined ? undefined : saidInWords(found.message, words);
}

/** What the service says, in the person's language where there are words for it. */
export const saidInWords = (message: string, { forms }: ConsoleWords): string =>
  serviceSentence(message, forms.service);

/** The refusal without what stands at fields already; null: nothing is left. */
export function refusalBeside(refusal: Refusal | null, fields: Iterable<string>): Refusal | null {
  if (refusal === null || refusal.errors.length === 0) return refusal;
  const shown = [...fields];
  const errors = refusal.errors.filter(
    ({ field }) => field === undefined || !shown.some((each) => isWithin(field, each)),
  );
  return errors.length === 0 ? null : { status: refusal.status, errors };
}

/** By the field's name, in words. */
export type FieldFaults<Name extends string> = { [Each in Name]?: string };

/** The sentences about the form's own fields. @param fields as the service calls them */
export function faultsOf<Name extends string>(
  refusal: Refusal | null,
  fields: readonly Name[],
  words: ConsoleWords,
): FieldFaults<Name> {
  const faults: FieldFaults<Name> = {};
  for (const { field, message } of refusal?.errors ?? []) {
    const name = fields.find((each) => field !== undefined && isWithin(field, each));
    if (name === undefined) continue;
    const before = faults[name];
    const said = saidInWords(message, words);
    faults[name] = before === undefined ? said : `${before} ${said}`;
  }
  return faults;
}
