/** Interprets what a gateway's result says of its attempt. */
import { isGatewayErrorType } from '../../../shared/errors.js';
import type { CommandResultRecord } from '../../../shared/uplink.js';
import type { GatewayAnswer } from './command-machine.js';

/** Only the product itself can report a success: a result that claims one without its authenticated status is an unknown error. */
export function answerOf(record: CommandResultRecord): GatewayAnswer {
  const { outcome, authenticated, gateway_error_type: type } = record;
  if (record.refused_late) return { outcome: 'late' };
  if (outcome === 'succeeded' && authenticated && record.status !== null) return { outcome };
  const known = type !== null && isGatewayErrorType(type) ? type : 11;
  return { outcome: 'failed', type: known, authenticated: authenticated && outcome === 'failed' };
}

/** Interprets the result of a pairing that the product did not confirm. */
export function unpairedAnswerOf({ refused_late, gateway_error_type: type }: CommandResultRecord): GatewayAnswer {
  if (refused_late) return { outcome: 'late' };
  return { outcome: 'failed', type: type !== null && isGatewayErrorType(type) ? type : 11, authenticated: false };
}
