/** Small parts of which the views are made. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { typeScriptOf } from '../wording/call-texts.js';
import { withShownPlates } from '../wording/masked-plate.js';
import { curlOf, type Refusal, refusalSentence, type ShownCall } from '../wording/sentences.js';
import { words } from './browser.js';
import { goTo } from './place.js';
import { shownPlate } from './plate-mask.js';

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

/**
 * A button. One that is busy is not `disabled`, which would take the focus from who works with the keyboard.
 * @param props.onClick left out: it sends its form
 * @param props.about which of many things it is for: told to who hears the buttons one after the other
 * @param props.label what is heard instead of the word
 */
export function Button(props: {
  word: ComponentChildren;
  onClick?: (() => unknown) | undefined;
  look?: 'main' | 'small' | 'danger' | 'apart' | undefined;
  about?: string | undefined;
  label?: string | undefined;
  isBusy?: boolean | undefined;
  /** It has the focus when its dialog opens. */
  isFirst?: boolean | undefined;
  isPressed?: boolean | undefined;
  isExpanded?: boolean | undefined;
}) {
  const { word, onClick, look, about, label = about && `${word}: ${about}` } = props;
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      class={look}
      aria-label={label}
      autofocus={props.isFirst}
      aria-disabled={props.isBusy}
      aria-pressed={props.isPressed}
      aria-expanded={props.isExpanded}
      onClick={onClick && (() => void onClick())}
    >
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
export function Dialog(props: {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  class?: string | undefined;
}) {
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
  onYes: () => unknown;
  onNo: () => void;
  /** What is asked of the service then. */
  call?: ShownCall;
}) {
  const { title, children, yes, isDanger = true, isBusy = false, onYes, onNo, call } = props;
  return (
    <Dialog title={title} onClose={onNo}>
      {children}
      <div class="buttons">
        <Button look={isDanger ? 'danger' : 'main'} word={yes} isBusy={isBusy} onClick={onYes} />
        <Button word={words.cancel} onClick={onNo} />
      </div>
      {call !== undefined && <CallShown call={call} />}
    </Dialog>
  );
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
          <Button
            key={each}
            look="small"
            word={words.calls[each]}
            isPressed={shown.value === each}
            onClick={() => (shown.value = each)}
          />
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
  return <Button look="small" word={props.isCopied ? words.copied : props.label} onClick={copy} />;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** What was done, told to screen readers as well. The empty line is there for them: they tell what changes in it. */
export function Told({ text }: { text: string }) {
  return (
    <p role="status" class={text === '' ? 'hidden' : 'notice good'}>
      {text}
    </p>
  );
}

export type FactList = readonly (readonly [name: string, value: ComponentChildren])[];

/** Names and values side by side. */
export function Facts({ facts, class: look = 'figures' }: { facts: FactList; class?: string }) {
  return (
    <dl class={look}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Facts in one line, without those that are not given. */
export const joined = (facts: readonly (string | null | undefined | false)[]): string =>
  facts.filter(Boolean).join(' · ');
