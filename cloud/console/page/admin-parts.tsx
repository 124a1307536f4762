/** Small parts of the views in which devices and the account are looked after. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ShownCall } from '../wording/sentences.js';
import { words } from './browser.js';
import { Editor } from './editor.js';
import { missing } from './fields.js';
import type { LongList } from './long-list.js';
import { Button, CopyButton, Dialog, Empty, joined, Question, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import type { Read } from './use-read.js';

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
  const sending = useSending([]);
  const close = () => {
    isAsking.value = false;
    sending.forgive();
  };
  const yes = async () => {
    if (await sending.send(onYes)) close();
  };
  return (
    <>
      <Button look="small" word={label} about={about} onClick={() => (isAsking.value = true)} />
      {isAsking.value && (
        <Question
          title={title}
          yes={label}
          isDanger={isDanger}
          isBusy={sending.isBusy}
          onYes={yes}
          onNo={close}
          call={call}
        >
          <p>{what}</p>
          <Refused refusal={sending.refusal} />
        </Question>
      )}
    </>
  );
}

/** The lists whose things have a name that is changed in its place. */
type NamedList = '/v2/gateways' | '/v2/lpr-cameras' | '/v2/parking-gateways' | '/v2/parking-places' | '/v2/terminals';

/** A button that deletes a thing of a list, once the person has said yes. */
export function DeleteButton(props: {
  list: NamedList | '/v2/account-users' | '/v2/api-tokens' | '/v2/key-logs' | '/v2/weblinks' | '/v2/webhooks';
  id: number | string;
  about: string;
  /** Where there is a better question than whether it shall be deleted. */
  title?: string;
  what: string;
  /** Where there is a better word than `Delete`. */
  word?: string;
  onDone: () => unknown;
}) {
  const { list, id, about, title = words.admin.deleteTitle(about), what, word = words.forms.delete, onDone } = props;
  const remove = async () => {
    await client().delete(`${list}/{id}`, { path: { id } });
    await onDone();
  };
  return (
    <AskButton
      label={word}
      about={about}
      title={title}
      what={what}
      call={{ method: 'DELETE', path: `${list}/${id}` }}
      onYes={remove}
    />
  );
}

/** A button of a thing, which opens a dialog. @param props.children get what closes it */
export function DialogButton(props: {
  word: string;
  about?: string;
  /** What is heard instead of the word. */
  label?: string;
  title: string;
  class?: string;
  children: (close: () => void) => ComponentChildren;
}) {
  const { word, about, label, title, children } = props;
  const isOpen = useSignal(false);
  const close = () => {
    isOpen.value = false;
  };
  return (
    <>
      <Button look="small" word={word} about={about} label={label} onClick={() => (isOpen.value = true)} />
      {isOpen.value && (
        <Dialog title={title} onClose={close} class={props.class}>
          {children(close)}
        </Dialog>
      )}
    </>
  );
}

interface Renamed {
  list: NamedList;
  thing: { id: number; name: string };
  /** It was renamed or deleted. */
  onChanged: () => unknown;
}

/** The name and the end of a device. @param props.deleteWhat what is lost with it. @param props.children buttons between the two */
export function RenameOrDelete(props: Renamed & { deleteWhat: string; children?: ComponentChildren }) {
  const { list, thing, deleteWhat, onChanged, children } = props;
  const { id, name } = thing;
  const isRenamed = useSignal(false);
  return (
    <>
      <Button look="small" word={words.admin.rename} about={name} onClick={() => (isRenamed.value = true)} />
      {isRenamed.value && <Rename {...props} onClose={() => (isRenamed.value = false)} />}
      {children}
      <DeleteButton list={list} id={id} about={name} what={deleteWhat} onDone={onChanged} />
    </>
  );
}

function Rename({ list, thing, onChanged, onClose }: Renamed & { onClose: () => void }) {
  const formOf = (each: { name: string } | null) => ({ name: each?.name ?? '' });
  return (
    <Editor<{ name: string }, NamedList, Renamed['thing']>
      list={list}
      thing={thing}
      title={words.admin.renameTitle(thing.name)}
      draft={`name of ${list}/${thing.id}`}
      formOf={formOf}
      faultsOf={({ name }) => missing('name', name)}
      changeOf={({ name }) => ({ name })}
      after={onChanged}
      onClose={onClose}
    >
      {({ field }) => field('name', words.forms.name)}
    </Editor>
  );
}

/** What is shown once, to be copied before it is gone. @param props.value null: it was lost with the connection */
export function Secret(props: {
  title: string;
  value: string | null;
  label: string;
  onDone: () => void;
  /** Stands above the value. */
  before?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const isCopied = useSignal(false);
  if (props.value === null) return <p class="notice bad">{words.admin.secretLost}</p>;
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
        <Button look="small" word={words.admin.secretDone} onClick={props.onDone} />
      </div>
    </div>
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
function Presence({ isThere, text }: { isThere: boolean | null; text: string }) {
  const state = isThere === null ? 'unknown' : isThere ? 'passable' : 'error';
  return (
    <span class={`state ${state}`}>
      <span class="sign" aria-hidden="true" />
      {text}
    </span>
  );
}

/** A list in which nothing was made yet: what it is for, and the first step. */
export const FirstStep = ({ what, children }: { what: string; children: ComponentChildren }) => (
  <div class="empty first">
    <p>{what}</p>
    {children}
  </div>
);

/**
 * What is to be said of a list: why it could not be read, that it is being read, that it is empty.
 * @param props.none left out: it never is. @param props.first makes the first one, where none was made yet
 */
export function ListState(props: {
  list: Read<readonly unknown[]>;
  none?: string | undefined;
  first?: ComponentChildren;
}) {
  const { list, none, first } = props;
  const { found, refusal, again } = list;
  return (
    <>
      <Refused refusal={refusal} onAgain={again} />
      {found === null && refusal === null && <Empty>{words.loading}</Empty>}
      {found?.length === 0 &&
        none !== undefined &&
        (first ? <FirstStep what={none}>{first}</FirstStep> : <Empty>{none}</Empty>)}
    </>
  );
}

/** The rows of a list, what is to be said of it, and what leads to the rows after them. */
export function Listed<Item>(props: {
  list: Read<readonly Item[]> & Partial<Pick<LongList<Item>, 'more'>>;
  none?: string | undefined;
  first?: ComponentChildren;
  as?: 'ul' | 'ol' | 'div';
  class?: string;
  row: (item: Item) => ComponentChildren;
}) {
  const { list, none, first, as: Tag = 'ul', class: look = 'stays', row } = props;
  return (
    <>
      <ListState list={list} none={none} first={first} />
      <Tag class={look}>{list.found?.map(row)}</Tag>
      <MoreRowsButton more={list.more ?? null} />
    </>
  );
}

/** Leads to the rows after the last one. */
export function MoreRowsButton({ more }: Pick<LongList<unknown>, 'more'>) {
  return more === null ? null : <Button word={words.forms.more} onClick={more} />;
}

/** One thing of a list: its name, how it is, its facts and its buttons, and below them what there is to say of it. */
export function Row(props: {
  name: string;
  /** Beside the name. */
  tags?: ComponentChildren;
  facts: readonly (string | null | undefined | false)[];
  buttons?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <li class="card stay">
      <div class="line">
        <strong>{props.name}</strong>
        {props.tags}
        <span class="facts">{joined(props.facts)}</span>
        {props.buttons && <span class="buttons">{props.buttons}</span>}
      </div>
      {props.children}
    </li>
  );
}
