/** In which language keys are mailed: that in which the receiver read the page of an earlier one, or asked for a key. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { weblinkToken } from '../../../cloud/guests/weblink/weblink-tokens.js';
import { type KeyWorld, mailsOf, startKeyWorld } from './key-site.js';

let world: KeyWorld;
beforeAll(async () => {
  world = await startKeyWorld({ publicPerMin: 0 });
});
afterAll(() => world.cloud.close());

const give = (receiver_identifier: string) =>
  world.post<{ id: number; operation_token_id: number }>('/v2/key-logs', {
    product_id: world.barrier,
    name: receiver_identifier,
    receiver_identifier,
    receiver_identifier_type: 'email',
    start_time: world.iso(0),
  });
const lastLocale = async () => (await mailsOf(world)).at(-1)?.locale;
const linkOf = async ({ operation_token_id }: { operation_token_id: number }) =>
  world.cloud.store.reader
    .selectFrom('weblinks')
    .select(['id', 'generation'])
    .where('operation_token_id', '=', operation_token_id)
    .executeTakeFirstOrThrow();

/** Opens the page as its script does. */
async function read(key: { operation_token_id: number }, body: object) {
  const link = await linkOf(key);
  return readPage(link.id, { token: weblinkToken(world.cloud.secrets, link), ...body });
}

/** What the page asks for is its own, and stands in no document. */
async function readPage(id: string, json: object): Promise<number> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
  return (await fetch(`${world.cloud.base}/weblinks/${id}`, init)).status;
}

describe('the language of key mails', () => {
  it('is not known at first, and then that of the page as the receiver read it', async () => {
    const key = await give('ivo@guest.example');
    expect(await lastLocale()).toBeNull();
    expect(await read(key, { language: 'hr' })).toBe(200);
    await give('ivo@guest.example');
    expect(await lastLocale()).toBe('hr');
    await world.post('/v2/key-logs/resend', { ids: [key.id] });
    expect(await lastLocale()).toBe('hr');
    // Another browser of theirs; a page that says none changes nothing.
    expect(await read(key, { language: 'de' })).toBe(200);
    expect(await read(key, {})).toBe(200);
    await give('ivo@guest.example');
    expect(await lastLocale()).toBe('de');
    expect(await read(key, { language: 'hu' })).toBe(200);
    await give('ivo@guest.example');
    expect(await lastLocale()).toBe('hu');
    await give('somebody-else@guest.example');
    expect(await lastLocale()).toBeNull();
  });

  it('is said by nobody without the token, and is one of those that are spoken', async () => {
    const key = await give('eva@guest.example');
    expect(await read(key, { language: 'de', token: 'wrong' })).toBe(404);
    expect(await read(key, { language: 'xx' })).toBe(422);
    await give('eva@guest.example');
    expect(await lastLocale()).toBeNull();
  });

  it('is kept for nobody when the link has no key', async () => {
    const { id, token } = await world.post<{ id: string; token: string }>('/v2/weblinks', {
      product_id: world.barrier,
      start_time: world.iso(0),
    });
    expect(await readPage(id, { token, language: 'de' })).toBe(200);
  });

  it('is that of the browser with which somebody without a bearer asks for a key, unless another is known', async () => {
    const { site, cloud } = world;
    await cloud.store.change((tx) =>
      tx.updateTable('accounts').set({ public_key_requests: 1 }).where('id', '=', site.harbour).execute(),
    );
    const ask = (email: string, acceptLanguage: string, token?: string) =>
      cloud.ask('POST', '/v2/operation-keys', {
        json: { start_time: world.iso(0), products: [String(world.barrier)], receiver_emails: [email] },
        headers: { 'accept-language': acceptLanguage },
        ...(token === undefined ? {} : { token }),
      });
    expect((await ask('public@guest.example', 'fr-FR, hr-HR;q=0.8, en;q=0.5')).status).toBe(200);
    expect(await lastLocale()).toBe('hr');
    await ask('public@guest.example', 'de');
    expect(await lastLocale()).toBe('hr');
    await ask('french@guest.example', 'fr');
    expect(await lastLocale()).toBeNull();
  });
});
