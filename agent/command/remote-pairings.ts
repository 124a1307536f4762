/** Runs the pairings that the cloud orders. The gateway only carries offer, answer and confirmation; the master key stays hidden from it. */
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { EventId } from '../../shared/ids.js';
import { decodeBase64url, encodeBase64url } from '../../shared/product-protocol/base64url.js';
import type { PairingMessage } from '../../shared/uplink-orders.js';
import type { CommandResultRecord } from '../../shared/uplink.js';
import type { PairingOutcome, ProductPairer } from '../product/product-commander.js';
import { createTasks } from '../waiting/tasks.js';
import { waitFor } from '../waiting/wait-for.js';
import { type CloudOrderDeps, hasRunOut, keepForCloud, keepResult, monotonicDeadlineMs } from './cloud-orders.js';

/** The product keeps its link a little longer than this for the answer (`PAIRING_ANSWER_WITHIN_MS`). */
const ANSWER_WITHIN_MS = 15_000;

export interface RemotePairings {
  /** Begins a pairing, or passes the answer to one that runs. */
  handle(message: PairingMessage): void;
  /** Breaks off what runs, and waits until its result is kept. */
  close(): Promise<void>;
}

interface RunningPairing {
  /** null while no answer is awaited. */
  onAnswer: ((answer: Uint8Array) => void) | null;
}

type Begin = Extract<PairingMessage, { step: 'begin' }>;

export function createRemotePairings(deps: CloudOrderDeps, pairer: ProductPairer): RemotePairings {
  const { clock, logger } = deps;
  /** The pairings that run, by the event_id of their order. */
  const running = new Map<EventId, RunningPairing>();
  const tasks = createTasks();

  async function relay({ event_id, product_id }: Begin, offer: Uint8Array, signal: AbortSignal) {
    const answer = waitFor<Uint8Array | null>({
      clock,
      signals: [signal],
      listen(done) {
        const pairing = running.get(event_id);
        const limit = clock.setTimer(ANSWER_WITHIN_MS, () => done(null));
        if (pairing !== undefined) pairing.onAnswer = done;
        return () => {
          limit.cancel();
          if (pairing !== undefined) pairing.onAnswer = null;
        };
      },
    });
    const [answered] = await Promise.all([
      answer,
      keepForCloud(deps, { kind: 'pairing_offer', event_id, product_id, offer: encodeBase64url(offer) }),
    ]);
    return answered;
  }

  async function pair(message: Begin): Promise<void> {
    const { event_id, product_id, device_id } = message;
    const deadline_mono_ms = monotonicDeadlineMs(deps, message.deadline_ms);
    const isLate = clock.monotonic() >= deadline_mono_ms;
    if (isLate) logger.warn({ event_id, device_id }, 'a pairing came too late and was refused');
    const outcome: PairingOutcome = isLate
      ? { outcome: 'failed', type: GATEWAY_ERROR.UNKNOWN, authenticated: false }
      : await pairer.pair(
          { device_id, event_id, deadline_mono_ms, relay: (offer, signal) => relay(message, offer, signal) },
          tasks.signal,
        );
    if (!isLate && hasRunOut(deps, outcome, deadline_mono_ms)) {
      logger.warn({ event_id, device_id }, 'the time of a pairing ran out');
      return;
    }
    await keepResult(deps, {
      kind: 'command_result',
      event_id,
      product_id,
      ...resultOf(outcome),
      refused_late: isLate,
    });
  }

  return {
    handle(message) {
      const { event_id } = message;
      const before = running.get(event_id);
      if (message.step === 'answer') {
        const answer = decodeBase64url(message.answer);
        if (answer !== null) before?.onAnswer?.(answer);
        return;
      }
      if (before !== undefined) return;
      running.set(event_id, { onAnswer: null });
      tasks.add(pair(message).finally(() => running.delete(event_id)));
    },
    close: tasks.close,
  };
}

function resultOf(
  outcome: PairingOutcome,
): Pick<CommandResultRecord, 'outcome' | 'gateway_error_type' | 'authenticated' | 'status' | 'confirmation'> {
  const unproven = { authenticated: false, status: null };
  return outcome.outcome === 'succeeded'
    ? {
        ...unproven,
        outcome: 'succeeded',
        gateway_error_type: null,
        confirmation: encodeBase64url(outcome.confirmation),
      }
    : { ...unproven, outcome: 'failed', gateway_error_type: outcome.type };
}
