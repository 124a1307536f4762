/** Answers what the cloud asks. Nothing of it is kept: the cloud asks again for an answer that is lost. */
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import {
  ASK_TEXT_MAX,
  type AskAnswer,
  type AskAnswers,
  type AskKind,
  type AskMessage,
} from '../../shared/uplink-asks.js';
import { createTasks } from '../waiting/tasks.js';

/** As many are answered at once: a cloud that asks without an end costs the gateway no more. */
const AT_ONCE_MAX = 8;

/** Finds the answer to each kind of ask. Rejects with the reason, for people, why there is none; the signal ends with the gateway. */
export type Answerers = {
  [Kind in AskKind]: (
    ask: Extract<AskMessage, { kind: Kind }>,
    signal: AbortSignal,
  ) => AskAnswers[Kind] | Promise<AskAnswers[Kind]>;
};

export interface CloudAsks {
  handle(ask: AskMessage): void;
  /** Breaks off what can be broken off, and waits for the rest. */
  close(): Promise<void>;
}

export function createCloudAsks(deps: {
  answerers: Answerers;
  logger: Logger;
  publish(answer: AskAnswer): void;
}): CloudAsks {
  const { answerers, logger, publish } = deps;
  const running = new Set<string>();
  const tasks = createTasks();

  async function answer(ask: AskMessage): Promise<void> {
    const { kind, subject_id, asked_ms } = ask;
    const ended = (outcome: { fault: string; answer: null } | { fault: null; answer: AskAnswers[AskKind] }) =>
      publish({ kind, subject_id, asked_ms, ...outcome } as AskAnswer);
    const key = `${kind} ${subject_id}`;
    if (running.has(key) || running.size >= AT_ONCE_MAX) {
      ended({ fault: 'the gateway is still busy with what it was asked before', answer: null });
      return;
    }
    running.add(key);
    try {
      const find = answerers[kind] as (of: AskMessage, signal: AbortSignal) => Promise<AskAnswers[AskKind]>;
      ended({ fault: null, answer: await find(ask, tasks.signal) });
    } catch (error) {
      if (tasks.signal.aborted) return;
      logger.warn({ kind, subject_id, reason: errorText(error) }, 'what the cloud asked could not be answered');
      ended({ fault: errorText(error).slice(0, ASK_TEXT_MAX), answer: null });
    } finally {
      running.delete(key);
    }
  }

  return {
    handle: (ask) => tasks.add(answer(ask)),
    close: tasks.close,
  };
}
