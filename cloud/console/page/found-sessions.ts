/** The sessions that a search finds: read page by page as the person scrolls, and updated when sessions change. */
import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { client, refusalOf, totalOf } from './session.js';
import { type Session, sessionChanges } from './store.js';

const PAGE = 100;
const CHANGES_MAX = 300;
/** Beyond it a search is narrowed, or saved as a file. */
const ROWS_MAX = 10_000;
/** While somebody types, only the last text is sent. */
const TYPING_MS = 200;
/** Events that come together are answered by one reading. */
const GATHER_MS = 500;

export interface SessionsAsked {
  /** As the service has them, without the status. */
  filter: readonly string[];
  /** `open`, `ended`; empty: both. */
  status: string;
  sort: `${SessionSort}:${'asc' | 'desc'}`;
}

export type SessionSort = 'created_at' | 'duration' | 'amount_paid' | 'ended_at';

export interface FoundSessions {
  /** null: nothing was read yet. */
  rows: ReadonlySignal<Session[] | null>;
  /** How many there are; null: not known. */
  total: ReadonlySignal<number | null>;
  state: ReadonlySignal<'reading' | 'more' | 'whole' | 'full'>;
  refusal: ReadonlySignal<Refusal | null>;
  more: () => void;
}

/** @param asked when it changes, the search begins anew */
export function useSessions(asked: SessionsAsked): FoundSessions {
  const key = JSON.stringify(asked);
  const last = useSignal<Session[] | null>(null);
  const found = useMemo(() => createFound(asked, last.peek()), [key]);
  useEffect(() => {
    const timer = setTimeout(found.more, last.peek() === null ? 0 : TYPING_MS);
    const stop = found.follow();
    const keep = found.rows.subscribe((rows) => (last.value = rows));
    return () => {
      clearTimeout(timer);
      keep();
      stop();
    };
  }, [found]);
  return found;
}

/** By their beginning, as the service sorts them; null: they are sorted by what changes while it is read. */
function byBeginning(sort: SessionsAsked['sort']): ((a: Session, b: Session) => number) | null {
  if (!sort.startsWith('created_at')) return null;
  const sign = sort === 'created_at:desc' ? -1 : 1;
  return (a, b) => sign * (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id - b.id);
}

/**
 * The known rows with what changed. Sessions that are new stand where they belong by their beginning: those of a gateway that was cut off
 * began long ago. Beyond the last row they come with the rows there.
 */
function withChanges(
  own: readonly Session[],
  changed: readonly Session[],
  { status, sort, isWhole }: Pick<SessionsAsked, 'status' | 'sort'> & { isWhole: boolean },
): Session[] {
  const byId = new Map(changed.map((session) => [session.id, session]));
  const fits = ({ ended_at }: Session) => status === '' || (ended_at === null) === (status === 'open');
  const kept = own.map((session) => byId.get(session.id) ?? session).filter(fits);
  const compare = byBeginning(sort);
  const last = own.at(-1);
  if (compare === null || last === undefined) return kept;
  const known = new Set(own.map(({ id }) => id));
  const added = changed.filter(
    (session) => !known.has(session.id) && fits(session) && (isWhole || compare(session, last) < 0),
  );
  return added.length === 0 ? kept : [...kept, ...added].toSorted(compare);
}

/** Calls `work` soon after stays have changed. @returns what ends it */
function afterChanges(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let seen = sessionChanges.value;
  const stop = sessionChanges.subscribe((changes) => {
    if (changes === seen) return;
    seen = changes;
    timer ??= setTimeout(() => {
      timer = undefined;
      work();
    }, GATHER_MS);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** The page of rows after those that are known. By their beginning nothing moves while it is read; other orders know pages alone. */
function nextPage(own: readonly Session[], { filter, status, sort }: SessionsAsked) {
  const filters = status === '' ? [...filter] : [...filter, `status:eq:${status}`];
  const last = own.at(-1);
  const pageAfter = (count: number) => Math.floor(count / PAGE) + 1;
  if (last === undefined || byBeginning(sort) === null)
    return { filter: filters, sort, size: PAGE, page: pageAfter(own.length) };
  const { created_at } = last;
  filters.push(`${sort === 'created_at:desc' ? 'date_to' : 'date_from'}:eq:${created_at}`);
  // The bound is the last row's own beginning, which others may have, too.
  return {
    filter: filters,
    sort,
    size: PAGE,
    page: pageAfter(own.filter((each) => each.created_at === created_at).length),
  };
}

/** The rows that were read, and when the newest change of them was. */
function createRows(before: Session[] | null) {
  /** The rows of the search before are shown until this search has an answer. */
  const shown = signal(before);
  let own: Session[] = [];
  let newest = '';
  return {
    shown,
    own: () => own,
    newest: () => newest,
    keep(next: Session[], read: readonly Session[]) {
      for (const { updated_at } of read) if (updated_at > newest) newest = updated_at;
      own = next;
      shown.value = next;
    },
  };
}

function createFound(asked: SessionsAsked, before: Session[] | null) {
  const rows = createRows(before);
  const total = signal<number | null>(null);
  const state = signal<'reading' | 'more' | 'whole' | 'full'>('more');
  const refusal = signal<Refusal | null>(null);
  const abort = new AbortController();
  let isReading = false;

  async function readMore(): Promise<void> {
    if (isReading || state.value === 'whole' || state.value === 'full') return;
    isReading = true;
    state.value = 'reading';
    try {
      const query = nextPage(rows.own(), asked);
      const { data, meta } = await client().request('get', '/v2/sessions', { query, signal: abort.signal });
      if (total.value === null) total.value = totalOf(meta);
      const own = rows.own();
      const known = new Set(own.map(({ id }) => id));
      rows.keep([...own, ...data.filter(({ id }) => !known.has(id))], data);
      refusal.value = null;
      state.value = data.length < PAGE ? 'whole' : rows.own().length >= ROWS_MAX ? 'full' : 'more';
    } catch (error) {
      if (abort.signal.aborted) return;
      refusal.value = refusalOf(error);
      // Only the person can try again: the observer of the list's end would ask for ever.
      state.value = 'whole';
    }
    isReading = false;
  }

  /** Replaces the rows that changed, and adds new ones. */
  async function readChanges(): Promise<void> {
    const newest = rows.newest();
    if (newest === '') return;
    const changed = await client().get('/v2/sessions', {
      query: { filter: [...asked.filter, `updated_at:gte:${newest}`], sort: 'id:desc', size: CHANGES_MAX },
      signal: abort.signal,
    });
    const own = rows.own();
    const next = withChanges(own, changed, { ...asked, isWhole: state.value === 'whole' });
    if (total.value !== null) total.value += next.length - own.length;
    rows.keep(next, changed);
  }

  return {
    rows: rows.shown,
    total,
    state,
    refusal,
    more: () => {
      if (refusal.value !== null) state.value = 'more';
      void readMore();
    },
    /** @returns what ends it */
    follow: () => {
      const stop = afterChanges(() => {
        // The next change asks again.
        if (rows.own().length > 0) readChanges().catch(() => undefined);
        else if (!isReading) {
          state.value = 'more';
          void readMore();
        }
      });
      return () => {
        stop();
        abort.abort();
      };
    },
  };
}
