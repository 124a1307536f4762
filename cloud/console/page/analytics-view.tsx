/** How many came and left, how full it was, how long they stayed and what they paid: plots that share their days and their crosshair. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import {
  addDays,
  comparedWith,
  comparisonOf,
  dayAt,
  daysIn,
  laidOver,
  marksOf,
  rangeOf,
  stepOf,
  stepsFor,
  visitGroups,
} from '../wording/analytics-range.js';
import { moneyFormat } from '../wording/money-format.js';
import { type Refusal, spanOf } from '../wording/sentences.js';
import { AnalyticsCsv } from './analytics-csv.js';
import { type Analytics, type AnalyticsAsked, readAnalytics, type Vehicle } from './analytics-data.js';
import { moneyOf, timeOf, words } from './browser.js';
import { Choice, Field, named, QueryChoice, worded } from './fields.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Empty, joined, Link, Refused } from './parts.js';
import { goTo, query, queryOf, setQuery } from './place.js';
import { isMasked, shownPlate } from './plate-mask.js';
import { periodFormats } from './period-formats.js';
import { Plot, type PlotData, type PlotSeries } from './plot.js';
import { refusalOf } from './session.js';
import { isLoaded, lots, minute, serverMinute, zones } from './store.js';

interface Shown {
  asked: AnalyticsAsked;
  now: Analytics;
  /** What it is compared with, laid over the same periods. */
  earlier: (Analytics & { from: string; to: string }) | null;
}

/** The zone in which days are meant: that of the lots, if they share one, as the service does it. */
function timezoneOf(lot: string): string {
  const [first = 'UTC', ...others] = new Set(
    lots.value.filter(({ id }) => lot === '' || String(id) === lot).map(({ timezone }) => timezone),
  );
  return others.length === 0 ? first : 'UTC';
}

export function AnalyticsView() {
  const shown = useSignal<Shown | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const isReading = useSignal(false);
  const again = useSignal(0);
  const crosshair = useSignal<number | null>(null);
  const [lot, zone] = [queryOf('lot'), queryOf('zone')];
  const timezone = timezoneOf(lot);
  const today = dayAt(serverMinute(), timezone);
  const range = rangeOf({ from: query.value.get('from'), to: query.value.get('to') }, today);
  const step = stepOf(query.value.get('by'), daysIn(range));
  const comparison = comparisonOf(query.value.get('with'));
  const question: AnalyticsAsked = { range, step, lot, zone, timezone };
  // Past days do not change; today is read again every minute.
  const news = range.to >= today ? minute.value : 0;
  const key = JSON.stringify([question, comparison, isLoaded.value, again.value, news]);
  useEffect(() => {
    if (!isLoaded.value) return;
    const abort = new AbortController();
    const read = async () => {
      isReading.value = true;
      try {
        const other = comparison === null ? null : comparedWith(range, comparison);
        const [now, earlier] = await Promise.all([
          readAnalytics(question, abort.signal),
          other === null ? null : readAnalytics({ ...question, range: other.range }, abort.signal),
        ]);
        crosshair.value = null;
        shown.value = {
          asked: question,
          now,
          earlier:
            earlier === null || other === null
              ? null
              : { ...overlaid(now, earlier, { step, shiftDays: other.shiftDays }), ...other.range },
        };
        refusal.value = null;
      } catch (error) {
        if (!abort.signal.aborted) refusal.value = refusalOf(error);
      }
      if (!abort.signal.aborted) isReading.value = false;
    };
    void read();
    return () => abort.abort();
  }, [key]);
  if (!isLoaded.value) return <LoadingSign />;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.analytics}</h1>
        <Ranges today={today} range={range} />
      </div>
      <Filters asked={question} />
      <Refused refusal={refusal.value} onAgain={() => (again.value += 1)} />
      {shown.value === null ? (
        refusal.value === null && <Empty>{words.loading}</Empty>
      ) : (
        <div class={isReading.value ? 'analytics stale' : 'analytics'} aria-busy={isReading.value}>
          <Results shown={shown.value} crosshair={crosshair} />
        </div>
      )}
    </>
  );
}

