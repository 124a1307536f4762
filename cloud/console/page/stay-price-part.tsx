/** What a stay costs, line by line, and who made minutes of it free. */
import { priceLineWords } from '../wording/line-words.js';
import { UNLIMITED_MINUTES } from '../wording/money-checks.js';
import { moneyOf, timeOf, weekdayOf, words } from './browser.js';
import { joined } from './parts.js';
import { type Session, timezoneOf } from './store.js';

const sum = ({ amount_due, amount_paid, overpaid }: Session): number => amount_due + amount_paid - overpaid;

/** The lines with their sum, on the screen and on paper. */
export function PriceLines({ session }: { session: Session }) {
  const { price_lines: lines, currency } = session;
  const formats = { money: moneyOf, weekday: weekdayOf };
  if (lines.length === 0) return null;
  return (
    <table class="price">
      <tbody>
        {lines.map(({ from, text, amount }) => (
          <tr key={from}>
            <th scope="row">{priceLineWords(text, formats, words)}</th>
            <td>{moneyOf(amount, currency)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{words.payments.total}</th>
          <td>{moneyOf(sum(session), currency)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

export function Price({ session }: { session: Session }) {
  const say = words.payments;
  const { tariff_name, currency } = session;
  return (
    <section class="payments" aria-label={say.lines}>
      <h2>{say.lines}</h2>
      {currency === null ? (
        <p class="facts">{say.noTariff}</p>
      ) : (
        <p class="facts">{tariff_name !== null && tariff_name !== '' && say.tariff(tariff_name)}</p>
      )}
      <PriceLines session={session} />
      <Granted session={session} />
    </section>
  );
}

/** Whose decision the free minutes were, when and why. */
function Granted({ session }: { session: Session }) {
  const { discount_time, discount_reason, discount_granted_by, discount_granted_at, zone_id } = session;
  const say = words.payments;
  if (discount_time === null || discount_granted_by === null || discount_granted_at === null) return null;
  const what = discount_time === UNLIMITED_MINUTES ? say.grantedAll : say.grantedMinutes(discount_time);
  const at = timeOf(discount_granted_at, timezoneOf(zone_id));
  return <p class="facts">{joined([say.granted(what, discount_granted_by, at), discount_reason])}</p>;
}
