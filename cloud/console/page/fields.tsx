/** Fields of forms: single ones, those of a form by its keys, and those whose value stands in the address. */
import type { ComponentProps, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Check, Choice, Field, type FieldProps, Note, type Option, TextArea } from '../../../shared/page/fields.js';
import type { FieldFaults } from '../wording/field-faults.js';
import { requiredFault } from '../wording/form-checks.js';
import { showSame } from '../wording/lot-time.js';
import { ownTimezone, words } from './browser.js';
import { queryOf, setQuery } from './place.js';

export { Check, Choice, Field, type Option, TextArea } from '../../../shared/page/fields.js';

/**
 * A time at a lot, typed by the lot's clocks. Where the person's clocks show another time, the field says whose are meant.
 * @param props.value as `<input type=datetime-local>` has it
 */
export function LotTimeField({ timezone, hint, ...field }: FieldProps & { timezone: string }) {
  const whose = showSame(Date.now(), timezone, ownTimezone) ? undefined : words.forms.lotTime(timezone);
  const said = [hint, whose].filter((each) => each !== undefined).join(' ');
  return <Field {...field} type="datetime-local" hint={said} />;
}

/** Things as options of a choice, by their ids. @param none what the empty option says; left out: there is no such option */
export const named = (things: readonly { id: number; name: string }[], none?: string): Option[] => [
  ...(none === undefined ? [] : [{ value: '', text: none }]),
  ...things.map(({ id, name }) => ({ value: String(id), text: name })),
];

/** Words as options of a choice, by their keys. @param keys which of them, and in which order; left out: all */
export function worded(
  texts: Readonly<Record<string, string>> | Readonly<Record<number, string>>,
  keys: readonly string[] = Object.keys(texts),
): Option[] {
  const table = new Map<string, string>(Object.entries(texts));
  return keys.map((value) => ({ value, text: table.get(value) ?? value }));
}

/** Any number of things of a list, by their ids, in the order in which they were chosen. */
export function Checks<Id extends string | number>(props: {
  legend: string;
  options: readonly { id: Id; name: string }[];
  chosen: readonly Id[];
  onChosen: (ids: Id[]) => void;
  fault?: string | undefined;
  hint?: string | undefined;
}) {
  const { legend, options, chosen, onChosen, fault, hint } = props;
  const id = useId();
  return (
    <fieldset aria-describedby={`${id}-note`}>
      <legend>{legend}</legend>
      <div class="choices">
        {options.map((option) => (
          <Check
            key={option.id}
            label={option.name}
            value={chosen.includes(option.id)}
            onValue={(isChosen) =>
              onChosen(isChosen ? [...chosen, option.id] : chosen.filter((each) => each !== option.id))
            }
          />
        ))}
      </div>
      <Note id={id} fault={fault} hint={hint} />
    </fieldset>
  );
}

/** What is wrong with a field that has to be filled in, and is not. */
export const missing = <Name extends string>(name: Name, text: string): FieldFaults<Name> =>
  requiredFault(name, text, words);

type KeyOf<Form, Value> = { [Key in keyof Form]: Value extends Form[Key] ? Key : never }[keyof Form] & string;
type ListKey<Form> = KeyOf<Form, never[]>;
type IdIn<Value> = Value extends readonly (infer Id extends string | number)[] ? Id : never;
/** `as`: what the service calls the field, where that is another name than the form's. */
type Look = { as?: string; hint?: string };

/** The fields of a form, each by its key in the form. Functions and no components: the form knows at once which faults they show. */
export interface FormFields<Form> {
  field: (
    key: KeyOf<Form, string>,
    label: string,
    look?: Look & Pick<ComponentProps<typeof Field>, 'type' | 'inputmode' | 'autocomplete'>,
  ) => JSX.Element;
  area: (key: KeyOf<Form, string>, label: string, look?: Look & { rows?: number }) => JSX.Element;
  /** @param timezone of the lot by whose clocks it is typed */
  time: (key: KeyOf<Form, string>, label: string, timezone: string, look?: Look) => JSX.Element;
  choice: (key: KeyOf<Form, string>, label: string, options: readonly Option[], look?: { as?: string }) => JSX.Element;
  check: (key: KeyOf<Form, boolean>, label: string) => JSX.Element;
  checks: <Key extends ListKey<Form>>(
    key: Key,
    legend: string,
    options: readonly { id: IdIn<Form[Key]>; name: string }[],
    look?: Look,
  ) => JSX.Element;
}

/** The labels of a form's fields by their keys, with a way to put their values into words. */
export type FieldTexts = ReadonlyMap<string, { label: string; textOf: (value: unknown) => string }>;

