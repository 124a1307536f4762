/** The search among all stays: filters in the address, as many rows as are scrolled to, all of them as a file. */
import { useSignal } from '@preact/signals';
import { fileName } from '../wording/file-name.js';
import { words } from './browser.js';
import { CsvButton } from './csv-part.js';
import { Choice, DayFields, dayFilters, filterOf, named, QueryChoice, QueryField, worded } from './fields.js';
import { EmptySearch } from './found-rows.js';
import { type FoundSessions, type SessionSort, useSessions } from './found-sessions.js';
import { KeysOfList } from './list-keys.js';
import { Button, Empty, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { MoreRows, orderOf, RowTable } from './row-table.js';
import { sessionTable } from './session-table.js';
import { lotName, lots, zones } from './store.js';

const count = new Intl.NumberFormat(words.locale);
const TABLE = sessionTable(false);

/** What the service sorts by, by the table's columns. */
const SORTS: Readonly<Record<string, SessionSort>> = {
  entered: 'created_at',
  left: 'ended_at',
  stayed: 'duration',
  paid: 'amount_paid',
};

/** What the address asks for, as the service's filters. */
const filterAsked = (): string[] => [
  ...filterOf({
    'plate:like': queryOf('plate'),
    'lot_id:eq': queryOf('lot'),
    'zone_id:eq': queryOf('zone'),
    'entry_type:eq': queryOf('entry'),
    'exit_type:eq': queryOf('exit'),
  }),
  ...dayFilters(),
];

/** A file of the chosen lot and days. */
const savedAs = (what: string): string =>
  fileName([what, lotName(queryOf('lot')), queryOf('from'), queryOf('to')], 'csv');

export function SessionsView() {
  const filter = filterAsked();
  const status = queryOf('status');
  const { by, isDown } = orderOf(TABLE);
  const found = useSessions({ filter, status, sort: `${SORTS[by] ?? 'created_at'}:${isDown ? 'desc' : 'asc'}` });
  const exported = [...filter, ...filterOf({ 'status:eq': status })];
  return (
    <>
      <div class="head slim">
        <div>
          <h1 tabIndex={-1}>{words.views.sessions}</h1>
          <Count found={found} />
        </div>
        <Filters />
        <div class="buttons">
          <CsvButton
            path="/v2/sessions/export"
            filter={exported}
            fileName={savedAs(words.found.files.sessions)}
            label={words.forms.csv}
            rowsAll={found.total.value}
          />
          <CsvButton
            path="/v2/payments/export"
            filter={[...filterOf({ 'lot_id:eq': queryOf('lot') }), ...dayFilters()]}
            fileName={savedAs(words.found.files.payments)}
            label={words.found.paymentsCsv}
            rowsAll={null}
          />
          <KeysOfList name="session" />
        </div>
      </div>
      <Refused refusal={found.refusal.value} onAgain={found.more} />
      <Rows found={found} />
    </>
  );
}

/** How many there are. */
function Count({ found }: { found: FoundSessions }) {
  const all = found.total.value ?? found.rows.value?.length ?? 0;
  return (
    <p class="facts" role="status">
      {all > 0 && words.found.count(all, count.format(all))}
    </p>
  );
}

function Rows({ found }: { found: FoundSessions }) {
  const rows = found.rows.value;
  if (rows === null) return found.refusal.value === null ? <Empty>{words.loading}</Empty> : null;
  if (rows.length === 0) return <Empty>{words.sessions.none}</Empty>;
  return (
    <>
      <RowTable of={TABLE} items={rows} />
      {found.state.value === 'more' && <MoreRows onMore={found.more} label={words.forms.more} />}
      {found.state.value === 'reading' && <Empty>{words.loading}</Empty>}
      {found.state.value === 'full' && <p class="notice">{words.found.most(count.format(rows.length))}</p>}
    </>
  );
}

const SEARCHED = ['plate', 'status', 'lot', 'zone', 'from', 'to', 'entry', 'exit'];

function Filters() {
  const { statuses } = words.sessions;
  const { sources, anything } = words.found;
  const isMore = useSignal(['zone', 'entry', 'exit'].some((name) => queryOf(name) !== ''));
  const lot = queryOf('lot');
  const ownZones = zones.value.filter(({ lot_id }) => lot === '' || String(lot_id) === lot);
  const sourceOptions = worded({ '': anything, ...sources });
  const statusOptions = worded({ '': statuses.all, open: statuses.open, ended: statuses.ended });
  return (
    <search class="slim">
      <QueryField name="plate" label={words.forms.plate} type="search" />
      <QueryChoice name="status" label={words.forms.status} options={statusOptions} />
      <Choice
        label={words.forms.lot}
        value={lot}
        onValue={(value) => setQuery({ lot: value, zone: '' })}
        options={named(lots.value, words.forms.allLots)}
      />
      <DayFields />
      {isMore.value && (
        <>
          <QueryChoice name="zone" label={words.forms.zone} options={named(ownZones, words.forms.allZones)} />
          <QueryChoice name="entry" label={words.found.entryBy} options={sourceOptions} />
          <QueryChoice name="exit" label={words.found.exitBy} options={sourceOptions} />
        </>
      )}
      <div class="buttons">
        <Button
          look="small"
          word={words.more}
          isExpanded={isMore.value}
          onClick={() => (isMore.value = !isMore.value)}
        />
        <EmptySearch of={SEARCHED} />
      </div>
    </search>
  );
}
