/**
 * Moves one command from gateway to gateway until it ends (REST contract, "Commands"). The gateway with the strongest signal is first.
 * Each tries once, for as long as the shell allows. When a gateway fails because of the link, or without the product's authenticated
 * word, the next one tries.
 */
import { type GatewayErrorType, isGatewayErrorType, LINK_ERROR_TYPES } from '../../../shared/errors.js';

/** A gateway that may try, the strongest signal first. */
export interface Candidate {
  gateway_id: number;
  /** dBm; null: not known. */
  rssi: number | null;
}

/** `late`: the gateway got the command after its deadline and sent nothing. */
export type AttemptOutcome = 'succeeded' | `failed:${GatewayErrorType}` | 'timeout' | 'offline' | 'late';

export interface Attempt {
  gateway_id: number;
  /** null: the attempt runs. */
  outcome: AttemptOutcome | null;
}

export type CommandEnd = { status: 'succeeded' } | { status: 'failed'; error: GatewayErrorType | 'Timeout' };

export type CommandState =
  | { kind: 'new' }
  /** Exactly one attempt runs: the last one. */
  | { kind: 'trying'; attempts: readonly Attempt[] }
  | { kind: 'ended'; end: CommandEnd; attempts: readonly Attempt[] };

/** A gateway's answer about its attempt. */
export type GatewayAnswer =
  | { outcome: 'succeeded' }
  /** `authenticated`: the product itself said so. */
  | { outcome: 'failed'; type: GatewayErrorType; authenticated: boolean }
  | { outcome: 'late' };

export type CommandInput =
  | { type: 'begin' }
  /** No gateway could do it, because the product does not meet what a command needs. */
  | { type: 'impossible'; error: GatewayErrorType }
  | { type: 'answer'; gateway_id: number; answer: GatewayAnswer }
  /** The gateway's time is over. */
  | { type: 'timeout'; gateway_id: number }
  | { type: 'offline'; gateway_id: number };

export type CommandEffect =
  | { type: 'endAttempt'; gateway_id: number; outcome: AttemptOutcome }
  /** `hasOthers`: there are gateways to hand over to. */
  | { type: 'startAttempt'; candidate: Candidate; hasOthers: boolean }
  /** The command ends; this effect comes once per command. */
  | { type: 'end'; end: CommandEnd }
  /** An answer came after the end. It says what state the product has, but the command is over. */
  | { type: 'journalLate' };

export interface CommandStep {
  state: CommandState;
  effects: CommandEffect[];
}

export const NEW_COMMAND: CommandState = { kind: 'new' };

/**
 * Computes one step. A repeated answer and a timeout of an ended attempt change nothing.
 * @param candidates the gateways that may try now; this function leaves out those that had their attempt
 * @throws Error for a command that is begun twice, or an answer of a gateway that was never asked
 */
export function nextCommand(state: CommandState, input: CommandInput, candidates: readonly Candidate[]): CommandStep {
  if (input.type === 'begin' || input.type === 'impossible') {
    if (state.kind !== 'new') throw new Error(`a command that is ${state.kind} cannot apply "${input.type}"`);
    if (input.type === 'begin') return handOver([], candidates, []);
    const end: CommandEnd = { status: 'failed', error: input.error };
    return { state: { kind: 'ended', end, attempts: [] }, effects: [{ type: 'end', end }] };
  }
  const attempt =
    state.kind === 'new' ? undefined : state.attempts.find((each) => each.gateway_id === input.gateway_id);
  if (state.kind === 'new' || attempt === undefined) {
    throw new Error(`gateway ${input.gateway_id} was not asked: it cannot have "${input.type}"`);
  }
  if (!isNews(attempt, input)) return { state, effects: [] };
  const outcome = outcomeOf(input);
  const attempts = state.attempts.map((each) => (each === attempt ? { ...each, outcome } : each));
  const effects: CommandEffect[] = [{ type: 'endAttempt', gateway_id: attempt.gateway_id, outcome }];
  if (state.kind === 'ended') {
    return {
      state: { ...state, attempts },
      effects: input.type === 'answer' ? [...effects, { type: 'journalLate' }] : effects,
    };
  }
  const end = attemptEnd(input, attempt.outcome === null);
  if (end !== null) {
    return { state: { kind: 'ended', end, attempts }, effects: [...effects, { type: 'end', end }] };
  }
  // Another gateway is trying already; the answer of this one is remembered.
  if (attempt.outcome !== null) return { state: { kind: 'trying', attempts }, effects };
  return handOver(attempts, candidates, effects);
}

