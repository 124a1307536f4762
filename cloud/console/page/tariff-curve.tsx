/** What a tariff costs by the length of a stay, as curve and as examples, computed by the code that bills. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { localMs } from '../wording/analytics-range.js';
import {
  CURVE_MINUTES,
  curveMinutes,
  EXAMPLE_MINUTES,
  instantOf,
  lastOfSteps,
  mondayMorning,
  type PricedBody,
  priceOfMinutes,
} from '../wording/tariff-prices.js';
import { spanOf } from '../wording/sentences.js';
import { moneyOf, words } from './browser.js';
import { ColumnHeads } from './parts.js';
import { Plot, type PlotData, type PlotSeries } from './plot.js';
import { lots } from './store.js';
import { Choice, Field } from './fields.js';

const DAY_MINUTES = 1_440;
/** By how many minutes marks below the curve can be apart. */
const MARK_MINUTES = [15, 30, 60, 120, 240, 360, 720, 1_440, 2_880];

/** `1 h`, `1 h 30 min`, `3 d` */
export const lengthOf = (minutes: number): string => spanOf(minutes * 60, words).replace(/ 0 \S+$/u, '');

const timezones = (): string[] => {
  const found = [...new Set(lots.value.map(({ timezone }) => timezone))];
  return found.length === 0 ? ['UTC'] : found;
};

/** @param before the tariff as it is saved, when what is shown is not */
export function TariffCurve({ body, before }: { body: PricedBody; before?: PricedBody | undefined }) {
  const zone = useSignal(timezones()[0] ?? 'UTC');
  const begins = useSignal(mondayMorning(localMs(Date.now(), zone.value)));
  const most = useSignal(DAY_MINUTES);
  const crosshair = useSignal<number | null>(null);
  const say = words.tariffs;
  const key = JSON.stringify([body, before, zone.value, begins.value, most.value]);
  const { data, stops, priceNow, priceBefore } = useMemo(() => {
    const pricesOf = (tariff: PricedBody) =>
      priceOfMinutes(tariff, zone.value, instantOf(begins.value, zone.value) ?? Date.now());
    const now = pricesOf(body);
    // Of another currency nothing can be compared.
    const saved = before === undefined || before.currency !== body.currency ? null : pricesOf(before);
    const xs = curveMinutes(most.value);
    const values = xs.map(now);
    const shownNow: PlotSeries = { name: say.now, values, as: 'steps', tone: 1 };
    const shownBefore: PlotSeries[] =
      saved === null ? [] : [{ name: say.before, values: xs.map(saved), as: 'steps', tone: 2, isDashed: true }];
    const drawn: PlotData = { xs, series: [shownNow, ...shownBefore] };
    return { data: drawn, stops: lastOfSteps(values), priceNow: now, priceBefore: saved };
  }, [key]);
  const money = (amount: number) => moneyOf(amount, body.currency);
  const marksFor = (room: number) => {
    const apart = MARK_MINUTES.find((each) => most.value / each <= room) ?? DAY_MINUTES;
    return data.xs.flatMap((minutes, at) => (minutes > 0 && minutes % apart === 0 ? [at] : []));
  };
  return (
    <div class="curve">
      <div class="filters search">
        <Field
          label={say.begins}
          type="datetime-local"
          value={begins.value}
          onValue={(value) => (begins.value = value)}
          fault={instantOf(begins.value, zone.value) === null ? words.signIn.missing : undefined}
        />
        {timezones().length > 1 && (
          <Choice
            label={say.zoneOf}
            value={zone.value}
            onValue={(value) => (zone.value = value)}
            options={timezones().map((value) => ({ value, text: value.replaceAll('_', ' ') }))}
          />
        )}
        <Choice
          label={say.upTo}
          value={String(most.value)}
          onValue={(value) => (most.value = Number(value))}
          options={CURVE_MINUTES.map((minutes) => ({ value: String(minutes), text: lengthOf(minutes) }))}
        />
      </div>
      <Plot
        title={say.curve}
        data={data}
        crosshair={crosshair}
        stops={stops}
        pointName={say.upTo}
        nameOf={(at) => lengthOf(data.xs[at] ?? 0)}
        markOf={(at) => lengthOf(data.xs[at] ?? 0)}
        marksFor={marksFor}
        format={money}
      />
      <Examples prices={[priceNow, ...(priceBefore === null ? [] : [priceBefore])]} money={money} />
    </div>
  );
}

/** What stays of usual lengths cost. @param props.prices now, and before where that is another one */
function Examples(props: { prices: readonly ((minutes: number) => number)[]; money: (amount: number) => string }) {
  const { prices, money } = props;
  const say = words.tariffs;
  return (
    <table class="examples">
      <caption>{say.examples}</caption>
      <thead>
        <tr>
          <ColumnHeads names={[say.stay, say.costs, say.before].slice(0, 1 + prices.length)} />
        </tr>
      </thead>
      <tbody>
        {EXAMPLE_MINUTES.map((minutes) => (
          <tr key={minutes}>
            <th scope="row">{lengthOf(minutes)}</th>
            {prices.map((priceOf, at) => (
              <td key={at}>{money(priceOf(minutes))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
