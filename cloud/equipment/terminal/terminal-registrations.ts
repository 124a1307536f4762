/** Asks a terminal to confirm its registration, and waits for its signed answer. */
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { isCurrency } from '../../../shared/currencies.js';
import { oneLine } from '../../rest/entry.js';
import type { TerminalLink } from './terminal-link.js';
import { isSignedByTerminal } from './terminal-signature.js';
import { brokenJsonBound, type JsonBounds } from '../../../shared/json-measure.js';
import { parseJson } from '../../../shared/json-text-codec.js';

/** How many answers may be awaited at once. */
const WAITING_MAX = 100;

/** A terminal's texts are stored and shown, so that they have the same limits as those of an operator. */
const text = oneLine(z.string().max(200)).nullable().default(null);

/** `statement` is JSON text, so that exactly the signed text is parsed. */
const answerSchema = z.object({ statement: z.string(), signature: z.string() });
const statementSchema = z.object({
  request_id: z.string(),
  device_id: z.string(),
  mac: z.string().toLowerCase(),
  version: text,
  ip_address: text,
  pos_serial_number: text,
  electronic_device_id: text,
  system_currency: z.string().refine(isCurrency).nullable().default(null),
});

/** The facts that a terminal is asked to confirm. */
export interface TerminalIdentity {
  device_id: string;
  /** Lower case. */
  mac: string;
  type: string;
  is_master: boolean;
}

/** A terminal's statement of itself. */
export type TerminalStatement = Omit<z.infer<typeof statementSchema>, 'request_id' | 'device_id' | 'mac'>;

export interface TerminalRegistrations {
  /** Asks a terminal to confirm. null: it is not connected, did not answer in time, or named another device_id or mac. */
  confirm(publicKey: string, identity: TerminalIdentity): Promise<TerminalStatement | null>;
  /** Ends all requests that are under way, as if they were not answered. */
  close(): void;
}

export function createTerminalRegistrations(deps: {
  link: TerminalLink;
  clock: Clock;
  /** TERMINAL_WAIT_MS */
  waitMs: number;
  generateRequestId: () => string;
}): TerminalRegistrations {
  const { link, clock } = deps;
  const waiting = new Map<
    string,
    { publicKey: string; hear(statement: z.infer<typeof statementSchema> | null): void }
  >();

  let isClosed = false;

  const stopListening = link.onMessage(({ public_key, payload }) => {
    const statement = signedStatement(public_key, payload);
    const request = statement === null ? undefined : waiting.get(statement.request_id);
    // An answer that nobody awaits, or that another terminal sent, is ignored.
    if (request?.publicKey === public_key) request.hear(statement);
  });

  async function confirm(publicKey: string, identity: TerminalIdentity): Promise<TerminalStatement | null> {
    if (isClosed || waiting.size >= WAITING_MAX) return null;
    const request_id = deps.generateRequestId();
    const answered = new Promise<z.infer<typeof statementSchema> | null>((resolve) => {
      const timer = clock.setTimer(deps.waitMs, () => resolve(null));
      const hear = (statement: z.infer<typeof statementSchema> | null) => {
        timer.cancel();
        resolve(statement);
      };
      waiting.set(request_id, { publicKey, hear });
    });
    try {
      const isSent = await link.publish(publicKey, JSON.stringify({ request_id, ...identity }));
      if (!isSent) waiting.get(request_id)?.hear(null);
      const statement = await answered;
      if (statement?.device_id !== identity.device_id || statement.mac !== identity.mac) return null;
      const { request_id: _, device_id: _device, mac: _mac, ...said } = statement;
      return said;
    } finally {
      waiting.get(request_id)?.hear(null);
      waiting.delete(request_id);
    }
  }

  return {
    confirm,
    close() {
      isClosed = true;
      stopListening();
      for (const { hear } of waiting.values()) hear(null);
    },
  };
}

/** What has more is no answer of a terminal. */
const ANSWER_BOUNDS: JsonBounds = { depth: 8, keysInObject: 32, keys: 64, values: 128 };

/** Parses a signed answer; null: it is no such answer, or the terminal did not sign it. */
function signedStatement(publicKey: string, payload: string): z.infer<typeof statementSchema> | null {
  if (brokenJsonBound(payload, ANSWER_BOUNDS) !== null) return null;
  const answer = answerSchema.safeParse(parseJson(payload));
  if (!answer.success) return null;
  const { statement, signature } = answer.data;
  if (!isSignedByTerminal(publicKey, statement, signature)) return null;
  return statementSchema.safeParse(parseJson(statement)).data ?? null;
}
