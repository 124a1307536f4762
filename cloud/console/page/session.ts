/** Who is signed in, and the client with which everything is asked. */
import { computed, signal } from '@preact/signals';
import { createClient, ParkingError, type ParkingClient } from '@parking-gateway/client';
import { drafts, kept } from './browser.js';

interface SignedIn {
  token: string;
  /** Missing in what was kept before it was kept. */
  userId?: number;
  name: string;
  roleId: number;
}

const isSignedIn = (value: unknown): value is SignedIn =>
  typeof value === 'object' &&
  value !== null &&
  'token' in value &&
  typeof value.token === 'string' &&
  'roleId' in value;

const read = (): SignedIn | null => {
  const value = kept.read('signed-in');
  return isSignedIn(value) ? value : null;
};

export const signedIn = signal<SignedIn | null>(read());
/** The last sign-in ended without the person's doing. */
export const hasEnded = signal(false);

/** Attendants neither see nor give keys, because they hold credentials. */
export const mayGiveKeys = computed(() => (signedIn.value?.roleId ?? 3) < 3);
/** Super Admins and Admins: what people of the account set up and look after. */
export const mayManage = computed(() => (signedIn.value?.roleId ?? 3) < 3);
/** Super Admins: who the others are, and what programs may. */
export const mayRule = computed(() => signedIn.value?.roleId === 1);

/** Who may change what stands in a lot, and who its members are. */
export const isManager = computed(() => (signedIn.value?.roleId ?? 3) < 3);

const clients = computed(() => clientOf(signedIn.value?.token));

const clientOf = (token?: string): ParkingClient =>
  createClient({ baseUrl: location.origin, fetch: watchedFetch, ...(token === undefined ? {} : { token }) });

const unansweredListeners = new Set<() => void>();

/** @param listener called each time that a request gets no answer, long before it is given up */
export const onUnanswered = (listener: () => void): void => void unansweredListeners.add(listener);

async function watchedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(...request);
  } catch (error) {
    // What the page itself gave up says nothing about the network.
    const isGivenUp = error instanceof DOMException && error.name === 'AbortError';
    if (!isGivenUp) for (const listener of unansweredListeners) listener();
    throw error;
  }
}

export const client = (): ParkingClient => clients.value;

// Another tab signed in or out: this one follows, as its own token has just ended.
addEventListener('storage', ({ key }) => {
  if (key !== 'parking.signed-in') return;
  const next = read();
  if (next !== null) handOver(next);
  signedIn.value = next;
});

/** Whose the drafts of this tab are, and what was kept in this browser. */
const LEFT_BY = 'left-by';

/** What somebody else has left in this browser is not for who comes next; who signs in again goes on with it. */
function handOver({ userId }: SignedIn): void {
  if (userId === undefined) return;
  for (const store of [drafts, kept]) {
    const owner = store.read(LEFT_BY);
    if (owner !== null && owner !== userId) clear(store);
    store.write(LEFT_BY, userId);
  }
}

const SIGNED_IN = 'signed-in';

function clear(store: typeof kept): void {
  store.forgetAll((name) => name !== SIGNED_IN);
}

/** @throws ParkingError */
export async function signIn(email: string, password: string): Promise<void> {
  const anyone = createClient({ baseUrl: location.origin, triesMax: 1 });
  const user = await anyone.post('/v2/auth/login', { body: { email, password } });
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
  // The token ends by itself after a time, should nobody answer now.
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

/** Gives the error of a call, and ends the sign-in when that is why. Throws what is a fault of the console itself. */
export function refusalOf(error: unknown): ParkingError {
  if (!(error instanceof ParkingError)) throw error;
  if (error.status === 401) endSignIn();
  return error;
}

/** How many items a list has in all, of the `meta` beside one of its pages; null when it does not say. */
export const totalOf = (meta: unknown): number | null =>
  typeof meta === 'object' && meta !== null && 'total' in meta && typeof meta.total === 'number' ? meta.total : null;
