/**
 * Keeps the gateway's description of itself, asked for again and again while somebody looks, and whether somebody is
 * signed in.
 */
import { computed, signal } from '@preact/signals';
import type { DeviceFacts, LocalView } from '../view/local-view.js';
import { answerIn, ApiProblem, ask, askJson, problemSentence } from './api.js';

const ASKED_MS = 1_000;
/** In a pocket, or behind another window. */
const HIDDEN_ASKED_MS = 15_000;
const UNANSWERED_ASKED_MS = 2_000;

/** The facts that the gateway shows to everybody, `GET /api/device`. */
export const device = signal<DeviceFacts | null>(null);
export const view = signal<LocalView | null>(null);
/** null: it is not known yet. */
export const isSignedIn = signal<boolean | null>(null);
/** The sign-in ended while the page was in use. */
export const hasEnded = signal(false);
/** Since when the gateway has not answered, milliseconds since 1970; null: it answers. */
export const lostSince = signal<number | null>(null);
/** Why nothing new is shown although the gateway answers; null: it is shown. */
export const problem = signal<string | null>(null);
/** By how much the gateway's clock is ahead of this phone's. */
const aheadMs = signal(0);
/** Grows with every answer, so that what depends on the time is drawn anew. */
const beat = signal(0);

/** The gateway's time, milliseconds since 1970. */
export const gatewayNow = computed(() => {
  void beat.value;
  return Date.now() + aheadMs.value;
});

let tag: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastAnswerMs = Date.now();
/** Aborts with the loss of the gateway: requests that wait then get no answer. */
let presence = new AbortController();

/** Is aborted when the gateway is lost. */
export const present = (): AbortSignal => presence.signal;

function noteAnswer(response?: Response): void {
  lastAnswerMs = Date.now();
  lostSince.value = null;
  problem.value = null;
  if (presence.signal.aborted) presence = new AbortController();
  const date = Date.parse(response?.headers.get('date') ?? '');
  if (!Number.isNaN(date)) aheadMs.value = Math.abs(date - Date.now()) < 2_000 ? 0 : date - Date.now();
  beat.value += 1;
}

async function readView(): Promise<void> {
  const response = await ask('/api/view', { headers: tag === null ? {} : { 'if-none-match': tag } });
  if (response.status !== 304) {
    view.value = await answerIn<LocalView>(response);
    tag = response.headers.get('etag');
  }
  isSignedIn.value = true;
  hasEnded.value = false;
  noteAnswer(response);
}

function forget(): void {
  if (isSignedIn.value === true) hasEnded.value = true;
  isSignedIn.value = false;
  view.value = null;
  tag = null;
}

async function look(): Promise<void> {
  try {
    if (isSignedIn.value !== false) await readView();
    else {
      device.value = await askJson<DeviceFacts>('/api/device');
      noteAnswer();
    }
  } catch (error) {
    const status = error instanceof ApiProblem ? error.status : null;
    if (status === 401 || status === 409) {
      forget();
      // The next answer says what stands in the place of the view.
      device.value = await askJson<DeviceFacts>('/api/device').catch(() => device.value);
    } else if (status === 0) {
      problem.value = null;
      lostSince.value ??= lastAnswerMs;
      presence.abort();
    } else {
      lostSince.value = null;
      problem.value = problemSentence(error);
    }
  }
}

let looking = Promise.resolve();

/** Asks now, and then again and again. If two looks overlap, the later one ends later. */
export async function lookNow(): Promise<void> {
  clearTimeout(timer);
  looking = looking.then(look);
  await looking;
  clearTimeout(timer);
  const waitMs =
    document.visibilityState === 'hidden' ? HIDDEN_ASKED_MS : lostSince.value === null ? ASKED_MS : UNANSWERED_ASKED_MS;
  timer = setTimeout(() => void lookNow(), waitMs);
}

export function start(): void {
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void lookNow());
  addEventListener('online', () => void lookNow());
  void lookNow();
}

/** @throws ApiProblem */
export async function signIn(password: string): Promise<void> {
  await ask('/api/session', { method: 'POST', body: { password } });
  isSignedIn.value = null;
  hasEnded.value = false;
  await lookNow();
}

export async function signOut(): Promise<void> {
  await ask('/api/session', { method: 'DELETE' }).catch(() => undefined);
  forget();
  hasEnded.value = false;
  await lookNow();
}
