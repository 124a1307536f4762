/** The editor in which a thing of a list is made, changed and deleted, also while somebody else changes it. */
import type { paths } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { faultAt, type Faults, refusalBeside } from '../wording/field-faults.js';
import { words } from './browser.js';
import { changedOf, hasDraft, useKeyedDraft } from './draft.js';
import { fieldsOf, type FieldTexts, type FormFields } from './fields.js';
import { callFor, type Warning } from './form-parts.js';
import { OthersEditPart } from './others-edit-part.js';
import { Button, CallShown, Dialog, Question, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { type Sending, useSending } from './sending.js';
import { client } from './session.js';
import { useVersion } from './use-version.js';

export interface EditedForm<Form> extends FormFields<Form> {
  form: Form;
  set: (changed: Partial<Form>) => void;
  /** What is wrong with a field, by the name that it has in the service. */
  faultOf: (field: string) => string | undefined;
}

/** The lists whose things are made and changed in an `Editor`. */
type EditedList =
  | '/v2/gateways'
  | '/v2/groups'
  | '/v2/license-plate-alerts'
  | '/v2/lots'
  | '/v2/lpr-cameras'
  | '/v2/members'
  | '/v2/parking-gateways'
  | '/v2/parking-places'
  | '/v2/products'
  | '/v2/rgb-display-rules'
  | '/v2/rgb-displays'
  | '/v2/terminals'
  | '/v2/zones';

type BodyAt<Path extends EditedList | `${EditedList}/{id}`, Method extends 'post' | 'patch'> =
  paths[Path] extends Record<Method, { requestBody?: { content: { 'application/json': infer Body extends object } } }>
    ? Body
    : never;

interface EditorProps<Form extends { name: string }, List extends EditedList, Thing extends { id: number }> {
  /** In which the thing stands. */
  list: List;
  /** null, undefined: a new one is made. */
  thing: Thing | null | undefined;
  title: string;
  /** Name of the form's draft. */
  draft: string;
  /** The form of a thing; null: as which a new one begins. */
  formOf: (thing: Thing | null) => Form;
  /** The faults that are known before it is sent. */
  faultsOf: (form: Form) => Faults;
  /** The whole thing, as the service takes it; left out: none is made here. */
  bodyOf?: (form: Form) => BodyAt<List, 'post'>;
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

const pathIn = (list: EditedList) => `${list}/{id}` as `${EditedList}/{id}`;

/** The version of the thing from which the form began. */
function useEditedVersion<Form extends object, Thing extends { id: number }>(edited: {
  list: EditedList;
  thing: Thing | null | undefined;
  formOf: (thing: Thing | null) => Form;
  initial: Form;
  form: Form;
  set: (form: Form) => void;
}) {
  const { list, thing, formOf, initial, form, set } = edited;
  return useVersion<Form>({
    target: thing ? `${nounOf(list)} ${thing.id}` : null,
    form,
    base: initial,
    set,
    async read(signal) {
      const call = { path: { id: thing?.id ?? 0 }, ...(signal && { signal }) };
      const { data, etag } = await client().request('get', pathIn(list), call);
      return { record: data, etag };
    },
    // GET by id answers what the list does.
    formOf: (record) => formOf(record as Thing),
  });
}

interface Warned {
  warnings: readonly Warning[];
}

/** The state of an editor's form, and the ways in which it ends. */
function useEdited<Form extends { name: string }, List extends EditedList, Thing extends { id: number }>(
  props: EditorProps<Form, List, Thing>,
) {
  const { list, thing, formOf, bodyOf = () => ({}), changeOf, faultsOf, after, onClose } = props;
  const initial = formOf(thing ?? null);
  const { form, set: change, key, reset } = useKeyedDraft(props.draft, initial);
  const path = pathIn(list);
  const version = useEditedVersion({ ...props, initial, form, set: change });
  const saving = useSending<string>([], () => faultsOf(form));
  const removing = useSending([]);
  const refused = saving.refusal ?? removing.refusal;
  // What the other saved is said in its place.
  const refusal = refused?.status === WAS_CHANGED && version.others !== null ? null : refused;
  const bodyOfNow = (now: Form): object => {
    if (!thing) return bodyOf(now);
    return changeOf?.(now) ?? changedOf(bodyOf(initial), bodyOf(now));
  };
  // It is one of this list: `bodyOf` and `changeOf` have to give such a one.
  const send = (): Promise<Warned> =>
    thing
      ? version.send((now, ifMatch) =>
          client().request('patch', path, { path: { id: thing.id }, body: bodyOfNow(now) as never, ...ifMatch }),
        )
      : client().request('post', list as EditedList, { body: bodyOfNow(form) as never, idempotencyKey: key() });
  const finish = async (sending: Sending<string>, work: () => Promise<Warned>, notice: string) => {
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
  const texts = new Map<string, { label: string; textOf: (value: unknown) => string }>();
  return {
    edited: { form, set, faultOf, ...fieldsOf(form, set, faultOf, texts) },
    others: version.others,
    texts: texts as FieldTexts,
    isBusy: saving.isBusy || removing.isBusy,
    refusalBeside: () => refusalBeside(refusal, shown),
    call: callFor(list, thing?.id, (props.hide ?? ((body) => body))(bodyOfNow(form))),
    reset,
    save: () => finish(saving, send, words.forms.saved(form.name)),
    destroy: (id: number) =>
      finish(
        removing,
        () => version.send((_, ifMatch) => client().request('delete', path, { path: { id }, ...ifMatch })),
        words.forms.deleted(initial.name),
      ),
  };
}

const WAS_CHANGED = 412;

/** What the audit log calls a thing of a list: `/v2/lpr-cameras` has an `lpr camera`. */
const nounOf = (list: EditedList): string => list.slice('/v2/'.length, -1).replaceAll('-', ' ');

/**
 * A thing is made, changed or deleted. Faults stand at their fields once it was tried to save it; what is typed stays until it is saved or
 * given up by its button: closing the dialog otherwise keeps it.
 */
export function Editor<Form extends { name: string }, List extends EditedList, Thing extends { id: number }>(
  props: EditorProps<Form, List, Thing>,
) {
  const { title, draft, thing, remove, onClose } = props;
  const wasKept = useSignal(hasDraft(draft));
  const { edited, others, texts, isBusy, call, reset, save, destroy, ...own } = useEdited(props);
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
          {others !== null && <OthersEditPart others={others} form={edited.form} set={edited.set} texts={texts} />}
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
