/** What was paid for a stay, and the taking of money and giving back of it. */
import { useSignal } from '@preact/signals';
import { numberIn, paymentFaults } from '../wording/money-checks.js';
import { moneyOf, timeOf, words } from './browser.js';
import { newKey, useDraft } from './draft.js';
import { Field } from './fields.js';
import { CallsShown } from './made-calls.js';
import { Button, joined, Refused, Notice } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { type Session, sessionChanges, timezoneOf } from './store.js';
import { useRead } from './use-read.js';

const PAYMENTS_MAX = 100;

export function Payments({ session }: { session: Session }) {
  const { id, currency, amount_due, amount_paid } = session;
  const paid = useRead(`${id} ${amount_paid}`, (signal) =>
    client().get('/v2/sessions/{id}/payments', { path: { id }, query: { size: PAYMENTS_MAX }, signal }),
  );
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
      <Refused refusal={paid.refusal} />
      {paid.found !== null && paid.found.length > 0 && (
        <ul class="lines">
          {paid.found.map(({ id: payment, amount, reference, created_at }) => (
            <li key={payment}>
              <span>
                {joined([
                  timeOf(created_at, timezoneOf(session.zone_id)),
                  amount < 0 ? say.refunded : say.received,
                  reference,
                ])}
              </span>
              <strong>{moneyOf(amount, currency)}</strong>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Kind = 'pay' | 'refund';

/** The money that is taken or given back: what is typed, what is wrong with it, and the sending of it. */
function usePayment({ id, amount_due, amount_paid }: Session, currency: string) {
  const say = words.payments;
  const due = amount_due > 0 ? String(amount_due) : '';
  // The amount due grows while the form is open: only what was typed is kept. The key goes with what is typed, so that the same money is
  // taken once: pressed again after a lost answer, or after a reload.
  const [form, reset] = useDraft(`pay-${id}`, { amount: '', reference: '', key: newKey(), sentAs: '', isTyped: false });
  /** null: something else was typed since. */
  const kind = useSignal<Kind | null>(null);
  const notice = useSignal('');
  const amount = form.value.isTyped ? form.value.amount : due;
  const { reference } = form.value;
  const about = () => ({
    currency,
    paid: amount_paid,
    isRefund: kind.value === 'refund',
    format: (each: number) => moneyOf(each, currency),
  });
  const sending = useSending(['amount', 'reference'], () =>
    kind.value === null ? {} : paymentFaults({ amount, reference }, about(), words),
  );
  const set = (changed: { amount?: string; reference?: string }) => {
    form.value = { ...form.value, amount, ...changed, isTyped: true, sentAs: '', key: newKey() };
    kind.value = null;
    sending.forgive();
    notice.value = '';
  };
  const send = (next: Kind) => {
    kind.value = next;
    const number = numberIn(amount) ?? 0;
    const body = { amount: next === 'refund' ? -number : number, ...(reference === '' ? {} : { reference }) };
    const pay = async () => {
      // An idempotency key belongs to one amount in one direction.
      const isOther = form.value.sentAs !== '' && form.value.sentAs !== next;
      form.value = { ...form.value, amount, isTyped: true, sentAs: next, ...(isOther ? { key: newKey() } : {}) };
      await client().post('/v2/sessions/{id}/payments', { path: { id }, body, idempotencyKey: form.value.key });
      notice.value = (next === 'refund' ? say.refundedNow : say.paidNow)(moneyOf(number, currency));
      reset();
      form.value = { ...form.value, key: newKey() };
      sessionChanges.value += 1;
    };
    return sending.send(pay, { call: { method: 'POST', path: `/v2/sessions/${id}/payments`, body } });
  };
  return { form: { amount, reference }, set, sending, send, notice: notice.value };
}

function Pay({ session, currency }: { session: Session; currency: string }) {
  const { form, set, sending, send, notice } = usePayment(session, currency);
  const { faults, isBusy } = sending;
  const say = words.payments;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void send('pay');
  };
  return (
    <form class="pay" noValidate onSubmit={submit} aria-label={say.title}>
      <div class="pair">
        <Field
          label={say.amount(currency)}
          value={form.amount}
          onValue={(amount) => set({ amount })}
          fault={faults.amount}
        />
        <Field
          label={say.reference}
          value={form.reference}
          onValue={(reference) => set({ reference })}
          fault={faults.reference}
          hint={say.referenceHint}
        />
      </div>
      <Refused refusal={sending.refusal} />
      <Notice text={notice} />
      <div class="buttons">
        <Button look="main" word={say.pay} isBusy={isBusy} />
        {session.amount_paid > 0 && <Button word={say.refund} isBusy={isBusy} onClick={() => send('refund')} />}
      </div>
      <CallsShown made={sending.made} />
    </form>
  );
}