/** Lays an earlier time over the periods that are shown. */
function overlaid(
  now: Analytics,
  earlier: Analytics,
  { step, shiftDays }: { step: AnalyticsAsked['step']; shiftDays: number },
): Analytics {
  const lay = (values: (number | null)[]) =>
    laidOver(now.starts, { starts: earlier.starts, values }, { step, timezone: now.timezone, shiftDays });
  return {
    ...earlier,
    entries: lay(earlier.entries),
    exits: lay(earlier.exits),
    durations: lay(earlier.durations),
    paid: lay(earlier.paid),
    occupied: lay(earlier.occupied),
  };
}

const PRESET_DAYS = [1, 7, 28, 84];

function Ranges({ today, range }: { today: string; range: { from: string; to: string } }) {
  const say = words.analytics;
  return (
    <div class="buttons" role="group" aria-label={say.ranges}>
      {PRESET_DAYS.map((days) => {
        const from = addDays(today, 1 - days);
        return (
          <Button
            key={days}
            look="small"
            word={days === 1 ? say.today : days <= 7 ? say.days(days) : say.weeks(days / 7)}
            isPressed={range.from === from && range.to === today}
            onClick={() => setQuery({ from, to: today, by: '' }, 'push')}
          />
        );
      })}
    </div>
  );
}

function Filters({ asked: { range, step, lot } }: { asked: AnalyticsAsked }) {
  const say = words.analytics;
  const ownZones = zones.value.filter(({ lot_id }) => lot === '' || String(lot_id) === lot);
  return (
    <search class="card filters">
      <Choice
        label={words.forms.lot}
        value={lot}
        onValue={(value) => setQuery({ lot: value, zone: '' })}
        options={named(lots.value, words.forms.allLots)}
      />
      {ownZones.length > 1 && (
        <QueryChoice name="zone" label={words.forms.zone} options={named(ownZones, words.forms.allZones)} />
      )}
      <Field
        label={words.forms.from}
        type="date"
        value={range.from}
        onValue={(from) => setQuery({ from, to: range.to })}
      />
      <Field
        label={words.forms.until}
        type="date"
        value={range.to}
        onValue={(to) => setQuery({ from: range.from, to })}
      />
      <Choice
        label={say.step}
        value={step}
        onValue={(by) => setQuery({ by })}
        options={worded(say.steps, stepsFor(daysIn(range)))}
      />
      <Choice
        label={say.compare}
        value={comparisonOf(queryOf('with') || null) ?? ''}
        onValue={(value) => setQuery({ with: value })}
        options={worded({ '': say.comparisons.none, ...say.comparisons }, ['', 'before', 'week', 'year'])}
      />
    </search>
  );
}

const countText = new Intl.NumberFormat(words.locale, { maximumFractionDigits: 1 });
const percentText = new Intl.NumberFormat(words.locale, { style: 'percent', maximumFractionDigits: 0 });
const changeText = new Intl.NumberFormat(words.locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
const spanText = (seconds: number) => spanOf(Math.round(seconds / 60) * 60, words);
/** Where an axis of times is cut, in seconds. */
const SPAN_CUTS = [60, 300, 600, 900, 1_800, ...[1, 2, 3, 6, 12, 24, 48, 120, 240].map((hours) => hours * 3_600)];
/** Of vehicles there are no halves. */
const COUNT_CUTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6];

