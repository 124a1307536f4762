/** What a tariff costs by the length of a stay, as curve and as examples, computed by the code that bills. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { localMs } from '../wording/analytics-range.js';
import {
  CURVE_MINUTES,
  curveMinutes,
  EXAMPLE_MINUTES,
  type ExampleStay,
  exampleHours,
  HOURS,
  instantOf,
  lastOfSteps,
  mondayMorning,
  type PricedBody,
  priceOfMinutes,
  priceOfStay,
} from '../wording/tariff-prices.js';
import { moneyFormat } from '../wording/money-format.js';
import { lengthText } from '../wording/sentences.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { moneyOf, words } from './browser.js';
import { ColumnHeads } from './parts.js';
import { Plot, type PlotData, type PlotSeries } from './plot.js';
import { lots } from './store.js';
import { Choice, Field } from './fields.js';

const DAY_MINUTES = 1_440;
/** By how many minutes marks below the curve can be apart. */
const MARK_MINUTES = [15, 30, 60, 120, 240, 360, 720, 1_440, 2_880];

export const lengthOf = (minutes: number): string => lengthText(minutes, words);

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
  const { data, stops } = useMemo(() => {
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
    return { data: drawn, stops: lastOfSteps(values) };
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
      <Examples body={body} before={before} begins={begins.value} timezone={zone.value} money={money} />
    </div>
  );
}

/** Lengths that people think of, and hours that often have a price of their own. */
function exampleStays(begins: string, timezone: string): { name: string; stay: ExampleStay }[] {
  const began_ms = instantOf(begins, timezone) ?? Date.now();
  const say = words.tariffs;
  const { night, saturday } = exampleHours(begins.slice(0, 10), timezone);
  const hours = [
    { name: say.overNight(HOURS.night.from, HOURS.night.to), stay: night },
    { name: say.onSaturday(HOURS.saturday.from, HOURS.saturday.to), stay: saturday },
  ];
  return [
    ...EXAMPLE_MINUTES.map((minutes) => ({
      name: lengthOf(minutes),
      stay: { began_ms, ended_ms: began_ms + minutes * MINUTE_MS },
    })),
    ...hours.flatMap(({ name, stay }) => (stay === null ? [] : [{ name, stay }])),
  ];
}

/** What stays cost, and where the tariff is changed what they cost by the saved one, and the difference. */
function Examples(props: {
  body: PricedBody;
  before: PricedBody | undefined;
  begins: string;
  timezone: string;
  money: (amount: number) => string;
}) {
  const { body, before, begins, timezone, money } = props;
  const say = words.tariffs;
  const now = priceOfStay(body, timezone);
  const saved = before === undefined || before.currency !== body.currency ? null : priceOfStay(before, timezone);
  const difference = moneyFormat(words.locale, body.currency, 'signed');
  return (
    <table class="examples">
      <caption>{say.examples}</caption>
      <thead>
        <tr>
          <ColumnHeads names={[say.stay, say.costs, ...(saved === null ? [] : [say.before, say.difference])]} />
        </tr>
      </thead>
      <tbody>
        {exampleStays(begins, timezone).map(({ name, stay }) => {
          const amount = now(stay);
          const was = saved?.(stay) ?? amount;
          return (
            <tr key={name} class={amount === was ? undefined : 'changed'}>
              <th scope="row">{name}</th>
              <td>{money(amount)}</td>
              {saved !== null && <td>{money(was)}</td>}
              {saved !== null && <td>{amount === was ? '–' : difference.format(amount - was)}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
