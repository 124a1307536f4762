import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Authenticate } from '../../../cloud/kernel/auth/caller.js';
import { createAuthenticator } from '../../../cloud/site/api-token/authenticator.js';
import { createBadRequests } from '../../../cloud/rest/request/bad-requests.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import type { Peers } from '../../../cloud/kernel/store/peers.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { type ApplyWorld, createApplyWorld } from '../../unit/site/apply-world.js';
import { SITE_TEXT } from '../../unit/site/site-text.js';

const TOKEN = 'demo-integration-token-0123456789abcdef';
const ADDRESS = '192.0.2.7';
const FOREIGN_CHANGE_MS = 1_000;

let world: ApplyWorld;
let authenticate: Authenticate;
/** How often the database was asked. */
let questions: number;
/** What the next answer of the database waits for. */
let held: Promise<void>;

beforeEach(async () => {
  world = await createApplyWorld();
  await world.apply(SITE_TEXT);
  questions = 0;
  held = Promise.resolve();
  authenticate = createAuthenticator({
    store: watched(world.store),
    hashToken,
    guesses: createBadRequests({ requestsPerMin: 0, clock: world.clock }),
    clock: world.clock,
    noteUse: () => undefined,
  });
});
afterEach(() => world.close());

/** The store, with its answers counted and held up. */
function watched(store: CloudStore): CloudStore {
  const reader = store.reader.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      questions += 1;
      await held;
      return result;
    },
  });
  return { ...store, reader };
}

const revoke = (store: CloudStore) =>
  store.change((tx) => tx.deleteFrom('api_tokens').where('token_hash', '=', hashToken(TOKEN)).execute());

describe('the authenticator', () => {
  it('asks for a caller once, and again when what it rests on was written', async () => {
    const caller = await authenticate(TOKEN, ADDRESS);
    expect(caller).toMatchObject({ kind: 'api', role: 'Super Admin' });
    expect(await authenticate(TOKEN, ADDRESS)).toBe(caller);
    await world.store.change((tx) => tx.updateTable('zones').set({ name: 'Level 1' }).execute());
    expect(await authenticate(TOKEN, ADDRESS)).toBe(caller);
    expect(questions).toBe(1);
    await world.store.change((tx) => tx.updateTable('account_users').set({ name: 'Other' }).execute());
    expect(await authenticate(TOKEN, ADDRESS)).toEqual(caller);
    expect(questions).toBe(2);
  });

  it('lets a revoked token in no more', async () => {
    expect(await authenticate(TOKEN, ADDRESS)).not.toBeNull();
    await revoke(world.store);
    expect(await authenticate(TOKEN, ADDRESS)).toBeNull();
  });

  it.each([
    ['goes with its account', 'accounts', null],
    ['stays when its lot goes: the right to the history', 'lots', new Set([1])],
  ] as const)('knows what %s', async (_what, table, lots) => {
    const caller = await authenticate(TOKEN, ADDRESS);
    await world.store.change((tx) =>
      tx
        .insertInto('account_user_lots')
        .values({ account_user_id: caller?.user_id ?? 0, lot_id: 1 })
        .onConflict((already) => already.doNothing())
        .execute(),
    );
    expect((await authenticate(TOKEN, ADDRESS))?.lot_ids).toEqual(new Set([1]));
    await world.store.change((tx) => tx.deleteFrom(table).execute());
    expect((await authenticate(TOKEN, ADDRESS))?.lot_ids ?? null).toEqual(lots);
  });

  it('does not remember an answer from before a change that was committed meanwhile', async () => {
    const gate = deferred<void>();
    held = gate.promise;
    const early = authenticate(TOKEN, ADDRESS);
    await expect.poll(() => questions).toBe(1);
    await revoke(world.store);
    gate.resolve();
    await early;
    expect(await authenticate(TOKEN, ADDRESS)).toBeNull();
  });

  it('hears within a second of what another process revoked', async () => {
    expect(await authenticate(TOKEN, ADDRESS)).not.toBeNull();
    const other = await world.openStore();
    await revoke(other);
    await other.close();
    await expect.poll(() => world.clock.advance(FOREIGN_CHANGE_MS).then(() => authenticate(TOKEN, ADDRESS))).toBeNull();
  });

  it('asks again after ten seconds where others may have revoked a token and could not tell of it', async () => {
    const store = { ...watched(world.store), peers: {} as Peers, onForeignChange: () => () => {} };
    const guesses = createBadRequests({ requestsPerMin: 0, clock: world.clock });
    authenticate = createAuthenticator({ store, hashToken, guesses, clock: world.clock, noteUse: () => undefined });
    expect(await authenticate(TOKEN, ADDRESS)).not.toBeNull();
    const other = await world.openStore();
    await revoke(other);
    await other.close();
    await world.clock.advance(9_000);
    expect(await authenticate(TOKEN, ADDRESS)).not.toBeNull();
    expect(questions).toBe(1);
    await world.clock.advance(1_001);
    expect(await authenticate(TOKEN, ADDRESS)).toBeNull();
  });

  it('remembers nobody: a token may come to be', async () => {
    const token = 'x'.repeat(43);
    expect(await authenticate(token, ADDRESS)).toBeNull();
    const rows = { account_id: 1, name: 'new', token_hash: hashToken(token), created_at: 1, updated_at: 1 };
    const other = await world.openStore();
    await other.change((tx) => tx.insertInto('api_tokens').values(rows).execute());
    await other.close();
    expect(await authenticate(token, ADDRESS)).toMatchObject({ kind: 'api' });
  });
});
