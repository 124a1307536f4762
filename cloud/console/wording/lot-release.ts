/** How far the release of a lot is. */
import type { ConsoleWords } from './en.js';
import { failureSentence, type Refusal, refusalSentence } from './sentences.js';

/** A command of a release, as it is followed. */
export interface ReleaseCommandFacts {
  eventId: string | null;
  operation: string;
  /** null until it was asked for. */
  record: { product_id: number; status: string; gateway_error: { type: number | string } | null } | null;
  /** It cannot be followed. */
  refusal: Refusal | null;
}

export interface ReleaseLine {
  key: string;
  name: string;
  state: 'done' | 'failed' | 'waiting';
  sentence: string;
}

/**
 * A line for each product that a release is to move, what failed first: there somebody has to go. Only what has moved is done.
 * @param nameOf names a product by its id; undefined: it is not known
 */
export function releaseLines(
  commands: readonly ReleaseCommandFacts[],
  nameOf: (productId: number) => string | undefined,
  words: ConsoleWords,
): ReleaseLine[] {
  const lines = commands.map((command, at): ReleaseLine => {
    const { record, refusal, operation } = command;
    const say = words.lot.releaseStates;
    const line = (state: ReleaseLine['state'], sentence: string) => ({
      key: command.eventId ?? String(at),
      name: (record === null ? undefined : nameOf(record.product_id)) ?? '…',
      state,
      sentence,
    });
    if (refusal !== null) return line('failed', say.failed(refusalSentence(refusal, words)));
    if (record?.status === 'failed')
      return line('failed', say.failed(failureSentence(record.gateway_error?.type ?? 'Timeout', words)));
    if (record?.status === 'succeeded') return line('done', operation === 'clear_stay_open' ? say.ended : say.passable);
    return line('waiting', say.waiting);
  });
  const order = ['failed', 'waiting', 'done'];
  return lines.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.name.localeCompare(b.name));
}
