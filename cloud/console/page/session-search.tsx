/** The search among all stays: filters in the address, as many rows as are scrolled to, all of them as a file. */
import { useSignal } from '@preact/signals';
import { fileName } from '../wording/file-name.js';
import { words } from './browser.js';
import { CsvButton } from './csv-part.js';
import { Choice, daysAsked, filterOf, named, QueryChoice, QueryField, worded } from './fields.js';
import { type FoundSessions, useSessions } from './found-sessions.js';
import { Button, Empty, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { SessionRow } from './session-rows.js';
import { lotName, lots, type Session, zones } from './store.js';
import { MoreRows, WindowedList } from './windowed-list.js';

const count = new Intl.NumberFormat(words.locale);
/** By the word of the address. */
const ORDERS = {
  newest: 'id:desc',
  longest: 'duration:desc',
  paid: 'amount_paid:desc',
  left: 'ended_at:desc',
} as const;
type Order = keyof typeof ORDERS;

const isOrder = (text: string): text is Order => text in ORDERS;

/** What the address asks for, as the service's filters. */
const filterAsked = (): string[] => [
  ...filterOf({
    'plate:like': queryOf('plate'),
    'lot_id:eq': queryOf('lot'),
    'zone_id:eq': queryOf('zone'),
    'entry_type:eq': queryOf('entry'),
    'exit_type:eq': queryOf('exit'),
  }),
  ...daysAsked(),
];

/** A file of the chosen lot and days. */
const savedAs = (what: string): string =>
  fileName([what, lotName(queryOf('lot')), queryOf('from'), queryOf('to')], 'csv');

export function SessionsView() {
  const filter = filterAsked();
  const status = queryOf('status');
  const wanted = queryOf('order');
  const order = isOrder(wanted) ? wanted : 'newest';
  const found = useSessions({ filter, status, sort: ORDERS[order] });
  const exported = [...filter, ...filterOf({ 'status:eq': status })];
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.sessions}</h1>
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
            filter={[...filterOf({ 'lot_id:eq': queryOf('lot') }), ...daysAsked()]}
            fileName={savedAs(words.found.files.payments)}
            label={words.found.paymentsCsv}
            rowsAll={null}
          />
        </div>
      </div>
      <Filters order={order} />
      <Refused refusal={found.refusal.value} onAgain={found.more} />
      <Rows found={found} />
    </>
  );
}

const row = (session: Session) => <SessionRow key={session.id} session={session} />;

function Rows({ found }: { found: FoundSessions }) {
  const rows = found.rows.value;
  const total = found.total.value;
  if (rows === null) return found.refusal.value === null ? <Empty>{words.loading}</Empty> : null;
  if (rows.length === 0) return <Empty>{words.sessions.none}</Empty>;
  return (
    <>
      <p class="facts" role="status">
        {words.found.count(total ?? rows.length, count.format(total ?? rows.length))}
      </p>
      <WindowedList items={rows} row={row} />
      {found.state.value === 'more' && <MoreRows onMore={found.more} label={words.forms.more} />}
      {found.state.value === 'reading' && <Empty>{words.loading}</Empty>}
      {found.state.value === 'full' && <p class="notice">{words.found.most(count.format(rows.length))}</p>}
    </>
  );
}

const SEARCHED = ['plate', 'status', 'lot', 'zone', 'from', 'to', 'entry', 'exit'];

function Filters({ order }: { order: Order }) {
  const { statuses } = words.sessions;
  const { sources, orders, anything } = words.found;
  const isMore = useSignal(['zone', 'entry', 'exit', 'order'].some((name) => queryOf(name) !== ''));
  const lot = queryOf('lot');
  const ownZones = zones.value.filter(({ lot_id }) => lot === '' || String(lot_id) === lot);
  const sourceOptions = worded({ '': anything, ...sources });
  const statusOptions = worded({ '': statuses.all, open: statuses.open, ended: statuses.ended });
  return (
    <search class="card">
      <div class="filters search">
        <QueryField name="plate" label={words.forms.plate} type="search" />
        <QueryChoice name="status" label={words.forms.status} options={statusOptions} />
        <Choice
          label={words.forms.lot}
          value={lot}
          onValue={(value) => setQuery({ lot: value, zone: '' })}
          options={named(lots.value, words.forms.allLots)}
        />
        <QueryField name="from" label={words.forms.from} type="date" />
        <QueryField name="to" label={words.forms.until} type="date" />
      </div>
      {isMore.value && (
        <div class="filters search">
          <QueryChoice name="zone" label={words.forms.zone} options={named(ownZones, words.forms.allZones)} />
          <QueryChoice name="entry" label={words.found.entryBy} options={sourceOptions} />
          <QueryChoice name="exit" label={words.found.exitBy} options={sourceOptions} />
          <Choice
            label={words.found.order}
            value={order}
            onValue={(value) => setQuery({ order: value === 'newest' ? '' : value })}
            options={worded(orders)}
          />
        </div>
      )}
      <div class="buttons">
        <Button
          look="small"
          word={words.more}
          isExpanded={isMore.value}
          onClick={() => (isMore.value = !isMore.value)}
        />
        {SEARCHED.some((name) => queryOf(name) !== '') && (
          <Button
            look="small"
            word={words.found.empty}
            onClick={() => setQuery(Object.fromEntries(SEARCHED.map((name) => [name, ''])))}
          />
        )}
      </div>
    </search>
  );
}