function Results({
  shown,
  crosshair,
}: {
  shown: Shown;
  crosshair: { value: number | null } & Parameters<typeof Plot>[0]['crosshair'];
}) {
  const { asked, now, earlier } = shown;
  const say = words.analytics;
  const periods = useMemo(() => periodFormats(asked.step, now.timezone), [shown]);
  const data = useMemo(() => plotsOf(shown), [shown]);
  const money = (amount: number) => moneyOf(amount, now.currency);
  const moneyShort = useMemo(() => shortMoney(now.currency), [shown]);
  const common = {
    crosshair,
    pointName: say.period,
    nameOf: (at: number) => periods.name(now.starts[at] ?? 0),
    markOf: (at: number) => periods.mark(now.starts[at] ?? 0),
    marksFor: (most: number) => marksOf(now.starts, asked.step, now.timezone, most),
    onRange: (from: number, to: number) => {
      const [first = 0, last = 0] = [now.starts[from], now.starts[Math.min(to + 1, now.starts.length)]];
      const end = last === 0 ? asked.range.to : dayAt(last - 1, now.timezone);
      const start = dayAt(first, now.timezone);
      setQuery({ from: start < asked.range.from ? asked.range.from : start, to: end, by: '' }, 'push');
    },
  };
  return (
    <>
      <p class="facts">
        {joined([
          say.times(now.timezone),
          earlier !== null && say.compared(periods.day(earlier.from), periods.day(earlier.to)),
          say.draw,
        ])}
      </p>
      <AnalyticsCsv asked={asked} now={now} />
      <Totals shown={shown} />
      {now.totals.sessions_count === 0 && <p class="notice">{say.none}</p>}
      <div class="plots">
        <Plot {...common} title={say.traffic} data={data.traffic} format={formatCount} cuts={COUNT_CUTS} />
        <Plot {...common} title={say.occupied} data={data.occupied} format={formatCount} cuts={COUNT_CUTS} />
        <Plot
          {...common}
          title={say.duration}
          data={data.duration}
          format={spanText}
          formatShort={spanShort}
          cuts={SPAN_CUTS}
        />
        {now.currency === null && now.amounts.length > 1 ? (
          <section class="card plot">
            <h2>{say.paid}</h2>
            <p>{say.severalCurrencies}</p>
            <ul class="lines">
              {now.amounts.map(({ currency, amount_paid }) => (
                <li key={currency}>
                  <span>{currency}</span> <strong>{moneyOf(amount_paid, currency)}</strong>
                </li>
              ))}
            </ul>
          </section>
        ) : (
          <Plot {...common} title={say.paid} data={data.paid} format={money} formatShort={moneyShort} />
        )}
        <Visits shown={shown} />
        <Frequent vehicles={now.vehicles} />
      </div>
    </>
  );
}

const formatCount = (count: number) => countText.format(count);

/** `2:30`, without words: the axis has no room for them. */
const spanShort = (seconds: number) => {
  const minutes = Math.round(seconds / 60);
  return minutes < 60
    ? words.sessions.minutes(minutes)
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')} h`;
};

function shortMoney(currency: string | null): (amount: number) => string {
  if (currency === null) return formatCount;
  const format = moneyFormat(words.locale, currency, 'compact');
  return (amount) => format.format(amount);
}

function plotsOf({ now, earlier }: Shown): Record<'traffic' | 'occupied' | 'duration' | 'paid', PlotData> {
  const say = words.analytics;
  const xs = now.starts.map((_, at) => at);
  const before = (name: string, values: readonly (number | null)[] | undefined, tone: 1 | 2): PlotSeries[] =>
    values === undefined ? [] : [{ name: say.earlier(name), values, as: 'line', tone, isDashed: true }];
  const plot = (...series: PlotSeries[]): PlotData => ({ xs, series });
  const limit: PlotSeries[] =
    now.spots === 0 ? [] : [{ name: say.places, values: xs.map(() => now.spots), as: 'limit', tone: 3 }];
  return {
    traffic: plot(
      { name: say.entries, values: now.entries, as: 'bars', tone: 1 },
      { name: say.exits, values: now.exits, as: 'bars', tone: 2 },
      ...before(say.entries, earlier?.entries, 1),
      ...before(say.exits, earlier?.exits, 2),
    ),
    occupied: {
      ...plot(
        { name: say.inside, values: now.occupied, as: 'line', tone: 1 },
        ...before(say.inside, earlier?.occupied, 1),
        ...limit,
      ),
      ...(now.span === null ? {} : { span: now.span }),
    },
    duration: plot(
      { name: say.stay, values: now.durations, as: 'line', tone: 1 },
      ...before(say.stay, earlier?.durations, 1),
    ),
    paid: plot({ name: say.paid, values: now.paid, as: 'bars', tone: 1 }, ...before(say.paid, earlier?.paid, 1)),
  };
}

/** Of all vehicles those that came more than once, 0..1; null when nobody came. */
const returningShare = ({ vehicles, vehiclesCount }: Analytics): number | null =>
  vehiclesCount === 0 ? null : vehicles.filter(({ visits_count }) => visits_count > 1).length / vehiclesCount;

