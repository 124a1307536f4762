/** What was paid for a stay, and the taking of money and giving back of it. */
import { ParkingError } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { numberIn, overpaidBy, paymentFaults } from '../wording/money-checks.js';
import { mayGiveMoney, mayPay } from './account-settings.js';
import { moneyOf, timeOf, words } from './browser.js';
import { newKey, useDraft } from './draft.js';
import { Field } from './fields.js';
import { CallsShown } from './made-calls.js';
import { Button, joined, Notice, Question, Refused } from './parts.js';
import { ReceiptButton } from './receipt-part.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { type Session, sessionChanges, timezoneOf } from './store.js';
import { useRead } from './use-read.js';

const PAYMENTS_MAX = 100;
const NOTHING = { amount: '', reference: '', reason: '' };

export function Payments({ session }: { session: Session }) {
  const { id, currency, amount_due, amount_paid, overpaid } = session;
  const paid = useRead(`${id} ${amount_paid}`, (signal) =>
    client().get('/v2/sessions/{id}/payments', { path: { id }, query: { size: PAYMENTS_MAX }, signal }),
  );
  const say = words.payments;
  return (
    <section class="payments" aria-label={say.title}>
      {currency !== null && (
        <>
          <p>
            {joined([
              say.due(moneyOf(amount_due, currency)),
              say.paid(moneyOf(amount_paid, currency)),
              overpaid > 0 && say.overpaid(moneyOf(overpaid, currency)),
            ])}
          </p>
          {mayPay.value ? <Pay session={session} currency={currency} /> : <p class="facts">{say.mayNot}</p>}
        </>
      )}
      <Refused refusal={paid.refusal} />
      {paid.found !== null && paid.found.length > 0 && (
        <>
          <ul class="lines">
            {paid.found.map(({ id: payment, amount, reference, reason, created_by_name, created_at }) => (
              <li key={payment}>
                <span>
                  {joined([
                    timeOf(created_at, timezoneOf(session.zone_id)),
                    amount < 0 ? say.refunded : say.received,
                    created_by_name !== null && say.by(created_by_name),
                    reference,
                    reason,
                  ])}
                </span>
                <strong>{moneyOf(amount, currency)}</strong>
              </li>
            ))}
          </ul>
          <div class="buttons">
            <ReceiptButton session={session} payments={paid.found} />
          </div>
        </>
      )}
    </section>
  );
}

/** A payment that is more than is due is one of its own: the person was asked. */
type Kind = 'pay' | 'overpay' | 'refund';

/** The money that is taken or given back: what is typed, what is wrong with it, and the sending of it. */
function usePayment({ id, amount_due, amount_paid }: Session, currency: string) {
  const say = words.payments;
  const due = amount_due > 0 ? String(amount_due) : '';
  // The amount due grows while the form is open: only what was typed is kept. The key goes with what is typed, so that the same money is
  // taken once: pressed again after a lost answer, or after a reload.
  const [form, reset] = useDraft(`pay-${id}`, { ...NOTHING, key: newKey(), sentAs: '', isTyped: false });
  /** null: something else was typed since. */
  const kind = useSignal<Kind | null>(null);
  const notice = useSignal('');
  const amount = form.value.isTyped ? form.value.amount : due;
  const { reference, reason } = form.value;
  const about = () => ({
    currency,
    paid: amount_paid,
    isRefund: kind.value === 'refund',
    format: (each: number) => moneyOf(each, currency),
  });
  const sending = useSending(['amount', 'reference', 'reason'], () =>
    kind.value === null ? {} : paymentFaults({ amount, reference, reason }, about(), words),
  );
  const set = (changed: Partial<typeof NOTHING>) => {
    form.value = { ...form.value, amount, ...changed, isTyped: true, sentAs: '', key: newKey() };
    kind.value = null;
    sending.forgive();
    notice.value = '';
  };
  const isAsking = useSignal(false);
  const send = async (next: Kind) => {
    kind.value = next;
    const number = numberIn(amount) ?? 0;
    const body = {
      amount: next === 'refund' ? -number : number,
      ...(reference === '' ? {} : { reference }),
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      ...(next === 'overpay' ? { overpays: true } : {}),
    };
    const pay = async () => {
      // An idempotency key belongs to one amount in one direction.
      const isOther = form.value.sentAs !== '' && form.value.sentAs !== next;
      form.value = { ...form.value, amount, isTyped: true, sentAs: next, ...(isOther ? { key: newKey() } : {}) };
      try {
        await client().post('/v2/sessions/{id}/payments', { path: { id }, body, idempotencyKey: form.value.key });
      } catch (error) {
        // What was refused left nothing: the next press may be another payment.
        if (error instanceof ParkingError && error.status > 0) form.value = { ...form.value, sentAs: '' };
        throw error;
      }
      notice.value = (next === 'refund' ? say.refundedNow : say.paidNow)(moneyOf(number, currency));
      reset();
      form.value = { ...form.value, key: newKey() };
      sessionChanges.value += 1;
    };
    await sending.send(pay, { call: { method: 'POST', path: `/v2/sessions/${id}/payments`, body } });
    isAsking.value = false;
  };
  const beyond = overpaidBy(numberIn(amount) ?? 0, { amount_due, currency });
  /** Asks first where it is more than is due, unless the same was sent already and its answer was lost. */
  const pay = () => {
    const { sentAs } = form.value;
    if (sentAs === 'pay' || sentAs === 'overpay') return send(sentAs);
    if (beyond === 0) return send('pay');
    kind.value = 'pay';
    const isRight = Object.keys(paymentFaults({ amount, reference, reason }, about(), words)).length === 0;
    if (!isRight) return send('pay');
    isAsking.value = true;
    return undefined;
  };
  return { form: { amount, reference, reason }, set, sending, send, pay, beyond, isAsking, notice: notice.value };
}

function Pay({ session, currency }: { session: Session; currency: string }) {
  const { form, set, sending, send, pay, beyond, isAsking, notice } = usePayment(session, currency);
  const { faults, isBusy } = sending;
  const say = words.payments;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void pay();
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
        <Field
          label={say.reason}
          value={form.reason}
          onValue={(reason) => set({ reason })}
          fault={faults.reason}
          hint={say.reasonHint}
        />
      </div>
      <Refused refusal={sending.refusal} />
      <Notice text={notice} />
      <div class="buttons">
        <Button look="main" word={say.pay} isBusy={isBusy} />
        {mayGiveMoney.value && session.amount_paid > 0 && (
          <Button word={say.refund} isBusy={isBusy} onClick={() => send('refund')} />
        )}
      </div>
      <CallsShown made={sending.made} />
      {isAsking.value && (
        <Question
          title={say.overpays(moneyOf(beyond, currency))}
          yes={say.overpaysYes}
          isDanger={false}
          isNoFirst
          isBusy={isBusy}
          onYes={() => send('overpay')}
          onNo={() => (isAsking.value = false)}
        >
          <p>{say.overpaysWhat}</p>
        </Question>
      )}
    </form>
  );
}
