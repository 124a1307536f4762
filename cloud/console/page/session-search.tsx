/** The search among all stays: filters in the address, as many rows as are scrolled to, all of them as a file. */
import { useSignal } from '@preact/signals';
import { CsvButton } from './csv-part.js';
import { words } from './browser.js';
import { type FoundSessions, useSessions } from './found-sessions.js';
import { Choice, Empty, Field, named, Refused } from './parts.js';
import { query, setQuery } from './place.js';
import { SessionRow } from './session-rows.js';
import { lots, type Session, zones } from './store.js';
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

/** A day of the address; a browser's field for days takes nothing else. */
const dayIn = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

/** What the address asks for, as the service's filters. Days are those of the browser. */
function filterOf(of: (name: string) => string): string[] {
  const dayStart = (day: string) => new Date(`${day}T00:00:00`);
  const dayEnd = (day: string) => new Date(dayStart(day).getTime() + 86_399_999);
  const given = (name: string, rule: string) => (of(name) === '' ? [] : [`${rule}:${of(name)}`]);
  const moment = (name: string, rule: string, at: (day: string) => Date) =>
    dayIn(of(name)) === '' ? [] : [`${rule}:eq:${at(of(name)).toISOString()}`];
  return [
    ...given('plate', 'plate:like'),
    ...given('lot', 'lot_id:eq'),
    ...given('zone', 'zone_id:eq'),
    ...given('entry', 'entry_type:eq'),
    ...given('exit', 'exit_type:eq'),
    ...moment('from', 'date_from', dayStart),
    ...moment('to', 'date_to', dayEnd),
  ];
}

export function SessionsView() {
  const of = (name: string) => query.value.get(name) ?? '';
  const filter = filterOf(of);
  const status = of('status');
  const order = isOrder(of('order')) ? (of('order') as Order) : 'newest';
  const found = useSessions({ filter, status, sort: ORDERS[order] });
  const exported = status === '' ? filter : [...filter, `status:eq:${status}`];
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.sessions.title}</h1>
        <CsvButton
          path="/v2/sessions/export"
          filter={exported}
          fileName="sessions.csv"
          label={words.found.csv}
          rowsAll={found.total.value}
        />
      </div>
      <Filters of={of} order={order} />
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
      {found.state.value === 'more' && <MoreRows onMore={found.more} label={words.found.more} />}
      {found.state.value === 'reading' && <Empty>{words.loading}</Empty>}
      {found.state.value === 'full' && <p class="notice">{words.found.most(count.format(rows.length))}</p>}
    </>
  );
}

const SEARCHED = ['plate', 'status', 'lot', 'zone', 'from', 'to', 'entry', 'exit'];

const optionsOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, text]) => ({ value, text }));

function Filters({ of, order }: { of: (name: string) => string; order: Order }) {
  const { statuses } = words.sessions;
  const { sources, orders } = words.found;
  const isMore = useSignal(['zone', 'entry', 'exit', 'order'].some((name) => of(name) !== ''));
  const ownZones = zones.value.filter(({ lot_id }) => of('lot') === '' || String(lot_id) === of('lot'));
  const sourceOptions = optionsOf({ '': words.found.anything, ...sources });
  const choice = (name: string, label: string, options: { value: string; text: string }[]) => (
    <Choice label={label} value={of(name)} onValue={(value) => setQuery({ [name]: value })} options={options} />
  );
  return (
    <search class="card">
      <div class="filters search">
        <Field
          label={words.sessions.plate}
          type="search"
          value={of('plate')}
          onValue={(plate) => setQuery({ plate })}
        />
        {choice(
          'status',
          words.sessions.status,
          optionsOf({ '': statuses.all, open: statuses.open, ended: statuses.ended }),
        )}
        <Choice
          label={words.sessions.lot}
          value={of('lot')}
          onValue={(value) => setQuery({ lot: value, zone: '' })}
          options={[{ value: '', text: words.sessions.allLots }, ...named(lots.value)]}
        />
        {(['from', 'to'] as const).map((end) => (
          <Field
            key={end}
            label={words.sessions[end]}
            type="date"
            value={dayIn(of(end))}
            onValue={(value) => setQuery({ [end]: value })}
          />
        ))}
      </div>
      {isMore.value && (
        <div class="filters search">
          {choice('zone', words.analytics.zone, [{ value: '', text: words.analytics.allZones }, ...named(ownZones)])}
          {choice('entry', words.found.entryBy, sourceOptions)}
          {choice('exit', words.found.exitBy, sourceOptions)}
          <Choice
            label={words.found.order}
            value={order}
            onValue={(value) => setQuery({ order: value === 'newest' ? '' : value })}
            options={optionsOf(orders)}
          />
        </div>
      )}
      <div class="buttons">
        <button type="button" class="small" aria-expanded={isMore.value} onClick={() => (isMore.value = !isMore.value)}>
          {words.more}
        </button>
        {SEARCHED.some((name) => of(name) !== '') && (
          <button
            type="button"
            class="small"
            onClick={() => setQuery(Object.fromEntries(SEARCHED.map((name) => [name, ''])))}
          >
            {words.found.empty}
          </button>
        )}
      </div>
    </search>
  );
}
