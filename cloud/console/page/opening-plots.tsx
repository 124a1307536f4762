/** How often gates were opened: hour by hour, by the hour of the day, and by gate. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { HOUR_MS } from '../../../shared/durations.js';
import { periodEdges } from '../../../shared/periods.js';
import { marksOf } from '../wording/analytics-range.js';
import {
  type CountSeries,
  countsByGate,
  countsByHour,
  countsByHourOfDay,
  type HourlyCount,
  HOURS_OF_DAY,
} from '../wording/opening-counts.js';
import { timeOf, words } from './browser.js';
import { nameOfGate } from './opening-table.js';
import { openingWords } from './opening-words.js';
import { ColumnHeads, Refused } from './parts.js';
import { periodFormats } from './period-formats.js';
import { setQuery } from './place.js';
import { Plot, type PlotData } from './plot.js';
import { client } from './session.js';
import { useRead } from './use-read.js';

const say = openingWords;
const count = new Intl.NumberFormat(words.locale);
const CUTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4];
/** The service counts single hours for so long. */
const HOURS_MAX = 31 * 24;
const HOUR_OF_DAY = new Intl.DateTimeFormat(words.locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const clock = (hour: number): string => HOUR_OF_DAY.format((hour % HOURS_OF_DAY) * HOUR_MS);

interface Range {
  from_ms: number;
  to_ms: number;
}

/** @param props.filter of the list, without its days */
export function OpeningPlots({ filter, range }: { filter: readonly string[]; range: Range }) {
  const single = { ...range, from_ms: Math.max(range.from_ms, range.to_ms - HOURS_MAX * HOUR_MS) };
  const read = useRead(JSON.stringify([filter, range]), async (signal) => {
    const ask = (group: 'hour' | 'hour_of_day', { from_ms, to_ms }: Range) =>
      client().get('/v2/openings/counts', {
        query: { filter: [...filter], group, from: new Date(from_ms).toISOString(), to: new Date(to_ms).toISOString() },
        signal,
      });
    const [hours, ofDay] = await Promise.all([ask('hour', single), ask('hour_of_day', range)]);
    return { range, single, timezone: hours.timezone, hours: hours.counts, ofDay: ofDay.counts };
  });
  return (
    <>
      <Refused refusal={read.refusal} onAgain={read.again} />
      {read.found !== null && <Drawn {...read.found} />}
    </>
  );
}

function Drawn(props: {
  range: Range;
  single: Range;
  timezone: string;
  hours: readonly HourlyCount[];
  ofDay: readonly HourlyCount[];
}) {
  const { range, single, timezone, hours, ofDay } = props;
  const crosshair = useSignal<number | null>(null);
  const crosshairOfDay = useSignal<number | null>(null);
  const starts = useMemo(
    () => (periodEdges({ ...single, timezone, period: 'hour', periodsMax: HOURS_MAX + 3 }) ?? []).slice(0, -1),
    [hours],
  );
  const byHour = useMemo(() => plotOf(countsByHour(hours, starts)), [starts]);
  const byHourOfDay = useMemo(() => plotOf(countsByHourOfDay(ofDay)), [ofDay]);
  const periods = useMemo(() => periodFormats('hour', timezone), [timezone]);
  const at = (ms: number) => timeOf(new Date(ms).toISOString(), timezone);
  const common = { pointName: say.hour, format: (value: number) => count.format(value), cuts: CUTS };
  return (
    <>
      <p class="facts">{say.plotted(at(range.from_ms), at(range.to_ms), timezone)}</p>
      <div class="plots">
        <Plot
          {...common}
          title={say.byHour}
          data={byHour}
          crosshair={crosshair}
          nameOf={(point) => periods.name(starts[point] ?? 0)}
          markOf={(point) => periods.mark(starts[point] ?? 0)}
          marksFor={(most) => marksOf(starts, 'hour', timezone, most)}
        />
        <Plot
          {...common}
          title={say.byHourOfDay}
          data={byHourOfDay}
          crosshair={crosshairOfDay}
          nameOf={(hour) => say.hourFrom(clock(hour), clock(hour + 1))}
          markOf={clock}
          marksFor={(most) => byHourOfDay.xs.filter((hour) => hour % (most < 8 ? 6 : 3) === 0)}
        />
      </div>
      <ByGate ofDay={ofDay} />
    </>
  );
}

function plotOf({ asked, failed }: CountSeries): PlotData {
  return {
    xs: asked.map((_, at) => at),
    series: [
      { name: say.asked, values: asked, as: 'bars', tone: 1 },
      { name: say.outcomes.failed, values: failed, as: 'bars', tone: 2 },
    ],
  };
}

/** A press on a gate narrows all of the view down to it. */
function ByGate({ ofDay }: { ofDay: readonly HourlyCount[] }) {
  const gates = countsByGate(ofDay);
  if (gates.length < 2) return null;
  return (
    <details class="card">
      <summary>{say.byGate}</summary>
      <div class="table-box">
        <table>
          <thead>
            <tr>
              <ColumnHeads names={[say.gate, say.asked, say.outcomes.failed, say.busiest]} />
            </tr>
          </thead>
          <tbody>
            {gates.map(({ product_id, asked, failed, busiest }) => (
              <tr key={product_id}>
                <td>
                  <button type="button" class="small" onClick={() => setQuery({ gate: String(product_id) })}>
                    {nameOfGate(product_id)}
                  </button>
                </td>
                <td>{count.format(asked)}</td>
                <td>{count.format(failed)}</td>
                <td>{say.hourFrom(clock(busiest), clock(busiest + 1))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
