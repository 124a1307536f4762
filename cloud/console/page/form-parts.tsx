/** Parts of forms beside single fields, and the form in which a thing is made, changed and deleted. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { faultAt, type Faults, refusalBeside } from '../wording/field-faults.js';
import type { Refusal, ShownCall } from '../wording/sentences.js';
import { words } from './browser.js';
import { hasDraft, useKeyedDraft } from './draft.js';
import { CallShown, controlOf, Dialog, Field, FieldFrame, Question, Refused } from './parts.js';
import { refusalOf } from './session.js';

/** A field of several lines. */
export function TextArea(props: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  rows?: number;
  fault?: string | undefined;
  hint?: string;
}) {
  const { label, value, onValue, rows = 3, fault, hint } = props;
  const id = useId();
  return (
    <FieldFrame id={id} label={label} fault={fault} hint={hint}>
      <textarea
        {...controlOf(id, fault)}
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </FieldFrame>
  );
}

/** Any number of things of a list, by their ids, in the order in which they were chosen. */
export function Checks<Id extends string | number>(props: {
  legend: string;
  options: readonly { id: Id; name: string }[];
  chosen: readonly Id[];
  onChosen: (ids: Id[]) => void;
  fault?: string | undefined;
  hint?: string;
}) {
  const { legend, options, chosen, onChosen, fault, hint } = props;
  const id = useId();
  return (
    <fieldset aria-describedby={`${id}-note`}>
      <legend>{legend}</legend>
      <div class="choices">
        {options.map((option) => (
          <label key={option.id} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(option.id)}
              onChange={(event) =>
                onChosen(
                  event.currentTarget.checked ? [...chosen, option.id] : chosen.filter((each) => each !== option.id),
                )
              }
            />
            {option.name}
          </label>
        ))}
      </div>
      <p id={`${id}-note`} class={fault === undefined ? 'hint' : 'fault'}>
        {fault ?? hint}
      </p>
    </fieldset>
  );
}

export interface EditedForm<Form> {
  form: Form;
  set: (changed: Partial<Form>) => void;
  /** What is wrong with a field, by the name that it has in the service. */
  faultOf: (field: string) => string | undefined;
  /** A field of one line for a text of the form. @param more.as what the service calls it, where that is another name */
  field: (text: TextKey<Form>, label: string, more?: FieldLook & { as?: string }) => JSX.Element;
}

type TextKey<Form> = { [Key in keyof Form]: string extends Form[Key] ? Key : never }[keyof Form] & string;
type FieldLook = Pick<ComponentProps<typeof Field>, 'type' | 'hint' | 'inputmode' | 'autocomplete'>;

interface EditorProps<Form extends object> {
  title: string;
  /** Of its draft. */
  name: string;
  initial: Form;
  /** What can be said before it is sent. */
  faultsOf: (form: Form) => Faults;
  /**
   * Rejects as the client does.
   * @param key of the POST by which a thing is made: the same one until something else is typed
   */
  save: (form: Form, key: string) => Promise<unknown>;
  /** The same, for who wants to do it by a program. */
  callOf: (form: Form) => ShownCall;
  /** The word of the button that saves it, where there is a better one. */
  yes?: string;
  /** A thing that is there already, and is not deleted here. */
  isThere?: boolean;
  /** Of a thing that is there already. */
  remove?: { title: string; what: string; run: () => Promise<unknown> } | null | undefined;
  /** @param told what was done, in a sentence for who works on; empty: nothing */
  onClose: (told: string) => void;
  /** What the thing is called now, for the sentence. */
  nameOf: (form: Form) => string;
  children: (shown: EditedForm<Form>) => ComponentChildren;
  /** What stands below the form and is no part of it. */
  beside?: ComponentChildren;
}

/**
 * A thing is made or changed. Faults stand at their fields once it was tried to save it; what is typed stays until it is saved or given up by
 * name: closing the dialog otherwise keeps it.
 */
export function Editor<Form extends object>(props: EditorProps<Form>) {
  const { title, name, initial, save, remove, onClose, nameOf } = props;
  const wasKept = useSignal(hasDraft(name));
  const { form: given, set: change, key, reset } = useKeyedDraft(name, initial);
  const shown = useRef<HTMLFormElement>(null);
  // Not what stands above the form: Enter there would throw the draft away.
  useEffect(() => shown.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), []);
  const isTried = useSignal(false);
  const isBusy = useSignal(false);
  const isAsking = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const faults = isTried.value ? props.faultsOf(given) : {};
  const asked = new Set<string>();
  const faultOf = (field: string) => {
    asked.add(field);
    return faults[field] ?? faultAt(refusal.value, field, words);
  };
  const set = (changed: Partial<Form>) => {
    change(changed);
    refusal.value = null;
  };
  const run = async (work: () => Promise<unknown>, told: string) => {
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      await work();
      reset();
      onClose(told);
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    isTried.value = true;
    if (Object.keys(props.faultsOf(given)).length === 0)
      void run(() => save(given, key()), words.forms.saved(nameOf(given)));
  };
  // Before what is left of the refusal is known, the fields say which faults they show.
  const fields = props.children({
    form: given,
    set,
    faultOf,
    field: (text, label, { as = text, ...look } = {}) => (
      <Field
        {...look}
        label={label}
        value={String(given[text])}
        onValue={(value) => set({ [text]: value } as unknown as Partial<Form>)}
        fault={faultOf(as)}
      />
    ),
  });
  const isNew = !remove && props.isThere !== true;
  return (
    <>
      <Dialog title={title} class="editor" onClose={() => onClose('')}>
        {wasKept.value && (
          <Kept
            onDiscard={() => {
              wasKept.value = false;
              reset();
            }}
          />
        )}
        <form ref={shown} class="editor-form" noValidate onSubmit={submit} aria-label={title}>
          {fields}
          <Refused refusal={refusalBeside(refusal.value, asked)} />
          <div class="buttons">
            <button type="submit" class="main" aria-disabled={isBusy.value}>
              {props.yes ?? (isNew ? words.forms.create : words.forms.save)}
            </button>
            <button
              type="button"
              onClick={() => {
                reset();
                onClose('');
              }}
            >
              {words.cancel}
            </button>
            {remove && (
              <button type="button" class="apart" onClick={() => (isAsking.value = true)}>
                {words.forms.delete}
              </button>
            )}
          </div>
        </form>
        {props.beside}
        <CallShown call={props.callOf(given)} />
      </Dialog>
      {isAsking.value && remove && (
        <Question
          title={remove.title}
          yes={words.forms.delete}
          onNo={() => (isAsking.value = false)}
          onYes={() => {
            isAsking.value = false;
            void run(remove.run, words.forms.deleted(nameOf(initial)));
          }}
        >
          <p>{remove.what}</p>
        </Question>
      )}
    </>
  );
}

function Kept({ onDiscard }: { onDiscard: () => void }) {
  return (
    <p class="notice kept" role="status">
      {words.forms.kept}{' '}
      <button type="button" class="small" onClick={onDiscard}>
        {words.forms.discard}
      </button>
    </p>
  );
}

/** @param id of a thing that is changed; undefined: it is made */
export const callFor = (path: string, id: number | undefined, body: unknown): ShownCall =>
  id === undefined ? { method: 'POST', path, body } : { method: 'PATCH', path: `${path}/${id}`, body };

/** What was done, told to screen readers as well. */
export function Told({ text }: { text: string }) {
  return (
    <p role="status" class={text === '' ? 'untold' : 'notice good'}>
      {text}
    </p>
  );
}
