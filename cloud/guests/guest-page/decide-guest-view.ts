/** What the page of a weblink shows: words and buttons, from what is known. Pure; it runs in the guest's browser. */
import type { ProductOperation } from '../../../shared/uplink-orders.js';
import type { GuestFault, PageWords } from '../../site/words/words.js';
import type { GuestCommand, GuestPage } from './guest-page-payload.js';

export interface GuestFacts {
  /** The last answer of the service; null: there is none yet. */
  page: GuestPage | null;
  /** An operation that was asked for and has not been answered. */
  asking: ProductOperation | null;
  /** The command whose end the guest waits for, or has seen; null: none since the page was opened. */
  watched: string | null;
  /** The command that is under way takes longer than usual. */
  isSlow: boolean;
  /** Why the service could not be asked; null: it could. */
  fault: GuestFault | null;
}

export interface GuestView {
  name: string;
  place: string;
  /** null: it is not known, or of no interest outside of the link's window. */
  state: { word: string; kind: 'opened' | 'closed' | 'other' } | null;
  hint: string;
  message: { tone: 'calm' | 'good' | 'bad'; what: string; todo: string } | null;
  /** The main one first. */
  operations: readonly { operation: ProductOperation; label: string; isMain: boolean }[];
  /** Something is under way: nothing else can be asked for. */
  isBusy: boolean;
  validity: string;
}

/** @param timeOf writes wall milliseconds in the lot's time zone */
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
    operations: operations
      .toSorted((one, other) => Number(other === main) - Number(one === main))
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
  // A watched command is newer than the refusal of a press: the press was refused because this command of the guest was under way.
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

/** Of a command that failed: 2, 3, 4 and silence speak of the way to the product, the others of the product. */
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

/** Of an answer that is no success. @param error its first one */
export function faultOfAnswer(status: number, error: { code: number; field?: string } | undefined): GuestFault {
  const code = error?.code;
  // Another process is still working on the same press, or was interrupted: its outcome is unknown.
  if (error?.field === 'idempotency_key') return 'service';
  if (status === 404) return 'link';
  if (status === 429) return 'too_often';
  if (code === 704) return 'unreachable';
  if (code === 214) return 'busy';
  if (code === 30) return 'no_remote_control';
  return status >= 500 ? 'service' : 'refused';
}
