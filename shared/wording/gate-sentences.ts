/** Sentences of both consoles about decisions and commands. */
import type { GateWords } from './en.js';

/** Errors that a product reports, the most urgent first: of several people read the first. */
export const PRODUCT_ERRORS = [
  'jammed',
  'pin_broken',
  'battery_empty',
  'sensor_dirty',
  'master_key_not_set',
  'rtcc_invalid',
] as const satisfies readonly (keyof GateWords['productErrors'])[];

interface DecisionFacts {
  direction: string;
  access_decision: string | null;
  access_decision_reason: string | null;
}

/** `Refused: the zone is full.` */
export function decisionSentence(reading: DecisionFacts, { decisions }: GateWords): string {
  const { direction, access_decision, access_decision_reason } = reading;
  if (access_decision === null) return decisions.none;
  const admitted = direction === 'out' ? decisions.admittedOut : decisions.admittedIn;
  const head = access_decision === 'triggered' ? admitted : decisions.denied;
  const reason = decisions.reasons[access_decision_reason ?? ''];
  return reason === undefined ? `${head}.` : `${head}: ${reason}`;
}

/** `Let in by Ana at 12:03.` @param at as it is shown */
export function handledSentence(
  { direction, how, by, at }: { direction: string; how: 'let_in' | 'ignored' | 'settled'; by: string; at: string },
  { decisions }: GateWords,
): string {
  return decisions.handled[direction === 'out' && how === 'let_in' ? 'let_out' : how](by, at);
}

/** Only a refusal that a person may want to undo: a repeated read is none. */
export const isRefused = ({ access_decision, access_decision_reason }: DecisionFacts): boolean =>
  access_decision === 'denied' && access_decision_reason !== 'debounce';

/** Why a command failed. @param type of `gateway_error` */
export const failureSentence = (type: number | string, { failures, unknownFailure }: GateWords): string =>
  failures[String(type)] ?? unknownFailure;
