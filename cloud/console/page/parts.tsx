/** Small parts of which the views are made. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, Dialog as PlainDialog, Question as PlainQuestion } from '../../../shared/page/parts.js';
import { typeScriptOf } from '../wording/call-texts.js';
import { withShownPlates } from '../wording/masked-plate.js';
import { curlOf, type Refusal, refusalSentence, type ShownCall } from '../wording/sentences.js';
import { useBackCloses } from './back-closes.js';
import { words } from './browser.js';
import { goTo, queryOf } from './place.js';
import { shownPlate } from './plate-mask.js';

export {
  Button,
  ColumnHeads,
  Empty,
  type FactList,
  Facts,
  joined,
  Notice,
} from '../../../shared/page/parts.js';

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

/** What is read only when somebody opens it. */
export function Opened({ summary, children }: { summary: ComponentChildren; children: ComponentChildren }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen.value && children}
    </details>
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

/** Stands before everything else. Escape, a press beside it and the way back cancel. */
export function Dialog(props: ComponentProps<typeof PlainDialog>) {
  // What the address has opened is a step already.
  useBackCloses(props.onClose, queryOf('edit') === '');
  return <PlainDialog {...props} />;
}

/** A question before something that cannot be taken back, or that many notice. @param props.call what is asked of the service then */
export function Question({
  call,
  ...asked
}: Omit<ComponentProps<typeof PlainQuestion>, 'no' | 'below'> & { call?: ShownCall }) {
  useBackCloses(asked.onNo, true);
  return <PlainQuestion {...asked} no={words.cancel} below={call !== undefined && <CallShown call={call} />} />;
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
