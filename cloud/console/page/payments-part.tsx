/** What was paid for a stay, and the taking of money and giving back of it. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import { faultsOfRefusal, numberIn, paymentFaults } from '../wording/money-checks.js';
import type { Refusal, ShownCall } from '../wording/sentences.js';
import { moneyOf, timeOf, words } from './browser.js';
import { useDraft } from './draft.js';
import { CallShown, Field, Refused } from './parts.js';
import { client, refusalOf } from './session.js';
import { type Session, sessionChanges, timezoneOf } from './store.js';

type Payment = components['schemas']['SessionPayment'];

const KEY_BYTES = 16;
const PAYMENTS_MAX = 100;

export function Payments({ session }: { session: Session }) {
  const { id, currency, amount_due, amount_paid } = session;
  const paid = useSignal<Payment[]>([]);
  const refusal = useSignal<Refusal | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      try {
        const query = { size: PAYMENTS_MAX };
        paid.value = await client().get('/v2/sessions/{id}/payments', { path: { id }, query, signal: abort.signal });
      } catch (error) {
        if (!abort.signal.aborted) refusal.value = refusalOf(error);
      }
    };
    void read();
    return () => abort.abort();
  }, [id, amount_paid]);
  const say = words.payments;
  return (
    <section class="payments" aria-label={say.title}>
      {currency === null ? (
        <p class="facts">{say.noTariff}</p>
      ) : (
        <>
          <p>
            {say.due(moneyOf(amount_due, currency))} · {say.paid(moneyOf(amount_paid, currency))}
          </p>
          <Pay session={session} currency={currency} />
        </>
      )}
      <Refused refusal={refusal.value} />
      {paid.value.length > 0 && (
        <ul class="lines">
          {paid.value.map(({ id: payment, amount, reference, created_at }) => (
            <li key={payment}>
              <span>
                {[timeOf(created_at, timezoneOf(session.zone_id)), amount < 0 ? say.refunded : say.taken, reference]
                  .filter((part) => part !== null && part !== '')
                  .join(' · ')}
              </span>
              <strong>{moneyOf(amount, currency)}</strong>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A key that goes with what is typed: pressed again after a lost answer, or after a reload, the same money is taken once. */
const newKey = () => crypto.getRandomValues(new Uint8Array(KEY_BYTES)).join('-');

function Pay({ session, currency }: { session: Session; currency: string }) {
  const { id, amount_due, amount_paid } = session;
  const due = amount_due > 0 ? String(amount_due) : '';
  // The amount due grows while the form is open: only what was typed is kept.
  const [form, reset] = useDraft(`pay-${id}`, { amount: '', reference: '', key: newKey(), sentAs: '', isTyped: false });
  const sent = useSignal<'pay' | 'refund' | null>(null);
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const call = useSignal<ShownCall | null>(null);
  const told = useSignal('');
  const say = words.payments;
  const amount = form.value.isTyped ? form.value.amount : due;
  const { reference } = form.value;
  const faultsOf = (kind: 'pay' | 'refund') =>
    paymentFaults(
      { amount, reference },
      { currency, paid: amount_paid, isRefund: kind === 'refund', tell: (each) => moneyOf(each, currency) },
      words,
    );
  const faults = { ...faultsOfRefusal(refusal.value, words), ...(sent.value === null ? {} : faultsOf(sent.value)) };
  const set = (changed: Partial<typeof form.value>) => {
    form.value = { ...form.value, amount, ...changed, isTyped: true, sentAs: '', key: newKey() };
    sent.value = null;
    refusal.value = null;
    told.value = '';
  };
  const send = async (kind: 'pay' | 'refund') => {
    sent.value = kind;
    if (isBusy.value || Object.keys(faultsOf(kind)).length > 0) return;
    isBusy.value = true;
    refusal.value = null;
    const number = numberIn(amount) ?? 0;
    const body = { amount: kind === 'refund' ? -number : number, ...(reference === '' ? {} : { reference }) };
    // A key belongs to one amount in one direction.
    const isOther = form.value.sentAs !== '' && form.value.sentAs !== kind;
    form.value = { ...form.value, amount, isTyped: true, sentAs: kind, ...(isOther ? { key: newKey() } : {}) };
    try {
      await client().post('/v2/sessions/{id}/payments', { path: { id }, body, idempotencyKey: form.value.key });
      call.value = { method: 'POST', path: `/v2/sessions/${id}/payments`, body };
      told.value = (kind === 'refund' ? say.refundedNow : say.takenNow)(moneyOf(number, currency));
      sent.value = null;
      reset();
      form.value = { ...form.value, key: newKey() };
      sessionChanges.value += 1;
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void send('pay');
  };
  return (
    <form class="pay" noValidate onSubmit={submit} aria-label={say.title}>
      <div class="pair">
        <Field
          label={say.amount(currency)}
          value={amount}
          onValue={(value) => set({ amount: value })}
          fault={faults.amount}
        />
        <Field
          label={say.reference}
          value={reference}
          onValue={(value) => set({ reference: value })}
          fault={faults.reference}
          hint={say.referenceHint}
        />
      </div>
      {faults.amount === undefined && <Refused refusal={refusal.value} />}
      <p role="status" class={told.value === '' ? 'hidden' : 'notice good'}>
        {told.value}
      </p>
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={isBusy.value}>
          {say.pay}
        </button>
        {amount_paid > 0 && (
          <button type="button" aria-disabled={isBusy.value} onClick={() => void send('refund')}>
            {say.refund}
          </button>
        )}
      </div>
      {call.value !== null && <CallShown call={call.value} />}
    </form>
  );
}
