/** Who is signed in, and the client with which everything is asked. */
import { computed, signal } from '@preact/signals';
import { createClient, ParkingError, type ParkingClient } from '@parking-gateway/client';
import type { Refusal } from '../wording/sentences.js';
import { deviceOf } from '../wording/device-name.js';
import { drafts, kept, LANGUAGE_NAME, THEME_NAME, words } from './browser.js';
import { noteServerTime } from './server-clock.js';

interface SignedIn {
  token: string;
  userId: number;
  name: string;
  roleId: number;
}

const isSignedIn = (value: unknown): value is SignedIn =>
  typeof value === 'object' &&
  value !== null &&
  'token' in value &&
  typeof value.token === 'string' &&
  'userId' in value &&
  'roleId' in value;

const read = (): SignedIn | null => {
  const value = kept.read('signed-in');
  return isSignedIn(value) ? value : null;
};

export const signedIn = signal<SignedIn | null>(read());
/** The last sign-in ended without the person's doing. */
export const hasEnded = signal(false);

/** Super Admins and Admins look after the account: its lots, devices, members and keys. Attendants do not, and see no credentials. */
export const mayManage = computed(() => (signedIn.value?.roleId ?? 3) < 3);
/** Super Admins look after users and API tokens. */
export const mayRule = computed(() => signedIn.value?.roleId === 1);

const clients = computed(() => clientOf(signedIn.value?.token));
const movers = computed(() => clientOf(signedIn.value?.token, { triesMax: 1 }));

const clientOf = (token?: string, options: { triesMax?: number } = {}): ParkingClient =>
  createClient({
    baseUrl: location.origin,
    fetch: watchedFetch,
    ...options,
    ...(token === undefined ? {} : { token }),
  });

const unansweredListeners = new Set<() => void>();

/** @param listener called each time that a request gets no answer, long before it is given up */
export const onUnanswered = (listener: () => void): void => void unansweredListeners.add(listener);

/** Until when the service wants no more requests, in milliseconds since 1970; null: it takes them. The client asks again by itself then. */
export const waitsUntil = signal<number | null>(null);

const TOO_MANY = 429;

async function watchedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(...request);
  } catch (error) {
    // A request that the page itself aborted says nothing about the network.
    const isGivenUp = error instanceof DOMException && error.name === 'AbortError';
    if (!isGivenUp) for (const listener of unansweredListeners) listener();
    throw error;
  }
  noteServerTime(response.headers.get('date'));
  const now = Date.now();
  // A wait may also be said as a date, by what stands before the service. A token that has requests left is refused one thing, not all.
  const isAll = !(Number(response.headers.get('ratelimit-remaining')) > 0);
  if (response.status === TOO_MANY && isAll)
    waitsUntil.value = now + (Number(response.headers.get('retry-after')) || 1) * 1_000;
  else if ((waitsUntil.value ?? now) <= now) waitsUntil.value = null;
  return response;
}

export const client = (): ParkingClient => clients.value;

/** Asks once. What moves something is not asked for again: it would move long after the press. */
export const mover = (): ParkingClient => movers.value;

// Another tab signed in or out: this one follows, as its own token has just ended.
addEventListener('storage', ({ key }) => {
  if (key !== 'parking.signed-in') return;
  const next = read();
  if (next !== null) handOver(next);
  signedIn.value = next;
});

/** Names the user whose drafts are in this tab, and whose values are kept in this browser. */
const LEFT_BY = 'left-by';

/** Deletes what another user has left in this browser. The same user finds it again after a sign-in. */
function handOver({ userId }: SignedIn): void {
  for (const store of [drafts, kept]) {
    const owner = store.read(LEFT_BY);
    if (owner !== null && owner !== userId) clear(store);
    store.write(LEFT_BY, userId);
  }
}

const SIGNED_IN = 'signed-in';

function clear(store: typeof kept): void {
  store.forgetAll((name) => ![SIGNED_IN, LANGUAGE_NAME, THEME_NAME].includes(name));
}

/** Asks for somebody who is not signed in. */
export const stranger = (): ParkingClient => createClient({ baseUrl: location.origin, triesMax: 1 });

/** @throws ParkingError */
export async function signIn(email: string, password: string): Promise<void> {
  const { browser, system } = deviceOf(navigator.userAgent);
  const device = words.signIn.device(browser, system);
  const user = await stranger().post('/v2/auth/login', { body: { email, password, device } });
  const next = {
    token: user.token,
    userId: user.account_user_id,
    name: user.name,
    roleId: user.account_user_role_id,
  };
  handOver(next);
  kept.write(SIGNED_IN, next);
  hasEnded.value = false;
  signedIn.value = next;
}

/** The person has another name from now on. */
export function renameSelf(name: string): void {
  if (signedIn.value === null) return;
  const next = { ...signedIn.value, name };
  kept.write(SIGNED_IN, next);
  signedIn.value = next;
}

export async function signOut(): Promise<void> {
  const leaving = client();
  clear(drafts);
  clear(kept);
  forget();
  // If the service does not answer, the token still expires by itself.
  await leaving.post('/v2/auth/logout', {}).catch(() => undefined);
}

/** The service does not accept the token any more. The view stays where it is, for after the next sign-in. */
export function endSignIn(): void {
  if (signedIn.value === null) return;
  // Another tab may have signed in anew meanwhile.
  const other = read();
  if (other !== null && other.token !== signedIn.value.token) {
    signedIn.value = other;
    return;
  }
  hasEnded.value = true;
  forget();
}

function forget(): void {
  kept.forget(SIGNED_IN);
  signedIn.value = null;
}

const OWN_FAULT: Refusal = { status: null, errors: [] };

/** The error of a call. A 401 ends the sign-in. An error that no call caused is a fault of the console, and is said as one. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ParkingError)) {
    reportError(error);
    return OWN_FAULT;
  }
  if (error.status === 401) endSignIn();
  return error;
}

/** How many items a list has in all, of the `meta` beside one of its pages; null when it does not say. */
export const totalOf = (meta: unknown): number | null =>
  typeof meta === 'object' && meta !== null && 'total' in meta && typeof meta.total === 'number' ? meta.total : null;
