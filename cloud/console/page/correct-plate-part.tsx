/** The plate of a reading, put right by a person. */
import { words } from './browser.js';
import { useDraft } from './draft.js';
import { Button, CallShown, Refused } from './parts.js';
import { knownReadings } from './reading-store.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { keepReadings, type Reading } from './store.js';
import { Field } from './fields.js';

function plateFault(plate: string): { plate?: string } {
  if (plate.trim() === '') return { plate: words.signIn.missing };
  return /[\p{L}\p{Nd}]/u.test(plate) ? {} : { plate: words.forms.noPlate(plate) };
}

export function CorrectPlate({ reading, onChanged }: { reading: Reading; onChanged: () => void }) {
  const { id } = reading;
  const [form, reset] = useDraft(`plate-${id}`, { plate: reading.plate });
  const sending = useSending(['plate'], () => plateFault(form.value.plate));
  const body = { plate: form.value.plate };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const isSaved = await sending.send(async () => {
      const corrected = await client().patch('/v2/plate-readings/{id}', { path: { id }, body });
      if (knownReadings.value.some((each) => each.id === id)) keepReadings([corrected]);
    });
    if (!isSaved) return;
    onChanged();
    reset();
  };
  return (
    <div class="command">
      <form noValidate onSubmit={(event) => void save(event)} class="inline" aria-label={words.live.correct}>
        <Field
          label={words.live.correct}
          value={form.value.plate}
          onValue={(plate) => (form.value = { plate })}
          fault={sending.faults.plate}
        />
        <Button word={words.forms.save} isBusy={sending.isBusy} />
      </form>
      <Refused refusal={sending.refusal} />
      <CallShown call={{ method: 'PATCH', path: `/v2/plate-readings/${id}`, body }} />
    </div>
  );
}
