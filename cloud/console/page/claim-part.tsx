/** How a device becomes a gateway: by a code that is shown once, to be scanned or typed. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { AddingForm, Secret } from './admin-parts.js';
import { words } from './browser.js';
import { useDraft } from './draft.js';
import { Choice, Field, named } from './parts.js';
import { QrCode } from './qr-code.js';
import { useSending } from './sending.js';
import { client, refusalOf } from './session.js';
import { gateways, loadDevices, lots } from './store.js';

const say = words.devices;

export type ClaimCodeFacts = components['schemas']['GatewayWithClaimCode'];

export function AddGateway({ onMade }: { onMade: (made: ClaimCodeFacts) => void }) {
  const [form, reset] = useDraft('gateway', { name: '', lot: '' });
  const { name } = form.value;
  const lot = form.value.lot === '' ? String(lots.value[0]?.id ?? '') : form.value.lot;
  const isOpen = useSignal(name !== '');
  const sending = useSending(['name', 'lot_id'], () => (name.trim() === '' ? { name: words.signIn.missing } : {}));
  const body = { name, ...(lot === '' ? {} : { lot_id: Number(lot) }) };
  const send = async () => {
    const isMade = await sending.send(async () => onMade(await client().post('/v2/gateways', { body })));
    if (!isMade) return;
    reset();
    isOpen.value = false;
    await loadDevices();
  };
  return (
    <AddingForm
      label={say.add}
      yes={say.makeCode}
      isOpen={isOpen}
      sending={sending}
      call={{ method: 'POST', path: '/v2/gateways', body }}
      onSend={send}
    >
      <p class="facts">{say.addWhat}</p>
      <div class="pair">
        <Field
          label={words.admin.name}
          value={name}
          onValue={(value) => (form.value = { ...form.value, name: value })}
          fault={sending.faults.name}
        />
        <Choice
          label={words.admin.lot}
          value={lot}
          onValue={(value) => (form.value = { ...form.value, lot: value })}
          options={named(lots.value)}
        />
      </div>
    </AddingForm>
  );
}

const ASKED_MS = 3_000;

async function loadWhenClaimed(id: number): Promise<void> {
  try {
    const { claimed_at } = await client().get('/v2/gateways/{id}', { path: { id } });
    if (claimed_at !== null) await loadDevices();
  } catch (error) {
    // It is asked again.
    refusalOf(error);
  }
}

/** The code as text, as QR code and as the command for the device; it says when the device has come. */
export function ClaimCode({ code, onDone }: { code: ClaimCodeFacts; onDone: () => void }) {
  const { id, name, claim_code, claim_qr } = code;
  const claimedAt = gateways.value.find((each) => each.id === id)?.claimed_at ?? null;
  const isClaimed = claimedAt !== null;
  // No event tells of it before the device has connected, and then it may be somewhere else.
  useEffect(() => {
    if (isClaimed) return;
    const timer = setInterval(() => void loadWhenClaimed(id), ASKED_MS);
    return () => clearInterval(timer);
  }, [id, isClaimed]);
  if (isClaimed)
    return (
      <p class="notice good" role="status">
        {say.claimed(name)}
      </p>
    );
  if (claim_code === null) return <p class="notice bad">{words.admin.secretLost}</p>;
  return (
    <Secret
      title={say.codeFor(name)}
      value={`parking-agent claim --cloud ${location.origin} --code ${claim_code}`}
      label={say.copyCommand}
      onDone={onDone}
      before={
        <>
          <strong class="code">{claim_code}</strong>
          {claim_qr !== null && <QrCode text={claim_qr} name={say.codeQr(name)} />}
          <p>{say.onDevice}</p>
        </>
      }
    >
      <p>{say.waiting}</p>
    </Secret>
  );
}
