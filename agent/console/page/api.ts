/** Sends the page's requests to its gateway. A request that changes something is sent once, at once or not at all. */
import { jsonIn } from '../../../shared/page/json-text.js';
import { limitedSignal } from '../../../shared/page/limited-signal.js';
import { words } from './browser.js';

/** Why the gateway refused, or that it did not answer. */
export class ApiProblem extends Error {
  // Declared alone: a field would be written out for the page's oldest browsers.
  declare readonly status: number;
  declare readonly errors: readonly { message: string; field?: string }[];
  declare readonly retryAfterS: number | null;

  /** @param status 0: there was no answer */
  constructor(status: number, errors: ApiProblem['errors'], retryAfterS: number | null = null) {
    super(errors[0]?.message ?? '');
    Object.assign(this, { status, errors, retryAfterS });
  }
}

const READ_WITHIN_MS = 5_000;

/** @throws ApiProblem */
export async function ask(
  path: string,
  {
    method = 'GET',
    body,
    withinMs = READ_WITHIN_MS,
    headers = {},
    signal,
  }: {
    method?: 'GET' | 'POST' | 'DELETE';
    body?: object;
    withinMs?: number;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  } = {},
): Promise<Response> {
  const request = {
    method,
    cache: 'no-store' as const,
    // Every call that changes something says so, also one without a body: the gateway hears no other.
    headers: { ...headers, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: limitedSignal(withinMs, signal),
  };
  // This alone tells of the network: anything else that fails here is a fault of the page.
  const response = await fetch(path, request).catch(() => null);
  if (response === null) throw new ApiProblem(0, []);
  if (response.ok || response.status === 304) return response;
  throw await problemOf(response);
}

/** @throws ApiProblem */
export async function askJson<Answer>(path: string, options: Parameters<typeof ask>[1] = {}): Promise<Answer> {
  return answerIn<Answer>(await ask(path, options));
}

/** @throws ApiProblem */
export async function answerIn<Answer>(response: Response): Promise<Answer> {
  // The connection may end in the middle of an answer.
  const text = await response.text().catch(() => null);
  if (text === null) throw new ApiProblem(0, []);
  const answer = jsonIn(text);
  // The page of a proxy, or of a network that wants a sign-in.
  if (typeof answer !== 'object' || answer === null) throw new ApiProblem(response.status, []);
  return answer as Answer;
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const answer = jsonIn(await response.text().catch(() => '')) as {
    errors?: { message: string; field?: string }[];
  } | null;
  const after = Number(response.headers.get('retry-after'));
  return new ApiProblem(response.status, Array.isArray(answer?.errors) ? answer.errors : [], after > 0 ? after : null);
}

/**
 * Puts the problem into words. If it is about the request, the words are the gateway's own sentence, which says what is
 * wrong.
 */
export function problemSentence(error: unknown): string {
  const { lost, signIn } = words();
  if (!(error instanceof ApiProblem)) return lost.page;
  const { status, errors } = error;
  if (status === 0) return navigator.onLine ? lost.notSent : lost.offline;
  if (status === 401) return signIn.ended;
  const said = errors.map(({ message }) => message).join(' ');
  if (said !== '') return said;
  return status === 404 ? lost.notBuilt : lost.failed;
}
