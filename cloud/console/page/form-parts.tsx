/** Forms as a whole, which are sent as they stand. The one in which a thing is made, changed and deleted is in `editor.tsx`. */
import type { components } from '@parking-gateway/client';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Faults, FieldFaults } from '../wording/field-faults.js';
import type { ShownCall } from '../wording/sentences.js';
import { words } from './browser.js';
import { useKeyedDraft } from './draft.js';
import { fieldsOf } from './fields.js';
import type { CallToMake } from './made-calls.js';
import { Button, CallShown, Refused } from './parts.js';
import { type Sending, useSending } from './sending.js';

/** A warning of something that the service did. */
export type Warning = components['schemas']['Warning'];

/** Stands for a secret in the call that is shown. */
export const HIDDEN = '…';

export interface SentFormProps {
  sending: Pick<Sending<string>, 'isBusy' | 'refusal'>;
  onSend: () => unknown;
  /** The word of the button that sends it. */
  yes: string;
  class: string;
  /** Its heading; left out: it has none. */
  title?: string;
  /** What it is called for who does not see the heading. */
  label?: string;
  /** What came of the last sending. */
  outcome?: ComponentChildren;
  isMain?: boolean;
  onCancel?: () => void;
  /** Where there is a better word than `Cancel`. */
  cancel?: string;
  call: ShownCall;
  /** The fields. */
  children: ComponentChildren;
}

/** A form: its fields, what is wrong beside them, what came of it, its buttons, and the call that it makes. */
export function SentForm(props: SentFormProps) {
  const { sending, yes, title, label, isMain = true, onCancel } = props;
  const id = useId();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    props.onSend();
  };
  return (
    <form class={props.class} noValidate onSubmit={send} aria-label={label} aria-labelledby={title && id}>
      {title !== undefined && <h2 id={id}>{title}</h2>}
      {props.children}
      <Refused refusal={sending.refusal} />
      {props.outcome}
      <div class="buttons">
        <Button look={isMain ? 'main' : undefined} word={yes} isBusy={sending.isBusy} />
        {onCancel && <Button word={props.cancel ?? words.cancel} onClick={onCancel} />}
      </div>
      <CallShown call={props.call} />
    </form>
  );
}

/**
 * A form with its draft, which is kept until the form was sent.
 * @param name of the draft
 * @param fields names of the form's fields, as the service calls them
 * @param check what is wrong with the form before it is sent
 * @param onTyped called when the person types, to remove the message about the last sending
 */
export function useForm<Form extends object, Name extends string>(
  name: string,
  initial: Form,
  fields: readonly Name[],
  check: (form: Form) => FieldFaults<NoInfer<Name>> = () => ({}),
  onTyped: () => void = () => undefined,
) {
  const { form, set: change, key, reset } = useKeyedDraft(name, initial);
  const set = (changed: Partial<Form>) => {
    change(changed);
    onTyped();
  };
  const sending = useSending(fields, () => check(form));
  const faultOf = (field: string): string | undefined => (sending.faults as Partial<Faults>)[field];
  /** Sends the form as `useSending` does, and empties it once it was taken. */
  const submit = async (work: () => Promise<unknown>, what?: CallToMake): Promise<boolean> => {
    const isAccepted = await sending.send(work, what);
    if (isAccepted) reset();
    return isAccepted;
  };
  return { form, set, key, reset, sending, submit, ...fieldsOf(form, set, faultOf) };
}

/** @param id of a thing that is changed; undefined: it is made */
export const callFor = (path: string, id: number | undefined, body: unknown): ShownCall =>
  id === undefined ? { method: 'POST', path, body } : { method: 'PATCH', path: `${path}/${id}`, body };
