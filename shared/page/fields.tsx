/** Fields of forms. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** Returns the attributes by which a control names its fault, which stands in the note of its frame. */
const controlOf = (id: string, fault: string | undefined) =>
  ({
    id,
    'aria-invalid': fault === undefined ? undefined : 'true',
    'aria-describedby': `${id}-note`,
  }) as const;

/** A control with its label, and below it what is wrong with it, or a hint. The control takes `controlOf`. */
function FieldFrame(props: {
  id: string;
  label: string;
  fault: string | undefined;
  hint: string | undefined;
  children: ComponentChildren;
}) {
  const { id, label, children } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <Note {...props} />
    </div>
  );
}

export function Note({ id, fault, hint }: { id: string; fault: string | undefined; hint: string | undefined }) {
  return (
    <p id={`${id}-note`} class={fault === undefined ? 'hint' : 'fault'}>
      {fault ?? hint}
    </p>
  );
}

export interface FieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  fault?: string | undefined;
  hint?: string | undefined;
}

/** A field of one line. */
export function Field(
  props: FieldProps & {
    type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'time' | 'tel' | 'color';
    autocomplete?: string;
    /** Which keys a phone shows. */
    inputmode?: 'numeric' | 'decimal';
  },
) {
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

/** A field of several lines. */
export function TextArea(props: FieldProps & { rows?: number }) {
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

export interface Option {
  value: string;
  text: string;
}

export function Choice(props: {
  label: string;
  value: string;
  options: readonly Option[];
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
      {fault !== undefined && <Note id={id} fault={fault} hint={undefined} />}
    </div>
  );
}

/** One thing that is so or not. */
export function Check(props: { label: ComponentChildren; value: boolean; onValue: (value: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={props.value} onChange={(event) => props.onValue(event.currentTarget.checked)} />
      {props.label}
    </label>
  );
}
