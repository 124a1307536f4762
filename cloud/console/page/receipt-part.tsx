/** The receipt of a stay, on paper: what was paid for what, in the reader's language and by the clocks of the lot. */
import type { components } from '@parking-gateway/client';
import { minorUnits, majorUnits } from '../../../shared/currencies.js';
import { taxWithin } from '../../traffic/tariff/tax-within.js';
import { moneyOf, paperTimeOf, words } from './browser.js';
import { Button, joined } from './parts.js';
import { PriceLines } from './stay-price-part.js';
import { printAlone } from './printed-only.js';
import { shownPlateOf } from './session-plates.js';
import { lots, serverMinute, type Session, timezoneOf, zoneOf } from './store.js';

type Payment = components['schemas']['SessionPayment'];

interface Paid {
  session: Session;
  payments: readonly Payment[];
}

export const ReceiptButton = (paid: Paid) => (
  <Button word={words.payments.receipt.print} onClick={() => printAlone(<Receipt {...paid} />)} />
);

function Receipt({ session, payments }: Paid) {
  const { zone_id, lot_id, public_id, created_at, ended_at, currency, amount_due, amount_paid, overpaid } = session;
  const say = words.payments.receipt;
  const lot = lots.value.find(({ id }) => id === lot_id);
  const at = (iso: string) => paperTimeOf(iso, timezoneOf(zone_id));
  const now = new Date(serverMinute()).toISOString();
  const money = (amount: number) => moneyOf(amount, currency);
  const facts = [
    [words.forms.plate, shownPlateOf(session)],
    [words.forms.zone, zoneOf(zone_id)?.name ?? '–'],
    [words.sessions.entered, at(created_at)],
    [words.sessions.left, ended_at === null ? say.until(at(now)) : at(ended_at)],
  ] as const;
  return (
    <>
      <h1>{lot?.name ?? ''}</h1>
      <p>{lot?.address ?? ''}</p>
      <h2>{say.title}</h2>
      <p>{joined([`${say.number} ${public_id}`, say.printed(at(now))])}</p>
      <table>
        <tbody>
          {facts.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <PriceLines session={session} />
      <Tax session={session} />
      <table class="price">
        <tbody>
          {payments.toReversed().map(({ id, amount, reference, created_at: paid_at }) => (
            <tr key={id}>
              <th scope="row">
                {joined([at(paid_at), amount < 0 ? words.payments.refunded : words.payments.received, reference])}
              </th>
              <td>{money(amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <Sum name={say.paid} amount={money(amount_paid)} />
          {amount_due > 0 && <Sum name={say.due} amount={money(amount_due)} />}
          {overpaid > 0 && <Sum name={say.overpaid} amount={money(overpaid)} />}
        </tfoot>
      </table>
    </>
  );
}

const Sum = ({ name, amount }: { name: string; amount: string }) => (
  <tr>
    <th scope="row">{name}</th>
    <td>{amount}</td>
  </tr>
);

/** That of the price, which the tariff had as the stay began. */
function Tax({ session: { vat, currency, amount_due, amount_paid, overpaid } }: { session: Session }) {
  const price = minorUnits(Number((amount_due + amount_paid - overpaid).toFixed(4)), currency) ?? 0;
  const tax = vat === null ? null : taxWithin(price, vat);
  if (tax === null || vat === null) return null;
  const percent = new Intl.NumberFormat(words.locale, { maximumFractionDigits: 4 }).format(Number(vat));
  return (
    <p>
      {words.payments.receipt.tax(percent)}: {moneyOf(majorUnits(tax, currency), currency)}
    </p>
  );
}
