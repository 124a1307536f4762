import type { ErrorEntry } from '../errors.js';

/** Why a request was not carried out: the service refused it, or did not answer. */
export class ParkingError extends Error {
  override readonly name = 'ParkingError';
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The faults that the service names; empty when there was no answer. */
  readonly errors: readonly ErrorEntry[];
  /** By which the operator of the service finds the request in its log; null when there was no answer. */
  readonly requestId: string | null;
  /** After how many seconds the service wants to be asked again; null when it does not say. */
  readonly retryAfter: number | null;

  constructor(about: {
    message: string;
    status?: number;
    errors?: readonly ErrorEntry[];
    requestId?: string | null;
    retryAfter?: number | null;
    cause?: unknown;
  }) {
    super(about.message, { cause: about.cause });
    this.status = about.status ?? 0;
    this.errors = about.errors ?? [];
    this.requestId = about.requestId ?? null;
    this.retryAfter = about.retryAfter ?? null;
  }
}

/** Builds the error of an answer that is no success. @param now milliseconds since 1970, for a `Retry-After` that is a date */
export function errorOf(response: Response, text: string, now: number): ParkingError {
  const errors = errorsOf(text);
  const said = errors.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  return new ParkingError({
    message: said.length === 0 ? `The service answered ${response.status}` : said.join('; '),
    status: response.status,
    errors,
    requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfterOf(response.headers.get('retry-after'), now),
  });
}

/** Reads the faults in an answer. Whatever stands between the service and its clients may answer something else. */
function errorsOf(text: string): ErrorEntry[] {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && Array.isArray(body.errors) ? body.errors.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const isEntry = (value: unknown): value is ErrorEntry =>
  isObject(value) && typeof value.code === 'number' && typeof value.message === 'string';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const wanted = Number.isFinite(seconds) ? seconds : (Date.parse(header) - now) / 1000;
  return Number.isFinite(wanted) ? Math.max(0, wanted) : null;
}
