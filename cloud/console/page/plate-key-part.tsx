/** A plate is let through for a time: a key that needs neither mail nor app. */
import { useSignal } from '@preact/signals';
import { plateFaultSentence } from '../wording/plate-fault.js';
import { words } from './browser.js';
import { Field } from './fields.js';
import { SentForm } from './form-parts.js';
import { Notice } from './parts.js';
import { ReceiverFields, useReceiver } from './receiver-form.js';
import { client } from './session.js';

const EMPTY = { plate: '' };
const FIELDS = ['receiver_identifier'] as const;

function faultsOf({ plate }: typeof EMPTY): { receiver_identifier?: string } {
  const fault = plateFaultSentence(plate, words);
  return fault === null ? {} : { receiver_identifier: fault };
}

export function PlateKey({ onGiven }: { onGiven: () => void }) {
  const notice = useSignal('');
  const onTyped = () => (notice.value = '');
  const receiver = useReceiver('plate-key', { empty: EMPTY, fields: FIELDS, faultsOf }, onTyped);
  const { form, set, sending, submit, key } = receiver;
  const { plate } = form;
  const body = { ...receiver.body, receiver_identifier: plate, receiver_identifier_type: 'license_plate' as const };
  const send = async () => {
    if (!(await submit(() => client().post('/v2/key-logs', { body, idempotencyKey: key() })))) return;
    notice.value = words.keyList.givenTo(plate);
    onGiven();
  };
  const say = words.keyList;
  return (
    <SentForm
      class="card invite"
      title={say.plateKey}
      sending={sending}
      onSend={send}
      yes={say.give}
      outcome={<Notice text={notice.value} />}
      call={{ method: 'POST', path: '/v2/key-logs', body }}
    >
      <p class="facts">{say.plateKeyWhat}</p>
      <Field
        label={words.forms.plate}
        value={plate}
        onValue={(value) => set({ plate: value })}
        fault={sending.faults.receiver_identifier}
      />
      <ReceiverFields receiver={receiver} nameLabel={say.guest} productLabel={words.keys.products} />
    </SentForm>
  );
}
