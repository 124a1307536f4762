/** Forms as a whole: one that is sent as it stands, and the editor in which a thing is made, changed and deleted. */
import type { components, paths } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { faultAt, type Faults, type FieldFaults, refusalBeside } from '../wording/field-faults.js';
import type { ShownCall } from '../wording/sentences.js';
import { words } from './browser.js';
import { changedOf, hasDraft, useKeyedDraft } from './draft.js';
import { fieldsOf, type FormFields } from './fields.js';
import type { CallToMake } from './made-calls.js';
import { Button, CallShown, Dialog, Question, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { type Sending, useSending } from './sending.js';
import { client } from './session.js';

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
        {onCancel && <Button word={words.cancel} onClick={onCancel} />}
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

export interface EditedForm<Form> extends FormFields<Form> {
  form: Form;
  set: (changed: Partial<Form>) => void;
  /** What is wrong with a field, by the name that it has in the service. */
  faultOf: (field: string) => string | undefined;
}

/** The lists whose things are made and changed in an `Editor`. */
type EditedList =
  | '/v2/groups'
  | '/v2/license-plate-alerts'
  | '/v2/lots'
  | '/v2/lpr-cameras'
  | '/v2/members'
  | '/v2/parking-places'
  | '/v2/products'
  | '/v2/rgb-display-rules'
  | '/v2/rgb-displays'
  | '/v2/zones';

type BodyAt<Path extends EditedList | `${EditedList}/{id}`, Method extends 'post' | 'patch'> =
  paths[Path] extends Record<Method, { requestBody?: { content: { 'application/json': infer Body extends object } } }>
    ? Body
    : never;

interface EditorProps<Form extends { name: string }, List extends EditedList> {
  /** In which the thing stands. */
  list: List;
  /** null, undefined: a new one is made. */
  thing: { id: number } | null | undefined;
  title: string;
  /** Name of the form's draft. */
  draft: string;
  initial: Form;
  /** The faults that are known before it is sent. */
  faultsOf: (form: Form) => Faults;
  /** The whole thing, as the service takes it. */
  bodyOf: (form: Form) => BodyAt<List, 'post'>;
  /** What is sent of a thing that is changed; left out: what differs from its whole body before. */
  changeOf?: (form: Form) => BodyAt<`${List}/{id}`, 'patch'>;
  /** What the call that is shown has instead of a secret. */
  hide?: (body: object) => object;
  /** The word of the button that saves it, where there is a better one. */
  yes?: string;
  /** Asked before the thing is deleted; left out: it is not deleted here. */
  remove?: { title: string; what: string } | false | undefined;
  /** The words for a warning of the service, which stand beside what was done; left out: there are none. */
  warningOf?: (warning: Warning, form: Form) => string;
  /** Done after it was saved or deleted, before the editor closes. Rejects as the client does. */
  after?: (form: Form) => unknown;
  /** @param notice what was done, in a sentence for the person; empty: nothing */
  onClose: (notice: string) => void;
  children: (edited: EditedForm<Form>) => ComponentChildren;
  /** What stands below the form and is no part of it. */
  beside?: ComponentChildren;
}

/** The state of an editor's form, and the ways in which it ends. */
function useEdited<Form extends { name: string }, List extends EditedList>(props: EditorProps<Form, List>) {
  const { list, thing, initial, bodyOf, changeOf, faultsOf, after, onClose } = props;
  const { form, set: change, key, reset } = useKeyedDraft(props.draft, initial);
  const saving = useSending<string>([], () => faultsOf(form));
  const removing = useSending([]);
  const refusal = saving.refusal ?? removing.refusal;
  const bodyNow = (): object => {
    if (!thing) return bodyOf(form);
    return changeOf?.(form) ?? changedOf(bodyOf(initial), bodyOf(form));
  };
  const send = (): Promise<{ warnings: readonly Warning[] }> => {
    // It is one of this list: `bodyOf` and `changeOf` have to give such a one.
    const body = bodyNow() as never;
    return thing
      ? client().request('patch', `${list}/{id}` as `${EditedList}/{id}`, { path: { id: thing.id }, body })
      : client().request('post', list as EditedList, { body, idempotencyKey: key() });
  };
  const finish = async (
    sending: Sending<string>,
    work: () => Promise<{ warnings: readonly Warning[] }>,
    notice: string,
  ) => {
    let said: string[] = [];
    const isDone = await sending.send(async () => {
      const { warnings } = await work();
      said = warnings.flatMap((each) => props.warningOf?.(each, form) ?? []);
      await after?.(form);
    });
    if (!isDone) return;
    reset();
    onClose([notice, ...said].join(' '));
  };
  /** The fields whose faults are shown at them. */
  const shown = new Set<string>();
  const faultOf = (field: string): string | undefined => {
    shown.add(field);
    return saving.faults[field] ?? faultAt(refusal, field, words);
  };
  const set = (changed: Partial<Form>) => {
    change(changed);
    saving.forgive();
    removing.forgive();
  };
  return {
    edited: { form, set, faultOf, ...fieldsOf(form, set, faultOf) },
    isBusy: saving.isBusy || removing.isBusy,
    refusalBeside: () => refusalBeside(refusal, shown),
    call: callFor(list, thing?.id, (props.hide ?? ((body) => body))(bodyNow())),
    reset,
    save: () => finish(saving, send, words.forms.saved(form.name)),
    destroy: (id: number) =>
      finish(
        removing,
        () => client().request('delete', `${list}/{id}` as `${EditedList}/{id}`, { path: { id } }),
        words.forms.deleted(initial.name),
      ),
  };
}

/**
 * A thing is made, changed or deleted. Faults stand at their fields once it was tried to save it; what is typed stays until it is saved or
 * given up by its button: closing the dialog otherwise keeps it.
 */
export function Editor<Form extends { name: string }, List extends EditedList>(props: EditorProps<Form, List>) {
  const { title, draft, thing, remove, onClose } = props;
  const wasKept = useSignal(hasDraft(draft));
  const { edited, isBusy, call, reset, save, destroy, ...own } = useEdited(props);
  const shown = useRef<HTMLFormElement>(null);
  // Not what stands above the form: Enter there would throw the draft away.
  useEffect(() => shown.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), []);
  const isAsking = useSignal(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save();
  };
  const discard = () => {
    wasKept.value = false;
    reset();
  };
  const cancel = () => {
    reset();
    onClose('');
  };
  const yes = () => {
    isAsking.value = false;
    if (thing) void destroy(thing.id);
  };
  // Before what is left of the refusal is known, the fields say which faults they show.
  const fields = props.children(edited);
  return (
    <>
      <Dialog title={title} class="editor" onClose={() => onClose('')}>
        {wasKept.value && (
          <p class="notice kept" role="status">
            {words.forms.kept} <Button look="small" word={words.forms.discard} onClick={discard} />
          </p>
        )}
        <form ref={shown} class="editor-form" noValidate onSubmit={submit} aria-label={title}>
          {fields}
          <Refused refusal={own.refusalBeside()} />
          <div class="buttons">
            <Button look="main" word={props.yes ?? (thing ? words.forms.save : words.forms.create)} isBusy={isBusy} />
            <Button word={words.cancel} onClick={cancel} />
            {thing && remove && (
              <Button look="apart" word={words.forms.delete} onClick={() => (isAsking.value = true)} />
            )}
          </div>
        </form>
        {props.beside}
        <CallShown call={call} />
      </Dialog>
      {isAsking.value && remove && (
        <Question title={remove.title} yes={words.forms.delete} onNo={() => (isAsking.value = false)} onYes={yes}>
          <p>{remove.what}</p>
        </Question>
      )}
    </>
  );
}

/** @param id of a thing that is changed; undefined: it is made */
export const callFor = (path: string, id: number | undefined, body: unknown): ShownCall =>
  id === undefined ? { method: 'POST', path, body } : { method: 'PATCH', path: `${path}/${id}`, body };

/**
 * Which thing of a list is edited, as the address names it: by its id, or `new`.
 * @param things null: they have not been read
 * @param again reads the list anew, once the editor has closed
 */
export function useEdit<Thing extends { id: number }>(things: readonly Thing[] | null, again: () => void) {
  const notice = useSignal('');
  const edit = queryOf('edit');
  const thing = things?.find(({ id }) => String(id) === edit) ?? null;
  return {
    isOpen: edit === 'new' || thing !== null,
    thing,
    notice: notice.value,
    onClose: (said: string) => {
      setQuery({ edit: '' });
      notice.value = said;
      again();
    },
  };
}
