/** Asks why a refused vehicle is let through, opens once, and stays until that has worked. */
import { useSignal } from '@preact/signals';
import { reasonFault } from '../wording/form-checks.js';
import { faultAt } from '../wording/field-faults.js';
import { words } from './browser.js';
import { callOf, commands, give, isPending } from './commands.js';
import { useDraft } from './draft.js';
import { Button, CallShown, Dialog } from './parts.js';
import { shownPlate } from './plate-mask.js';
import { CommandLine } from './command-line.js';
import { lastDone, letting, letWord, productAt } from './queue-part.js';
import { renewReading } from './reading-store.js';
import { useLive } from './server-clock.js';
import type { Reading } from './store.js';
import { Field } from './fields.js';

export function LetQuestion({ reading }: { reading: Reading }) {
  const { queue } = words;
  const [form, reset] = useDraft(`let-${reading.id}`, { reason: '' });
  const isTried = useSignal(false);
  /** Of the product there may be a command of before. */
  const isSent = useSignal(false);
  const isLive = useLive(reading.created_at);
  const product = productAt(reading);
  if (product === undefined) return null;
  const { reason } = form.value;
  const given = isSent.value ? commands.value.get(product.id) : undefined;
  const answeredFault = faultAt(given?.refusal ?? null, 'reason', words);
  const wrong = isTried.value ? reasonFault(reason, words) : undefined;
  const beside = { reason: reason.trim(), plate_reading_id: reading.id };
  const call = given?.call ?? callOf(product.id, 'open', beside);
  const close = () => {
    if (letting.value === reading) letting.value = null;
  };
  const setReason = (value: string) => {
    form.value = { reason: value };
    if (!isPending(given)) isSent.value = false;
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    isTried.value = true;
    if (!isLive || reasonFault(reason, words) !== undefined) return;
    isSent.value = true;
    // A command that is under way may be for the vehicle before.
    if (isPending(commands.value.get(product.id))) return;
    await give(product.id, 'open', beside);
    if (commands.value.get(product.id)?.record?.status !== 'succeeded') return;
    lastDone.value = `${shownPlate(reading.plate)}: ${words.command.succeeded(words.operations.open, null)}`;
    renewReading(reading.id);
    reset();
    close();
  };
  return (
    <Dialog title={`${letWord(reading)}: ${shownPlate(reading.plate)}`} onClose={close}>
      <form noValidate class="dialog-form" onSubmit={(event) => void submit(event)}>
        <Field
          label={queue.reason}
          value={reason}
          onValue={setReason}
          fault={wrong ?? answeredFault}
          hint={queue.reasonHint}
        />
        <div class="buttons" role="group" aria-label={queue.reasonsOften}>
          {queue.reasons.map((each) => (
            <Button key={each} look="small" word={each} isPressed={reason === each} onClick={() => setReason(each)} />
          ))}
        </div>
        {given !== undefined && answeredFault === undefined && <CommandLine given={given} />}
        {!isLive && (
          <p class="notice bad" role="alert">
            {words.live.tooLate}
          </p>
        )}
        <div class="buttons">
          {isLive && <Button look="main" word={letWord(reading)} isBusy={isPending(commands.value.get(product.id))} />}
          <Button word={words.cancel} onClick={close} />
        </div>
        <CallShown call={call} {...(given === undefined ? {} : { event: given.event })} />
      </form>
    </Dialog>
  );
}
