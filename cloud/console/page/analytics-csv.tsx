/** The figures of the analytics as a file: each period with its beginning by the clocks of the lot. */
import { localTimeText, utcOffsetText } from '../../../shared/local-time-text.js';
import { csvFile } from '../members/member-csv.js';
import { fileName } from '../wording/file-name.js';
import type { Analytics, AnalyticsAsked } from './analytics-data.js';
import { words } from './browser.js';
import { saveFile } from './files.js';
import { Button } from './parts.js';
import { lotName } from './store.js';

export function AnalyticsCsv({ asked, now }: { asked: AnalyticsAsked; now: Analytics }) {
  const { range, lot } = asked;
  const say = words.analytics;
  const save = () => {
    const { timezone, currency, starts, entries, exits, occupied, durations, paid } = now;
    const money = `${say.paid}${currency === null ? '' : ` (${currency})`}`;
    const lines = starts.map((at, index) => {
      const seconds = durations[index] ?? null;
      return [
        localTimeText(at, timezone),
        utcOffsetText(at, timezone),
        entries[index] ?? null,
        exits[index] ?? null,
        occupied[index] ?? null,
        seconds === null ? null : Math.round(seconds / 60),
        paid[index] ?? null,
      ];
    });
    const header = [say.period, timezone, say.entries, say.exits, say.inside, `${say.duration} (min)`, money];
    const name = [words.found.files.analytics, lotName(lot), range.from, range.to];
    saveFile(fileName(name, 'csv'), csvFile(header, lines));
  };
  return <Button look="small" word={words.forms.csv} onClick={save} />;
}
