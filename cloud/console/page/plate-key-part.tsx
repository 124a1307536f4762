/** A plate is let through for a time: a key that needs neither mail nor app. */
import { useSignal } from '@preact/signals';
import { words } from './browser.js';
import { Told } from './form-parts.js';
import { CallShown, Field, Refused } from './parts.js';
import { ReceiverFields, useReceiver } from './receiver-form.js';
import { client } from './session.js';

const EMPTY = { plate: '' };
const FIELDS = ['receiver_identifier'] as const;

function faultsOf({ plate }: typeof EMPTY): { receiver_identifier?: string } {
  if (plate === '') return { receiver_identifier: words.signIn.missing };
  return /[\p{L}\p{Nd}]/u.test(plate) ? {} : { receiver_identifier: words.forms.noPlate(plate) };
}

export function PlateKey({ onGiven }: { onGiven: () => void }) {
  const receiver = useReceiver('plate-key', { empty: EMPTY, fields: FIELDS, faultsOf });
  const { draft, sending } = receiver;
  const { plate } = draft.form;
  const told = useSignal('');
  const body = {
    ...receiver.body,
    receiver_identifier: plate,
    receiver_identifier_type: 'license_plate' as const,
  };
  const set = (changed: Partial<typeof draft.form>) => {
    draft.set(changed);
    told.value = '';
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(await sending.send(() => client().post('/v2/key-logs', { body, idempotencyKey: draft.key() })))) return;
    draft.reset();
    told.value = words.keyList.givenTo(plate);
    onGiven();
  };
  const say = words.keyList;
  return (
    <form class="card invite" noValidate onSubmit={(event) => void send(event)} aria-labelledby="plate-key">
      <h2 id="plate-key">{say.plateKey}</h2>
      <p class="facts">{say.plateKeyWhat}</p>
      <Field
        label={say.plate}
        value={plate}
        onValue={(value) => set({ plate: value })}
        fault={sending.faults.receiver_identifier}
      />
      <ReceiverFields receiver={receiver} set={set} nameLabel={say.guest} productLabel={words.keys.products} />
      <Refused refusal={sending.refusal} />
      <Told text={told.value} />
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={sending.isBusy}>
          {say.give}
        </button>
      </div>
      <CallShown call={{ method: 'POST', path: '/v2/key-logs', body }} />
    </form>
  );
}