function Totals({ shown: { now, earlier } }: { shown: Shown }) {
  const say = words.analytics;
  const share = returningShare(now);
  // Not all were asked for: there may be more of them.
  const isLeast = now.vehicles.length < now.vehiclesCount && (now.vehicles.at(-1)?.visits_count ?? 1) > 1;
  const { sessions_count, average_duration, amount_paid } = now.totals;
  const same = earlier !== null && earlier.currency === now.currency;
  const figures: [string, string, number | null, number | null | undefined][] = [
    [say.stays, formatCount(sessions_count), sessions_count, earlier?.totals.sessions_count],
    [
      say.duration,
      average_duration === null ? '–' : spanText(average_duration),
      average_duration,
      earlier?.totals.average_duration,
    ],
    [
      say.paid,
      now.amounts.length === 0 ? '–' : now.amounts.map((each) => moneyOf(each.amount_paid, each.currency)).join(' + '),
      amount_paid,
      same ? earlier.totals.amount_paid : null,
    ],
    [
      say.returning,
      share === null ? '–' : isLeast ? say.atLeast(percentText.format(share)) : percentText.format(share),
      share,
      earlier === null ? null : returningShare(earlier),
    ],
  ];
  return (
    <dl class="totals">
      {figures.map(([name, text, value, before]) => (
        <div key={name} class="card">
          <dt>{name}</dt>
          <dd>
            <strong>{text}</strong>
            {value !== null && typeof before === 'number' && before > 0 && (
              <small>{say.change(changeText.format(value / before - 1))}</small>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How many vehicles came how often. Its points are no times: its crosshair is its own. */
function Visits({ shown }: { shown: Shown }) {
  const crosshair = useSignal<number | null>(null);
  const say = words.analytics;
  const groups = useMemo(() => groupsOf(shown.now), [shown]);
  const data = useMemo((): PlotData => {
    const earlier = shown.earlier === null ? null : groupsOf(shown.earlier);
    return {
      xs: groups.map((_, at) => at),
      series: [
        { name: say.vehicles, values: groups.map(({ count }) => count), as: 'bars', tone: 1 },
        ...(earlier === null
          ? []
          : [
              {
                name: say.earlier(say.vehicles),
                values: earlier.map(({ count }) => count),
                as: 'bars' as const,
                tone: 3 as const,
              },
            ]),
      ],
    };
  }, [shown]);
  const nameOf = (at: number) => {
    const { least = 1, most = 1 } = groups[at] ?? {};
    return least === 1 ? say.times1 : say.timesFrom(least, most);
  };
  return (
    <Plot
      title={say.visits}
      data={data}
      crosshair={crosshair}
      pointName={say.visitsEach}
      nameOf={nameOf}
      markOf={(at) => {
        const { least = 1, most = 1 } = groups[at] ?? {};
        return most === null ? `${least}+` : least === most ? String(least) : `${least}–${most}`;
      }}
      marksFor={() => data.xs}
      format={formatCount}
      cuts={COUNT_CUTS}
    />
  );
}

const groupsOf = ({ vehicles, vehiclesCount }: Analytics) =>
  visitGroups(
    vehicles.map(({ visits_count }) => visits_count),
    vehiclesCount,
  );

const FREQUENT_MAX = 8;

/** A search for a plate is recorded in the audit log. Until the person searches, a masked plate is in neither the text nor the address. */
function SessionsOf({ plate }: { plate: string }) {
  const path = `/sessions?plate=${encodeURIComponent(plate)}`;
  if (!isMasked(plate))
    return (
      <Link to={path}>
        <strong>{plate}</strong>
      </Link>
    );
  return <Button look="small" word={shownPlate(plate)} onClick={() => goTo(path)} />;
}

function Frequent({ vehicles }: { vehicles: readonly Vehicle[] }) {
  const say = words.analytics;
  const most = vehicles.filter(({ visits_count }) => visits_count > 1).slice(0, FREQUENT_MAX);
  if (most.length === 0) return null;
  return (
    <section class="card plot" aria-labelledby="frequent">
      <h2 id="frequent">{say.frequent}</h2>
      <ol class="lines">
        {most.map(({ plate, visits_count, average_duration, last_seen_at }) => (
          <li key={plate}>
            <SessionsOf plate={plate} />
            <span>
              {joined([
                say.visitsOf(visits_count),
                average_duration !== null && `⌀ ${spanText(average_duration)}`,
                say.lastSeen(timeOf(last_seen_at)),
              ])}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
