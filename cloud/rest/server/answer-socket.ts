/** Answers in the envelope what never becomes a request of the app: upgrades that are refused, and what the HTTP parser cannot read. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { type Answer, answerSocket, type Refusal } from '../../../shared/node/bounded-server.js';
import { RetryLaterError } from '../../kernel/limit/entry.js';

/** An answer after which the connection ends. */
export function answerOf(error: ApiError): Answer {
  const body = JSON.stringify(error.envelope());
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(error instanceof RetryLaterError ? { 'Retry-After': String(error.retryAfterS) } : {}),
  };
  return { status: error.status, headers, body };
}

export const errorOf = ({ status, message }: Refusal): ApiError =>
  status === 404 ? new ApiError(NOT_FOUND) : new ApiError(VALIDATION, { status, message });

/** Answers with the error envelope, and ends the connection. */
export function answerError(socket: Duplex, error: ApiError, headers: Record<string, string> = {}): void {
  const answer = answerOf(error);
  answerSocket(socket, { ...answer, headers: { ...answer.headers, ...headers } });
}
