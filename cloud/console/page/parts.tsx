/** Small parts of which the views are made. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { typeScriptOf } from '../wording/call-texts.js';
import { hasLinkEnded } from '../wording/picture-link.js';
import { withShownPlates } from '../wording/masked-plate.js';
import { curlOf, type Refusal, refusalSentence, type ShownCall } from '../wording/sentences.js';
import { words } from './browser.js';
import { goTo } from './place.js';
import { isMasked, shownPlate } from './plate-mask.js';

/** Heads of the columns of a table. */
export const ColumnHeads = ({ names }: { names: readonly string[] }) => (
  <>
    {names.map((name) => (
      <th key={name} scope="col">
        {name}
      </th>
    ))}
  </>
);

/** A link within the console. With a modifier key it opens where the browser says. */
export function Link(props: {
  to: string;
  children: ComponentChildren;
  class?: string;
  isCurrent?: boolean;
  label?: string;
}) {
  const { to, children, isCurrent = false } = props;
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    goTo(to);
  };
  const link = useRef<HTMLAnchorElement>(null);
  // A menu that is wider than its window shows where the person is.
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent]);
  return (
    <a
      ref={link}
      href={to}
      aria-label={props.label}
      class={props.class}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onClick}
    >
      {children}
    </a>
  );
}

/** What a control says of its fault, which stands in the note of its frame. */
export const controlOf = (id: string, fault: string | undefined) =>
  ({
    id,
    'aria-invalid': fault === undefined ? undefined : 'true',
    'aria-describedby': `${id}-note`,
  }) as const;

/** A control with its label, and below it what is wrong with it, or a hint. The control takes `controlOf`. */
export function FieldFrame(props: {
  id: string;
  label: string;
  fault: string | undefined;
  hint: string | undefined;
  children: ComponentChildren;
}) {
  const { id, label, fault, hint, children } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <p id={`${id}-note`} class={fault === undefined ? 'hint' : 'fault'}>
        {fault ?? hint}
      </p>
    </div>
  );
}

/** A field with its label, and below it what is wrong with it. */
export function Field(props: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'time';
  autocomplete?: string;
  fault?: string | undefined;
  hint?: string;
  /** Which keys a phone shows. */
  inputmode?: 'numeric' | 'decimal';
}) {
  const { label, fault, hint, value, onValue, type = 'text', autocomplete = 'off', inputmode } = props;
  // Preact's types tell inputs apart by a literal: all of these take the same attributes.
  const literal = { type } as { type: 'text' };
  const id = useId();
  return (
    <FieldFrame id={id} label={label} fault={fault} hint={hint}>
      <input
        {...literal}
        {...controlOf(id, fault)}
        autocomplete={autocomplete}
        inputmode={inputmode}
        spellcheck={false}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </FieldFrame>
  );
}

export function Choice(props: {
  label: string;
  value: string;
  options: readonly { value: string; text: string }[];
  onValue: (value: string) => void;
  fault?: string | undefined;
}) {
  const id = useId();
  const { fault } = props;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        {...(fault === undefined ? { id } : controlOf(id, fault))}
        value={props.value}
        onChange={(event) => props.onValue(event.currentTarget.value)}
      >
        {props.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {fault !== undefined && (
        <p id={`${id}-note`} class="fault">
          {fault}
        </p>
      )}
    </div>
  );
}

/** Things as options of a choice, by their ids. */
export const named = (things: readonly { id: number; name: string }[]) =>
  things.map(({ id, name }) => ({ value: String(id), text: name }));

/** A button of one of many things, about which it tells who hears the buttons one after the other. */
export function SmallButton(props: { word: string; about: string; onClick: () => void; isExpanded?: boolean }) {
  const { word, about, onClick, isExpanded } = props;
  return (
    <button type="button" class="small" aria-label={`${word}: ${about}`} aria-expanded={isExpanded} onClick={onClick}>
      {word}
    </button>
  );
}

/** Why something was refused, with what to do about it. */
export function Refused({ refusal, onAgain }: { refusal: Refusal | null; onAgain?: () => void }) {
  if (refusal === null) return null;
  return (
    <p class="notice bad" role="alert">
      {refusalSentence(refusal, words)}{' '}
      {onAgain && (
        <button type="button" class="small" onClick={onAgain}>
          {words.again}
        </button>
      )}
    </p>
  );
}

