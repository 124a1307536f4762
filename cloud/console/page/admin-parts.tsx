/** Small parts of the views in which devices and the account are looked after. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Refusal, ShownCall } from '../wording/sentences.js';
import { words } from './browser.js';
import { useDraft } from './draft.js';
import type { LongList } from './long-list.js';
import { CallShown, CopyButton, Dialog, Empty, Field, Question, Refused, SmallButton } from './parts.js';
import { type Sending, useSending } from './sending.js';
import { refusalOf } from './session.js';

/** A button that asks before it does what cannot be taken back. The question stays, with the reason, when the service refuses. */
export function AskButton(props: {
  label: string;
  /** About which thing: for who hears the buttons one after the other. */
  about: string;
  title: string;
  what: string;
  onYes: () => Promise<unknown>;
  /** What is asked of the service then. */
  call: ShownCall;
  isDanger?: boolean;
}) {
  const { label, about, title, what, onYes, call, isDanger = true } = props;
  const isAsking = useSignal(false);
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const close = () => {
    isAsking.value = false;
    refusal.value = null;
  };
  const yes = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      await onYes();
      close();
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  return (
    <>
      <SmallButton word={label} about={about} onClick={() => (isAsking.value = true)} />
      {isAsking.value && (
        <Question
          title={title}
          yes={label}
          isDanger={isDanger}
          isBusy={isBusy.value}
          onYes={() => void yes()}
          onNo={close}
          call={call}
        >
          <p>{what}</p>
          <Refused refusal={refusal.value} />
        </Question>
      )}
    </>
  );
}

/** A thing's name, changed in its place. */
export function RenameButton(props: {
  draft: string;
  name: string;
  /** Of the thing: `/v2/gateways/3` */
  path: string;
  onName: (name: string) => Promise<unknown>;
}) {
  const { draft, name, path, onName } = props;
  const isOpen = useSignal(false);
  return (
    <>
      <SmallButton word={words.admin.rename} about={name} onClick={() => (isOpen.value = true)} />
      {isOpen.value && (
        <Dialog title={words.admin.renameTitle(name)} onClose={() => (isOpen.value = false)}>
          <Rename draft={draft} name={name} path={path} onName={onName} onDone={() => (isOpen.value = false)} />
        </Dialog>
      )}
    </>
  );
}

/** The name and the end of a device. */
export function RenameOrDelete(props: {
  /** Of the name that is typed. */
  draft: string;
  name: string;
  /** Of the thing: `/v2/gateways/3` */
  path: string;
  onName: (name: string) => Promise<unknown>;
  /** What is lost with it. */
  deleteWhat: string;
  onDelete: () => Promise<unknown>;
  /** Buttons between the two. */
  children?: ComponentChildren;
}) {
  const { name, path, deleteWhat, onDelete, children, ...renamed } = props;
  return (
    <>
      <RenameButton {...renamed} name={name} path={path} />
      {children}
      <AskButton
        label={words.admin.delete}
        about={name}
        title={words.admin.deleteTitle(name)}
        what={deleteWhat}
        call={{ method: 'DELETE', path }}
        onYes={onDelete}
      />
    </>
  );
}

function Rename(props: {
  draft: string;
  name: string;
  path: string;
  onName: (name: string) => Promise<unknown>;
  onDone: () => void;
}) {
  const [form, reset] = useDraft(props.draft, { name: props.name });
  const { name } = form.value;
  const sending = useSending(['name'], () => (name.trim() === '' ? { name: words.signIn.missing } : {}));
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(await sending.send(() => props.onName(name)))) return;
    reset();
    props.onDone();
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void save(event)}>
      <Field
        label={words.admin.name}
        value={name}
        onValue={(value) => (form.value = { name: value })}
        fault={sending.faults.name}
      />
      <Refused refusal={sending.refusal} />
      <SaveOrCancel
        isBusy={sending.isBusy}
        onCancel={() => {
          reset();
          props.onDone();
        }}
      />
      <CallShown call={{ method: 'PATCH', path: props.path, body: { name } }} />
    </form>
  );
}

