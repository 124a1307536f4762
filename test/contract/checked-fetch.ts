/** The way tests ask a cloud over HTTP: an answer that does not fit the document that the same cloud serves fails the test. */
import { type AnswerChecker, createAnswerChecker } from './answer-checker.js';
import type { OpenApiDocument } from './openapi-document.js';
import { recordAnswer } from './checked-answers.js';

const byOrigin = new Map<string, Promise<AnswerChecker>>();
/** Clouds of one build serve one document, of one ETag. It has megabytes, and is read once. */
const byVersion = new Map<string, AnswerChecker>();

/**
 * `fetch` of a path of the cloud. Throws when the answer is not one that the document describes; the run fails then even if the
 * test catches it.
 */
export async function fetchChecked(url: string, init: RequestInit = {}): Promise<Response> {
  const { origin, pathname, search } = new URL(url);
  const method = init.method ?? 'GET';
  const checker = await checkerOf(origin);
  const response = await fetch(url, init);
  const text = await response.clone().text();
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const body: unknown = type === 'application/json' ? JSON.parse(text) : text;
  const result = checker({ method, path: `${pathname}${search}`, status: response.status, type, body });
  recordAnswer(result);
  if ('problem' in result) throw new Error(result.problem);
  return response;
}

function checkerOf(origin: string): Promise<AnswerChecker> {
  const known = byOrigin.get(origin) ?? fetchChecker(origin);
  byOrigin.set(origin, known);
  // A cloud that does not answer yet is asked again.
  known.catch(() => byOrigin.delete(origin));
  return known;
}

async function fetchChecker(origin: string): Promise<AnswerChecker> {
  const known = { 'If-None-Match': [...byVersion.keys()].join(', ') };
  const answer = await fetch(`${origin}/openapi.json`, { headers: known });
  const version = answer.headers.get('etag') ?? origin;
  const checker = byVersion.get(version) ?? createAnswerChecker((await answer.json()) as OpenApiDocument);
  byVersion.set(version, checker);
  return checker;
}