/** Stands before everything else. Escape and a press beside it cancel. */
export function Dialog(props: { title: string; children: ComponentChildren; onClose: () => void; class?: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once: the next key that is pressed is already for the dialog.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={props.class}
      aria-labelledby={id}
      onCancel={props.onClose}
      onClick={(event) => event.target === dialog.current && props.onClose()}
    >
      <div class="dialog">
        <h2 id={id}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** A question before something that cannot be taken back, or that many notice. */
export function Question(props: {
  title: string;
  /** What it means. */
  children: ComponentChildren;
  /** The word of the button that does it. */
  yes: string;
  isDanger?: boolean;
  isBusy?: boolean;
  onYes: () => void;
  onNo: () => void;
  /** What is asked of the service then. */
  call?: ShownCall;
}) {
  const { title, children, yes, isDanger = true, isBusy = false, onYes, onNo, call } = props;
  return (
    <Dialog title={title} onClose={onNo}>
      {children}
      <div class="buttons">
        <button type="button" class={isDanger ? 'danger' : 'main'} aria-disabled={isBusy} onClick={onYes}>
          {yes}
        </button>
        <button type="button" onClick={onNo}>
          {words.cancel}
        </button>
      </div>
      {call !== undefined && <CallShown call={call} />}
    </Dialog>
  );
}

/** The path alone: pictures come from the service that the page came from, whatever it is called elsewhere. */
function ownLink(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
}

/** The link of the small copy that lists show: a page of whole pictures costs a phone megabytes. */
function thumbnailLink(url: string): string {
  return ownLink(url).replace('?', '/thumbnail?');
}

/**
 * A picture, which may still be on its way from the gateway.
 * @param props.isSmall in a list
 * @param props.plate that can be read on it: while it is masked, the picture is blurred
 * @param props.onEnded asks for its record again, as links to pictures end after a time. One that is shown stays.
 */
export function Picture(props: {
  url: string | null | undefined;
  alt: string;
  isSmall?: boolean;
  plate?: string;
  onEnded?: () => void;
}) {
  const { url, alt, isSmall = false, plate = '', onEnded } = props;
  const triesLeft = useRef(5);
  const round = useSignal(0);
  useEffect(() => {
    triesLeft.current = 5;
    if (typeof url === 'string' && hasLinkEnded(url, Date.now())) onEnded?.();
  }, [url]);
  if (url === null || url === undefined) return <span class="picture none">{words.live.noPicture}</span>;
  const onError = (event: Event) => {
    const picture = event.currentTarget;
    if (triesLeft.current === 0 || !(picture instanceof HTMLImageElement)) return;
    triesLeft.current -= 1;
    // It ended while the picture was not in sight.
    if (hasLinkEnded(url, Date.now())) onEnded?.();
    setTimeout(() => {
      round.value += 1;
    }, 2_000);
  };
  const src = isSmall ? thumbnailLink(url) : ownLink(url);
  const look = isMasked(plate) ? 'picture veiled' : 'picture';
  return <img key={round.value} class={look} src={src} alt={alt} loading="lazy" onError={onError} />;
}

/** The REST call that an action makes, to be taken into a terminal or a program, and the event that it caused. */
export function CallShown({ call, event }: { call: ShownCall; event?: { event: string; payload: unknown } | null }) {
  const copied = useSignal<'curl' | 'typescript' | null>(null);
  const shown = useSignal<'curl' | 'typescript'>('curl');
  const text = (shown.value === 'curl' ? curlOf : typeScriptOf)(call, location.origin);
  return (
    <details class="call">
      <summary>{words.showCall}</summary>
      <div class="buttons">
        {(['curl', 'typescript'] as const).map((each) => (
          <button
            key={each}
            type="button"
            class="small"
            aria-pressed={shown.value === each}
            onClick={() => (shown.value = each)}
          >
            {words.calls[each]}
          </button>
        ))}
      </div>
      <pre tabIndex={0}>{text}</pre>
      <CopyButton
        text={text}
        label={shown.value === 'curl' ? words.copyCurl : words.calls.copyTypeScript}
        isCopied={copied.value === shown.value}
        onCopied={() => (copied.value = shown.value)}
      />
      {event !== undefined && (
        <>
          <p class="facts">{words.calls.event}</p>
          {event === null ? (
            <p class="hint">{words.calls.noEvent}</p>
          ) : (
            <pre tabIndex={0}>
              {JSON.stringify({ event: event.event, data: withShownPlates(event.payload, shownPlate) }, null, 2)}
            </pre>
          )}
        </>
      )}
    </details>
  );
}

export function CopyButton(props: { text: string; label: string; isCopied: boolean; onCopied: () => void }) {
  const copy = () => void navigator.clipboard?.writeText(props.text).then(props.onCopied);
  return (
    <button type="button" class="small" onClick={copy}>
      {props.isCopied ? words.copied : props.label}
    </button>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
