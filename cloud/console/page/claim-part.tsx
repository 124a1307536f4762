/** How a device becomes a gateway: by a code that is shown once, to be scanned or typed. */
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import { AddingForm } from './adding-form.js';
import { Secret } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { ClaimFilePart } from './claim-file-part.js';
import { Choice, missing, named } from './fields.js';
import { useForm } from './form-parts.js';
import { QrCode } from './qr-code.js';
import { client, refusalOf } from './session.js';
import { gatewayOf, loadDevices, type Lot, lots, timezoneOfLot } from './store.js';

const say = words.devices;

export type ClaimCodeFacts = components['schemas']['GatewayWithClaimCode'];

/** @param props.lot in which it shall be; left out: the person chooses */
export function AddGateway({ lot: given, onMade }: { lot?: Lot; onMade: (made: ClaimCodeFacts) => void }) {
  const { form, set, sending, submit, field } = useForm('gateway', { name: '', lot: '' }, ['name', 'lot_id'], (typed) =>
    missing('name', typed.name),
  );
  const { name } = form;
  const first = given ?? lots.value[0];
  const lot = form.lot === '' || given !== undefined ? String(first?.id ?? '') : form.lot;
  const body = { name, ...(lot === '' ? {} : { lot_id: Number(lot) }) };
  const send = () =>
    submit(async () => {
      onMade(await client().post('/v2/gateways', { body }));
      await loadDevices();
    });
  return (
    <AddingForm
      label={say.add}
      yes={say.makeCode}
      isAlone={given !== undefined}
      sending={sending}
      call={{ method: 'POST', path: '/v2/gateways', body }}
      onSend={send}
    >
      <p class="facts">{say.addWhat}</p>
      <div class="pair">
        {field('name', words.forms.name)}
        {given === undefined && (
          <Choice
            label={words.forms.lot}
            value={lot}
            onValue={(value) => set({ lot: value })}
            options={named(lots.value)}
          />
        )}
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
export function ClaimCode(props: { code: ClaimCodeFacts; onMade: (made: ClaimCodeFacts) => void; onDone: () => void }) {
  const { onMade, onDone } = props;
  const { id, name, lot_id, claim_code, claim_qr, claim_code_expires_at: end } = props.code;
  const claimedAt = gatewayOf(id)?.claimed_at ?? null;
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
  return (
    <Secret
      title={say.codeFor(name, end === null ? null : timeOf(end, timezoneOfLot(lot_id)))}
      value={claim_code && `parking-agent claim --cloud ${location.origin} --code ${claim_code}`}
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
      {claim_code !== null && <ClaimFilePart id={id} code={claim_code} onMade={onMade} />}
      <p>{say.waiting}</p>
    </Secret>
  );
}
