/** Sessions that a search finds: read piece by piece as they are scrolled to, and kept up by what changes meanwhile. */
import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { client, refusalOf, totalOf } from './session.js';
import { type Session, sessionChanges } from './store.js';

const PAGE = 100;
const CHANGES_MAX = 300;
/** Beyond it a search is narrowed, or saved as a file. */
const ROWS_MAX = 10_000;
/** Who types asks once. */
const TYPING_MS = 200;
/** Events that come together are answered by one reading. */
const GATHER_MS = 500;

export interface SessionsAsked {
  /** As the service has them, without the status. */
  filter: readonly string[];
  /** `open`, `ended`; empty: both. */
  status: string;
  sort: 'id:desc' | 'duration:desc' | 'amount_paid:desc' | 'ended_at:desc';
}

export interface FoundSessions {
  /** null: nothing was read yet. */
  rows: ReadonlySignal<Session[] | null>;
  /** How many there are; null: not known. */
  total: ReadonlySignal<number | null>;
  state: ReadonlySignal<'reading' | 'more' | 'whole' | 'full'>;
  refusal: ReadonlySignal<Refusal | null>;
  more: () => void;
}

/** Searches anew when what is asked changes. */
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

/** What is new of what has changed, and what was there as it is now. */
function withChanges(
  own: readonly Session[],
  changed: readonly Session[],
  { status, sort }: Pick<SessionsAsked, 'status' | 'sort'>,
): { added: Session[]; kept: Session[] } {
  const byId = new Map(changed.map((session) => [session.id, session]));
  const fits = ({ ended_at }: Session) => status === '' || (ended_at === null) === (status === 'open');
  const first = own[0]?.id ?? 0;
  return {
    added: sort === 'id:desc' ? changed.filter((session) => session.id > first && fits(session)) : [],
    kept: own.map((session) => byId.get(session.id) ?? session).filter(fits),
  };
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

function createFound({ filter, status, sort }: SessionsAsked, before: Session[] | null) {
  /** What an earlier search found is shown until this one knows better. */
  const rows = signal(before);
  const total = signal<number | null>(null);
  const state = signal<'reading' | 'more' | 'whole' | 'full'>('more');
  const refusal = signal<Refusal | null>(null);
  const abort = new AbortController();
  let own: Session[] = [];
  let isReading = false;
  let newest = '';

  const show = (next: Session[]) => {
    own = next;
    rows.value = next;
  };
  const remember = (read: readonly Session[]) => {
    for (const { updated_at } of read) if (updated_at > newest) newest = updated_at;
  };
  const filters = [...filter, ...(status === '' ? [] : [`status:eq:${status}`])];

  async function readMore(): Promise<void> {
    if (isReading || state.value === 'whole' || state.value === 'full') return;
    isReading = true;
    state.value = 'reading';
    try {
      const oldest = own.at(-1)?.id;
      // By the id nothing moves while it is read; other orders know pages alone.
      const beyond = sort === 'id:desc' && oldest !== undefined ? [`id:lt:${oldest}`] : [];
      const page = sort === 'id:desc' ? 1 : Math.floor(own.length / PAGE) + 1;
      const { data, meta } = await client().request('get', '/v2/sessions', {
        query: { filter: [...filters, ...beyond], sort, size: PAGE, page },
        signal: abort.signal,
      });
      if (total.value === null) total.value = totalOf(meta);
      const known = new Set(own.map(({ id }) => id));
      remember(data);
      show([...own, ...data.filter(({ id }) => !known.has(id))]);
      refusal.value = null;
      state.value = data.length < PAGE ? 'whole' : own.length >= ROWS_MAX ? 'full' : 'more';
    } catch (error) {
      if (abort.signal.aborted) return;
      refusal.value = refusalOf(error);
      // Asked again by the person: an observer would ask for ever.
      state.value = 'whole';
    }
    isReading = false;
  }

  /** What has changed since, in its place; what is new, at the top. */
  async function readChanges(): Promise<void> {
    if (newest === '') return;
    const changed = await client().get('/v2/sessions', {
      query: { filter: [...filter, `updated_at:gte:${newest}`], sort: 'id:desc', size: CHANGES_MAX },
      signal: abort.signal,
    });
    remember(changed);
    const { added, kept } = withChanges(own, changed, { status, sort });
    if (total.value !== null) total.value += added.length + kept.length - own.length;
    show([...added, ...kept]);
  }

  return {
    rows,
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
        if (own.length > 0) readChanges().catch(() => undefined);
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
