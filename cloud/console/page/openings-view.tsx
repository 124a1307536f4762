/** What barriers and gates were asked to do: every opening, by whom or what, and how often in which hour. */
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.js';
import { fileName } from '../wording/file-name.js';
import { words } from './browser.js';
import { CsvButton } from './csv-part.js';
import { Choice, DayFields, dayFilters, daysAsked, filterOf, named, QueryChoice, worded } from './fields.js';
import { useKeptUp } from './kept-up.js';
import { KeysOfList } from './list-keys.js';
import { LoadingSign } from './loading-sign.js';
import { ROWS_AT_ONCE, useLongList } from './long-list.js';
import { OpeningPlots } from './opening-plots.js';
import { OPENING_TABLE } from './opening-table.js';
import { openingWords } from './opening-words.js';
import { FoundRows } from './found-rows.js';
import { queryOf, setQuery } from './place.js';
import type { Opening } from './records.js';
import { client } from './session.js';
import { isLoaded, lotName, lots, products, serverMinute } from './store.js';

const say = openingWords;
const PLOTTED_DAYS = 7;
const PLOTTED_DAYS_MAX = 366;

/** What the address asks for, as the service's filters, without its days. */
const filterAsked = (): string[] =>
  filterOf({
    'lot_id:eq': queryOf('lot'),
    'product_id:eq': queryOf('gate'),
    'cause:eq': queryOf('cause'),
    'operation:eq': queryOf('operation'),
    'outcome:eq': queryOf('outcome'),
  });

/** The time of the plots: the asked days, else the last ones, until the end of this minute. null: they end before they begin. */
function plottedRange(): { from_ms: number; to_ms: number } | null {
  const asked = daysAsked();
  const now = Math.ceil(serverMinute() / MINUTE_MS) * MINUTE_MS;
  const to_ms = Math.min(asked.to_ms ?? Infinity, now);
  const from_ms = asked.from_ms ?? to_ms - PLOTTED_DAYS * DAY_MS;
  if (from_ms >= to_ms) return null;
  return { from_ms: Math.max(from_ms, to_ms - PLOTTED_DAYS_MAX * DAY_MS), to_ms };
}

export function OpeningsView() {
  const filter = filterAsked();
  const range = plottedRange();
  const whole = [...filter, ...dayFilters()];
  const list = useLongList<Opening>(JSON.stringify(whole), ({ beyond, size }, signal) =>
    client().get('/v2/openings', { query: { filter: [...whole, ...beyond], size }, signal }),
  );
  useKeptUp(list, list.found !== null && list.found.length <= ROWS_AT_ONCE);
  if (!isLoaded.value) return <LoadingSign />;
  return (
    <>
      <div class="head slim">
        <h1 tabIndex={-1}>{words.views.openings}</h1>
        <Filters />
        <div class="buttons">
          <CsvButton
            path="/v2/openings/export"
            filter={whole}
            fileName={fileName([say.file, lotName(queryOf('lot')), queryOf('from'), queryOf('to')], 'csv')}
            label={words.forms.csv}
            rowsAll={null}
          />
          <KeysOfList name="opening" />
        </div>
      </div>
      <p class="facts">{say.what}</p>
      {range !== null && <OpeningPlots filter={filter} range={range} />}
      <FoundRows of={OPENING_TABLE} list={list} none={say.none} />
    </>
  );
}

function Filters() {
  const lot = queryOf('lot');
  const gates = products.value.filter(({ lot_id }) => lot === '' || String(lot_id) === lot);
  return (
    <search class="slim">
      <Choice
        label={words.forms.lot}
        value={lot}
        onValue={(value) => setQuery({ lot: value, gate: '' })}
        options={named(lots.value, words.forms.allLots)}
      />
      <QueryChoice name="gate" label={say.gate} options={named(gates, say.allGates)} />
      <QueryChoice name="cause" label={say.by} options={worded({ '': say.anybody, ...say.causes })} />
      <QueryChoice name="operation" label={say.operation} options={worded({ '': say.anything, ...words.operations })} />
      <QueryChoice
        name="outcome"
        label={say.outcome}
        options={worded({ '': words.sessions.statuses.all, ...say.outcomes })}
      />
      <DayFields />
    </search>
  );
}