/** Restores the state of a command from what was stored. */
export function storedCommand(stored: {
  end: CommandEnd | null;
  attempts: readonly { gateway_id: number; outcome: string | null }[];
}): CommandState {
  const attempts = stored.attempts.map(({ gateway_id, outcome }) => ({ gateway_id, outcome: readOutcome(outcome) }));
  return stored.end === null ? { kind: 'trying', attempts } : { kind: 'ended', end: stored.end, attempts };
}

/**
 * Computes until when another attempt may begin. A command may be no later than its attempts so far explain, so that one that was
 * interrupted while the cloud was down does not move anything hours later.
 */
export function latestStartMs(command: { created_at: number; attempts: number; waitMs: number }): number {
  return command.created_at + command.attempts * command.waitMs + HAND_OVER_SLACK_MS;
}

/** The time that a hand-over itself may need with a slow disk. */
const HAND_OVER_SLACK_MS = 5_000;

type AttemptInput = Exclude<CommandInput, { type: 'begin' | 'impossible' }>;

/**
 * An answer counts once, also after the attempt was given up. Giving up counts only while the attempt runs. A gateway that reports a
 * failed link after its time says nothing of the product: its attempt remains a timeout.
 */
function isNews({ outcome }: Attempt, input: AttemptInput): boolean {
  if (outcome === null) return true;
  if (input.type !== 'answer') return false;
  const isLinkFailure = input.answer.outcome === 'failed' && !input.answer.authenticated;
  return outcome === 'offline' || (outcome === 'timeout' && !isLinkFailure);
}

function outcomeOf(input: AttemptInput): AttemptOutcome {
  if (input.type !== 'answer') return input.type;
  return input.answer.outcome === 'failed' ? `failed:${input.answer.type}` : input.answer.outcome;
}

/**
 * Decides whether this input ends the command. A late refusal does not: another gateway has already been asked, and brings a newer
 * answer of the product.
 */
function attemptEnd(input: AttemptInput, isRunning: boolean): CommandEnd | null {
  if (input.type !== 'answer') return null;
  const { answer } = input;
  if (answer.outcome === 'succeeded') return { status: 'succeeded' };
  if (answer.outcome === 'late' || !isRunning) return null;
  if (!answer.authenticated || LINK_ERROR_TYPES.has(answer.type)) return null;
  return { status: 'failed', error: answer.type };
}

function handOver(
  attempts: readonly Attempt[],
  candidates: readonly Candidate[],
  effects: CommandEffect[],
): CommandStep {
  const [candidate, ...others] = candidates.filter(({ gateway_id }) =>
    attempts.every((each) => each.gateway_id !== gateway_id),
  );
  if (candidate === undefined) {
    const end: CommandEnd = { status: 'failed', error: lastAnswered(attempts) ?? 'Timeout' };
    return { state: { kind: 'ended', end, attempts }, effects: [...effects, { type: 'end', end }] };
  }
  const running = { gateway_id: candidate.gateway_id, outcome: null };
  return {
    state: { kind: 'trying', attempts: [...attempts, running] },
    effects: [...effects, { type: 'startAttempt', candidate, hasOthers: others.length > 0 }],
  };
}

function lastAnswered(attempts: readonly Attempt[]): GatewayErrorType | null {
  const types = attempts.map(({ outcome }) => failedType(outcome)).filter((type) => type !== null);
  return types.at(-1) ?? null;
}

function failedType(outcome: string | null): GatewayErrorType | null {
  const [, text] = /^failed:(\d+)$/.exec(outcome ?? '') ?? [];
  const type = text === undefined ? -1 : Number(text);
  return isGatewayErrorType(type) ? type : null;
}

function readOutcome(text: string | null): AttemptOutcome | null {
  if (text === null || text === 'succeeded' || text === 'timeout' || text === 'offline' || text === 'late') return text;
  const type = failedType(text);
  if (type === null) throw new Error(`"${text}" is no outcome of an attempt`);
  return `failed:${type}`;
}
