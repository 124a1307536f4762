/** How full a lot was today, as a small plot, read when it is on screen for the first time and every quarter of an hour after. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { dayOf, type Period, sparkLine, sumOf } from '../drawing/spark-line.js';
import { timeOf, words } from './browser.js';
import { client, refusalOf } from './session.js';
import { serverMinute, zones } from './store.js';

const QUARTER_MS = 15 * 60_000;
const BOX = { width: 240, height: 40 };

async function readDay(zoneIds: readonly number[], from: number): Promise<Period[]> {
  const found: Period[][] = [];
  // One after the other, so that the small plots do not delay other requests.
  for (const id of zoneIds) {
    const query = { from: new Date(from).toISOString(), step: 'quarter' } as const;
    found.push((await client().get('/v2/zones/{id}/occupancy', { path: { id }, query })).series);
  }
  return sumOf(found);
}

/** @param props.timezone of the lot, whose day it is. @param props.spots how many places there are; 0: without a limit */
export function Today({ lotId, timezone, spots }: { lotId: number; timezone: string; spots: number }) {
  const element = useRef<HTMLDivElement>(null);
  const isSeen = useSignal(false);
  const periods = useSignal<readonly Period[]>([]);
  useEffect(() => {
    const shown = element.current;
    if (shown === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) isSeen.value = true;
    });
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  const now = serverMinute();
  const day = dayOf(now, timezone);
  const quarter = Math.floor(now / QUARTER_MS);
  const zoneIds = zones.value.filter(({ lot_id }) => lot_id === lotId).map(({ id }) => id);
  useEffect(() => {
    if (!isSeen.value) return;
    readDay(zoneIds, day.start).then(
      (read) => (periods.value = read),
      // A plot that could not be read stays as it was: the rest of the view says what is wrong.
      (error: unknown) => void refusalOf(error),
    );
  }, [isSeen.value, quarter, day.start, zoneIds.join(' ')]);
  const { line, ground, full, most } = sparkLine(periods.value, { day, box: BOX, spots });
  const label =
    most === null || most.count === 0 ? words.spark.quiet : words.spark.label(most.count, timeOf(most.at, timezone));
  return (
    <div class="spark" ref={element}>
      <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {day.hours.slice(1, -1).map((share) => (
          <line key={share} class="hour" x1={share * BOX.width} x2={share * BOX.width} y1={0} y2={BOX.height} />
        ))}
        {full !== null && <line class="full" x1={0} x2={BOX.width} y1={full} y2={full} />}
        <path class="ground" d={ground} />
        <path class="line" d={line} />
      </svg>
      <p class="hours" aria-hidden="true">
        {words.spark.axis.map((hour, at) => (
          <span key={hour} style={{ left: `${(day.hours[at] ?? 0) * 100}%` }}>
            {hour}
          </span>
        ))}
      </p>
      <p class="facts">{label}</p>
    </div>
  );
}
