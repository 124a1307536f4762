/** A form by which something is added to a list: a button, and the dialog that it opens. */
import { words } from './browser.js';
import { SentForm, type SentFormProps } from './form-parts.js';
import { Button, Dialog } from './parts.js';
import { queryOf, setQuery } from './place.js';

/**
 * @param props.label of the button, and the title of the dialog
 * @param props.name how the address says that it is open: `new` when left out
 * @param props.isAlone it stands in a dialog already: the form without its button
 * @param props.onSend resolves with whether it was taken
 */
export function AddingForm(
  props: Omit<SentFormProps, 'class' | 'yes' | 'onSend' | 'onCancel'> & {
    label: string;
    name?: string;
    yes?: string;
    isAlone?: boolean;
    onSend: () => Promise<boolean>;
  },
) {
  const { label, name = 'new', yes = words.forms.create, isAlone = false, isMain = true, onSend, ...form } = props;
  if (isAlone) return <SentForm {...form} label={label} class="form" yes={yes} onSend={onSend} />;
  const close = () => setQuery({ edit: '' });
  const send = async () => {
    if (await onSend()) close();
  };
  return (
    <>
      <Button look={isMain ? 'main' : 'small'} word={label} onClick={() => setQuery({ edit: name })} />
      {queryOf('edit') === name && (
        <Dialog title={label} class="editor" onClose={close}>
          <SentForm {...form} label={label} class="form" yes={yes} onSend={send} onCancel={close} />
        </Dialog>
      )}
    </>
  );
}