/**
 * @param faultOf gives what is wrong with a field, by the name that it has in the service
 * @param texts is given the texts of the fields that are shown
 */
export function fieldsOf<Form extends object>(
  form: Form,
  set: (changed: Partial<Form>) => void,
  faultOf: (field: string) => string | undefined,
  texts: { set(key: string, shown: { label: string; textOf: (value: unknown) => string }): unknown } = new Map(),
): FormFields<Form> {
  const put = (key: keyof Form) => (value: unknown) => set({ [key]: value } as Partial<Form>);
  const note = (key: string, label: string, textOf: (value: unknown) => string = String) =>
    texts.set(key, { label, textOf });
  const common = (key: keyof Form & string, { as = key, ...look }: Look) => ({
    ...look,
    value: String(form[key]),
    onValue: put(key),
    fault: faultOf(as),
  });
  return {
    field(key, label, look = {}) {
      note(key, label);
      return <Field label={label} {...common(key, look)} />;
    },
    area(key, label, look = {}) {
      note(key, label);
      return <TextArea label={label} {...common(key, look)} />;
    },
    time(key, label, timezone, look = {}) {
      note(key, label);
      return <LotTimeField label={label} timezone={timezone} {...common(key, look)} />;
    },
    choice(key, label, options, look = {}) {
      note(key, label, (value) => options.find((each) => each.value === value)?.text ?? String(value));
      return <Choice label={label} options={options} {...common(key, look)} />;
    },
    check(key, label) {
      note(key, label, (value) => (value === true ? words.forms.yes : words.forms.no));
      return <Check label={label} value={Boolean(form[key])} onValue={put(key)} />;
    },
    checks(key, legend, options, { as = key, ...look } = {}) {
      const nameOf = (id: unknown) => options.find((each) => each.id === id)?.name ?? `#${String(id)}`;
      note(key, legend, (ids) => (Array.isArray(ids) ? ids.map(nameOf).join(', ') : ''));
      return (
        <Checks
          {...look}
          legend={legend}
          options={options}
          chosen={form[key] as readonly (typeof options)[number]['id'][]}
          onChosen={put(key)}
          fault={faultOf(as)}
        />
      );
    },
  };
}

/** A day of the address; a browser's field for days takes nothing else. */
const dayIn = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

/** A field whose value stands in the address, by its name there. */
export function QueryField({
  name,
  ...look
}: {
  name: string;
  label: string;
  type: 'search' | 'date';
  hint?: string;
  fault?: string;
}) {
  const value = look.type === 'date' ? dayIn(queryOf(name)) : queryOf(name);
  return <Field {...look} value={value} onValue={(next) => setQuery({ [name]: next })} />;
}

/** A choice whose value stands in the address, by its name there. */
export function QueryChoice({ name, ...look }: { name: string; label: string; options: readonly Option[] }) {
  return <Choice {...look} value={queryOf(name)} onValue={(value) => setQuery({ [name]: value })} />;
}

/** The filters of a list that are given. @param rules each with the value that was asked for; empty: none */
export const filterOf = (rules: Readonly<Record<string, string>>): string[] =>
  Object.entries(rules).flatMap(([rule, value]) => (value === '' ? [] : [`${rule}:${value}`]));

/** The days that the address asks for, by the browser's clocks, both included. Milliseconds since 1970; null: no bound. */
export function daysAsked(): { from_ms: number | null; to_ms: number | null } {
  const [from, to] = [dayIn(queryOf('from')), dayIn(queryOf('to'))];
  const end = new Date(`${to}T00:00:00`);
  // Not 24 hours later: a day on which clocks are put back is longer.
  end.setDate(end.getDate() + 1);
  return {
    from_ms: from === '' ? null : Date.parse(`${from}T00:00:00`),
    to_ms: to === '' ? null : end.getTime() - 1,
  };
}

/** The filters of the days that the address asks for. */
export function dayFilters(): string[] {
  const { from_ms, to_ms } = daysAsked();
  const moment = (ms: number | null) => (ms === null ? '' : new Date(ms).toISOString());
  return filterOf({ 'date_from:eq': moment(from_ms), 'date_to:eq': moment(to_ms) });
}

/** The two fields for days, which say when the last one is before the first. */
export function DayFields() {
  const { from_ms, to_ms } = daysAsked();
  const isBackwards = from_ms !== null && to_ms !== null && to_ms < from_ms;
  return (
    <>
      <QueryField name="from" label={words.forms.from} type="date" />
      <QueryField
        name="to"
        label={words.forms.until}
        type="date"
        {...(isBackwards ? { fault: words.forms.endsBefore } : {})}
      />
    </>
  );
}
