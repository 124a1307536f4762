/** A form by which something is added to a list. */
import { useSignal } from '@preact/signals';
import { SentForm, type SentFormProps } from './form-parts.js';

/**
 * A form by which something is added, folded away until it is wanted.
 * @param props.isBegun something is typed already: it is open
 * @param props.onSend resolves with whether it was taken
 */
export function AddingForm(
  props: Omit<SentFormProps, 'class' | 'yes' | 'onSend'> & {
    label: string;
    yes?: string;
    isBegun: boolean;
    onSend: () => Promise<boolean>;
  },
) {
  const { isBegun, onSend, yes = props.label, ...form } = props;
  const isOpen = useSignal(isBegun);
  const send = async () => {
    if (await onSend()) isOpen.value = false;
  };
  return (
    <details class="card adding" open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{props.label}</summary>
      <SentForm {...form} class="form" yes={yes} onSend={send} />
    </details>
  );
}
