/** The plate of a reading, put right by a person, and the stay that ends by it. */
import { useSignal } from '@preact/signals';
import { plateFaultSentence } from '../wording/plate-fault.js';
import { timeOf, words } from './browser.js';
import { useDraft } from './draft.js';
import { Button, CallShown, Refused } from './parts.js';
import { knownReadings } from './reading-store.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { plateOf } from './session-plates.js';
import { keepReadings, type Reading, type Session, sessionChanges, timezoneOf } from './store.js';
import { Field } from './fields.js';

function plateFault(plate: string): { plate?: string } {
  const fault = plateFaultSentence(plate, words);
  return fault === null ? {} : { plate: fault };
}

/** The stay that the refused exit of a corrected plate fits. */
interface Fitting {
  stay: Session;
  /** As it was corrected. */
  plate: string;
}

export function CorrectPlate({ reading, onChanged }: { reading: Reading; onChanged: () => void }) {
  const fitting = useSignal<Fitting | null>(null);
  const close = () => {
    fitting.value = null;
    onChanged();
  };
  return (
    <div class="command">
      <PlateForm
        key={reading.plate}
        reading={reading}
        onCorrected={(found) => {
          fitting.value = found;
          onChanged();
        }}
      />
      {fitting.value !== null && <EndStay id={reading.id} fitting={fitting.value} onClose={close} />}
    </div>
  );
}

function PlateForm({ reading, onCorrected }: { reading: Reading; onCorrected: (fitting: Fitting | null) => void }) {
  const { id } = reading;
  const [form, reset] = useDraft(`plate-${id}`, { plate: reading.plate });
  const sending = useSending(['plate'], () => plateFault(form.value.plate));
  const body = { plate: form.value.plate };
  const correct = async () => {
    const { fits_session_id, ...corrected } = await client().patch('/v2/plate-readings/{id}', { path: { id }, body });
    const path = { id: fits_session_id ?? 0 };
    const stay = fits_session_id === null ? null : await client().get('/v2/sessions/{id}', { path });
    // The form begins anew with the reading as it is from now on.
    reset();
    onCorrected(stay === null ? null : { stay, plate: corrected.plate });
    if (knownReadings.value.some((each) => each.id === id)) keepReadings([corrected]);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    void sending.send(correct);
  };
  return (
    <>
      <form noValidate onSubmit={save} class="inline" aria-label={words.live.correct}>
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
    </>
  );
}

/** Asks whether the vehicle that was refused has left. */
function EndStay({ id, fitting: { stay, plate }, onClose }: { id: number; fitting: Fitting; onClose: () => void }) {
  const sending = useSending([]);
  const body = { plate, end_session: true };
  const end = async () => {
    const isEnded = await sending.send(async () => {
      const { fits_session_id: _none, ...corrected } = await client().patch('/v2/plate-readings/{id}', {
        path: { id },
        body,
      });
      if (knownReadings.value.some((each) => each.id === id)) keepReadings([corrected]);
      sessionChanges.value += 1;
    });
    if (isEnded) onClose();
  };
  const say = words.live;
  return (
    <div class="notice warn" role="status">
      <p>{say.endsStay(plateOf(stay), timeOf(stay.created_at, timezoneOf(stay.zone_id)))}</p>
      <Refused refusal={sending.refusal} />
      <div class="buttons">
        <Button look="main" word={say.endStay} isBusy={sending.isBusy} onClick={end} />
        <Button word={say.leaveStay} onClick={onClose} />
      </div>
      <CallShown call={{ method: 'PATCH', path: `/v2/plate-readings/${id}`, body }} />
    </div>
  );
}