/** A form by which something is added, folded away until it is wanted. */
export function AddingForm(props: {
  label: string;
  /** Begins as open where there is a draft. */
  isOpen: Signal<boolean>;
  sending: Pick<Sending<string>, 'isBusy' | 'refusal'>;
  /** What it asks of the service. */
  call: ShownCall;
  onSend: () => Promise<unknown>;
  /** The word of the button that sends it; left out: the label. */
  yes?: string;
  /** The fields. */
  children: ComponentChildren;
}) {
  const { label, isOpen, sending, call, onSend, yes = label, children } = props;
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void onSend();
  };
  return (
    <details
      class="card adding"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{label}</summary>
      <form class="form" noValidate onSubmit={send} aria-label={label}>
        {children}
        <Refused refusal={sending.refusal} />
        <div class="buttons">
          <button type="submit" class="main" aria-disabled={sending.isBusy}>
            {yes}
          </button>
        </div>
        <CallShown call={call} />
      </form>
    </details>
  );
}

/** What is shown once, to be copied before it is gone. */
export function Secret(props: {
  title: string;
  value: string;
  label: string;
  onDone: () => void;
  /** Stands above the value. */
  before?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const isCopied = useSignal(false);
  return (
    <div class="notice good secret" role="status">
      <p>{props.title}</p>
      {props.before}
      <code tabIndex={0}>{props.value}</code>
      {props.children}
      <div class="buttons">
        <CopyButton
          text={props.value}
          label={props.label}
          isCopied={isCopied.value}
          onCopied={() => (isCopied.value = true)}
        />
        <button type="button" class="small" onClick={props.onDone}>
          {words.admin.secretDone}
        </button>
      </div>
    </div>
  );
}

export type FactList = readonly (readonly [name: string, value: ComponentChildren])[];

/** Names and values side by side. */
export function Facts({ facts }: { facts: FactList }) {
  return (
    <dl class="figures">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The head of a device's card, which it names. @param props.where it belongs, or what it is */
export function DeviceHead(props: { id: string; name: string; where: string; isThere: boolean | null; text: string }) {
  return (
    <header>
      <div>
        <h2 id={props.id}>{props.name}</h2>
        <p class="facts">{props.where}</p>
      </div>
      <Presence isThere={props.isThere} text={props.text} />
    </header>
  );
}

/** Whether a device is there, by word, shape and colour; null: it never was. */
export function Presence({ isThere, text }: { isThere: boolean | null; text: string }) {
  const state = isThere === null ? 'unknown' : isThere ? 'passable' : 'error';
  return (
    <span class={`state ${state}`}>
      <span class="sign" aria-hidden="true" />
      {text}
    </span>
  );
}

/** A long list with what is to be said of it: why it could not be read, that it is being read, that it is empty. */
export function Listed<Item extends { id: number }>(props: {
  list: LongList<Item>;
  /** Stands there when there are no rows; left out where there always is one. */
  none?: string;
  /** The rows. */
  children: ComponentChildren;
}) {
  const { list, none } = props;
  return (
    <>
      <Refused refusal={list.refusal} onAgain={list.again} />
      {list.rows === null && list.refusal === null && <Empty>{words.loading}</Empty>}
      {list.rows?.length === 0 && none !== undefined && <Empty>{none}</Empty>}
      {props.children}
      <MoreRowsButton more={list.more} />
    </>
  );
}

/** Leads to the rows after the last one. */
export function MoreRowsButton({ more }: Pick<LongList<{ id: number }>, 'more'>) {
  if (more === null) return null;
  return (
    <button type="button" onClick={more}>
      {words.admin.more}
    </button>
  );
}

/** The end of a form in which something is changed. */
export function SaveOrCancel({ isBusy, onCancel }: { isBusy: boolean; onCancel: () => void }) {
  return (
    <div class="buttons">
      <button type="submit" class="main" aria-disabled={isBusy}>
        {words.admin.save}
      </button>
      <button type="button" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  );
}
