/** Small parts of which the pages of both consoles are made. They say nothing by themselves: words are arguments. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

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

/**
 * A button. One that is busy is not `disabled`, which would take the focus from a person who works with the keyboard.
 * @param props.onClick left out: it sends its form
 * @param props.about which of many things it is for: read out to a person who hears the buttons one after the other
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
    if (shown === null) return undefined;
    if ('showModal' in shown) {
      shown.showModal();
      return () => shown.close();
    }
    // Safari has them from 15.4 on.
    const plain: HTMLElement = shown;
    plain.setAttribute('role', 'dialog');
    plain.setAttribute('aria-modal', 'true');
    plain.classList.add('plain');
    plain.querySelector<HTMLElement>('[autofocus], input, button')?.focus();
    return undefined;
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
  /** The explanation. */
  children: ComponentChildren;
  /** The word of the button that does it. */
  yes: string;
  no: string;
  isDanger?: boolean | undefined;
  isBusy?: boolean | undefined;
  /** The focus is on `no`, so that the Enter that led here does nothing. */
  isNoFirst?: boolean | undefined;
  onYes: () => unknown;
  onNo: () => void;
  /** The content below the buttons. */
  below?: ComponentChildren;
}) {
  const { title, children, yes, no, isDanger = true, isBusy = false, isNoFirst = false, onYes, onNo } = props;
  return (
    <Dialog title={title} onClose={onNo}>
      {children}
      <div class="buttons">
        <Button look={isDanger ? 'danger' : 'main'} word={yes} isBusy={isBusy} onClick={onYes} />
        <Button word={no} onClick={onNo} isFirst={isNoFirst || undefined} />
      </div>
      {props.below}
    </Dialog>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/**
 * Says what was done, to screen readers as well. The empty line is there for them: they announce only changes in it.
 */
export function Notice({ text }: { text: string }) {
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

/** A state by word, shape and colour. @param props.state names the look */
export const StateSign = ({ state, word }: { state: string; word: string }) => (
  <span class={`state ${state}`}>
    <span class="sign" aria-hidden="true" />
    {word}
  </span>
);
