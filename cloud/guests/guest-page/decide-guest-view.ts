/** Decides what a weblink's page shows: its texts and buttons. Pure; it runs in the guest's browser. */
import type { ProductOperation } from '../../../shared/uplink-orders.js';
import type { GuestFault, PageWords } from '../../site/words/words.js';
import type { GuestCommand, GuestPage } from './guest-page-payload.js';

export interface GuestFacts {
  /** The last answer of the service; null: none yet. */
  page: GuestPage | null;
  /** The operation that was requested and is not answered yet. */
  asking: ProductOperation | null;
  /** The command whose end the guest waits for or has seen; null: none since the page was opened. */
  watched: string | null;
  /** Whether the current command takes longer than usual. */
  isSlow: boolean;
  /** Why the last request failed; null: it succeeded. */
  fault: GuestFault | null;
}

export interface GuestView {
  name: string;
  place: string;
  /** null: it is not known, or not shown because the link is not valid now. */
  state: { word: string; kind: 'opened' | 'closed' | 'other' } | null;
  hint: string;
  message: { tone: 'calm' | 'good' | 'bad'; what: string; todo: string } | null;
  /** The main operation comes first. */
  operations: readonly { operation: ProductOperation; label: string; isMain: boolean }[];
  /** Whether an operation is in progress, so that no other one can be requested. */
  isBusy: boolean;
  validity: string;
}

/**
 * Returns the token at the beginning of a link's fragment. On its way to a guest a link gets a full stop, a bracket or what newsletters add
 * behind it (`&utm_source=mail`).
 */
export const tokenIn = (fragment: string): string => /^[\w-]{43}(?![A-Za-z0-9])/.exec(fragment)?.[0] ?? fragment;

/** @param timeOf formats wall milliseconds in the lot's time zone */
export function decideGuestView(
  facts: GuestFacts,
  words: PageWords,
  timeOf: (ms: number, timezone: string) => string,
): GuestView {
  const { page, asking, fault } = facts;
  if (page === null || fault === 'link') {
    const what = fault === null ? { tone: 'calm' as const, what: words.loading, todo: '' } : faultOf(fault, words);
    const nothing = { place: '', state: null, hint: '', operations: [], isBusy: false, validity: '' };
    return { ...nothing, name: words.nameless, message: what };
  }
  const { product, window, last } = page;
  const { start, end, timezone, phase } = window;
  const isOpen = phase === 'open';
  const pending = last?.status === 'pending' ? last : null;
  const { operations } = page;
  const main = operations.includes('open') ? 'open' : operations[0];
  return {
    name: product.name,
    place: product.place,
    state: isOpen ? { word: words.states[product.state], kind: kindOfState(product.state) } : null,
    hint: isOpen && !product.is_online ? words.unheard : '',
    message: messageOf({ ...facts, page }, words, () =>
      phase === 'before'
        ? { tone: 'calm', what: words.notYet(timeOf(start, timezone)), todo: '' }
        : { tone: 'calm', what: words.ended(timeOf(end ?? 0, timezone)), todo: words.faults.link.todo },
    ),
    operations: [...operations]
      .sort((one, other) => Number(other === main) - Number(one === main))
      .map((operation) => ({ operation, label: words.operations[operation], isMain: operation === main })),
    isBusy: asking !== null || pending !== null,
    validity: isOpen ? words.valid(end === null ? null : timeOf(end, timezone)) : '',
  };
}

function messageOf(
  { page, asking, watched, isSlow, fault }: GuestFacts & { page: GuestPage },
  words: PageWords,
  outsideOfWindow: () => GuestView['message'],
): GuestView['message'] {
  if (page.window.phase !== 'open') return outsideOfWindow();
  const todo = isSlow ? words.patience : '';
  if (asking !== null) return { tone: 'calm', what: words.asking, todo };
  const { last } = page;
  if (last?.status === 'pending') return { tone: 'calm', what: words.moving[movementOf(last)], todo };
  // A refused press is older than the watched command: it was refused because this command of the guest was in progress.
  const isWatched = last !== null && last.event_id === watched;
  const isUnheard = fault === 'no_network' || fault === 'service';
  if (fault !== null && (isUnheard || !isWatched)) return faultOf(fault, words);
  if (!isWatched) return null;
  if (last.status === 'succeeded') return { tone: 'good', what: words.done[movementOf(last)], todo: '' };
  return faultOf(faultOfType(last.error_type), words);
}

const faultOf = (fault: GuestFault, words: PageWords) => ({ tone: 'bad' as const, ...words.faults[fault] });

const kindOfState = (state: string) => (state === 'opened' || state === 'closed' ? state : 'other');

function movementOf({ operation }: GuestCommand): 'open' | 'close' | 'other' {
  if (operation === 'open' || operation === 'stay_open') return 'open';
  return ['close', 'force_close', 'stay_close'].includes(operation) ? 'close' : 'other';
}

/** Returns the fault of a failed command. Types 2, 3, 4 and a timeout concern the connection to the product, the others the product itself. */
function faultOfType(type: GuestCommand['error_type']): GuestFault {
  switch (type) {
    case 5:
      return 'jammed';
    case 6:
      return 'car_on_top';
    case 7:
      return 'sensor_dirty';
    case 10:
      return 'busy';
    case 2:
    case 3:
    case 4:
    case 'Timeout':
      return 'unreachable';
    default:
      return 'refused';
  }
}

/**
 * Returns the fault of an answer that is not a success.
 * @param error the first error of the answer; undefined: the answer is not the service's own, but that of a proxy or of a network
 */
export function faultOfAnswer(status: number, error: { code: number; field?: string } | undefined): GuestFault {
  if (error === undefined) return status === 429 ? 'too_often' : 'service';
  const { code } = error;
  // Another process is still handling the same press, or was interrupted. The outcome is not known.
  if (error.field === 'idempotency_key') return 'service';
  if (status === 404) return 'link';
  if (status === 429) return 'too_often';
  if (code === 704) return 'unreachable';
  if (code === 214) return 'busy';
  if (code === 30) return 'no_remote_control';
  return status >= 500 ? 'service' : 'refused';
}
