import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueMail } from '../../../cloud/site/mail/mail-queue-queries.js';
import { dropMail } from '../../../cloud/site/mail/mail-queries.js';
import { unsubscribeUrl } from '../../../cloud/site/mail/unsubscribe-links.js';
import { API_TOKEN, GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { KEY_CONTENT } from './mail-world.js';

let world: RestWorld;
beforeAll(async () => {
  world = await startRestWorld({ publicPerMin: 3 });
});
afterAll(() => world.cloud.close());

/** Queues a mail of Harbour, about a lot. */
const queue = (lot_id: number | null) => {
  const { store, clock } = world.cloud;
  const mail = { kind: 'key', to: 'ana@example.com', locale: null, content: KEY_CONTENT, lot_id } as const;
  return store.change((tx) => queueMail(tx, { ...mail, account_id: world.site.harbour }, clock.now()));
};
const iso = (ms: number) => new Date(ms).toISOString();

describe('mails over REST', () => {
  it('are listed with what became of them', async () => {
    const id = await queue(world.site.north);
    const now = iso(world.cloud.clock.now());
    expect(await world.get('/v2/mails')).toEqual([
      {
        id,
        kind: 'key',
        receiver_email: 'ana@example.com',
        status: 'queued',
        attempts: 0,
        last_error: null,
        next_attempt_at: now,
        sent_at: null,
        created_at: now,
      },
    ]);
    expect(await world.ids('/v2/mails?filter=status:eq:sent')).toEqual([]);
    expect(await world.ids('/v2/mails?filter=kind:eq:key&filter=receiver_email:like:ANA')).toEqual([id]);
  });

  it('are seen by managers of their lot alone', async () => {
    const [north, south, none] = [await queue(world.site.north), await queue(world.site.south), await queue(null)];
    const seen = async (token: string) => (await world.ids('/v2/mails?size=300', token)).filter((id) => id >= north);
    expect(await seen(OWNER_TOKEN)).toEqual([none, south, north]);
    expect(await seen(API_TOKEN)).toEqual([none, south, north]);
    expect(await seen(ADMIN_TOKEN)).toEqual([none, north]);
    expect(await seen(RIVAL_TOKEN)).toEqual([]);
    expect(await world.refused('GET', '/v2/mails', undefined, GUARD_TOKEN)).toEqual([403, '4']);
    expect(await world.refused('POST', `/v2/mails/${north}/retry`, undefined, GUARD_TOKEN)).toEqual([403, '4']);
    expect(await world.refused('POST', `/v2/mails/${south}/retry`, undefined, ADMIN_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('POST', `/v2/mails/${north}/retry`, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
  });

  it('are tried again when somebody asks for it, unless they were sent', async () => {
    const { store, clock } = world.cloud;
    const id = await queue(null);
    await store.change((tx) => dropMail(tx, id, clock.now()));
    expect(await world.get(`/v2/mails?filter=id:eq:${id}`)).toMatchObject([
      { status: 'failed', last_error: 'An operator of the service dropped it', next_attempt_at: null },
    ]);
    expect(await world.post(`/v2/mails/${id}/retry`, {})).toMatchObject({ id, status: 'queued' });
    await store.change((tx) =>
      tx.updateTable('mails').set({ status: 'sent', ended_at: clock.now() }).where('id', '=', id).execute(),
    );
    expect(await world.refused('POST', `/v2/mails/${id}/retry`)).toEqual([422, '23 status']);
    expect(await world.refused('POST', '/v2/mails/999999/retry')).toEqual([404, '6']);
  });
});

describe('the link in the mail of an alert', () => {
  const receivers = async (id: number) =>
    (await world.get<{ receivers: { id: number; receiver_email: string }[] }>(`/v2/license-plate-alerts/${id}`))
      .receivers;
  const makeAlert = (name: string) =>
    world.post<{ id: number; receivers: { id: number }[] }>('/v2/license-plate-alerts', {
      name,
      plates: ['ST0LEN1'],
      receivers: ['ana', 'bob'].map((each) => ({ name: each, receiver_email: `${each}@example.com` })),
    });
  const urlOf = (receiver_id: number) => unsubscribeUrl(world.cloud.secrets, world.cloud.base, receiver_id);

  it('shows a page whose button ends the mails, and changes nothing by itself', async () => {
    const { id, receivers: made } = await makeAlert('Stolen');
    const url = urlOf(made[0]?.id ?? 0);
    const page = await fetch(url, { headers: { 'accept-language': 'de-AT,de;q=0.9' } });
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toMatch(
      /<html lang="de">[\s\S]*<form method="post"><button>E-Mails abbestellen<\/button>/,
    );
    expect(await receivers(id)).toHaveLength(2);
    // As mail programs do by themselves (RFC 8058), twice.
    for (let time = 0; time < 2; time++) {
      const answer = await fetch(url, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      });
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('no more mails of this alert'),
      ]);
    }
    expect((await receivers(id)).map(({ receiver_email }) => receiver_email)).toEqual(['bob@example.com']);
    const lines = JSON.stringify(world.cloud.log);
    expect(lines).toContain('/mails/unsubscribe/{token}');
    expect(lines).not.toContain(url.split('/').at(-1));
    const [entry] = await world.get<{ action: string; actor_type: string }[]>('/v2/audit-log?size=1');
    expect(entry).toMatchObject({ action: 'license_plate_alert.unsubscribe', actor_type: 'public' });
  });

  it.each(['.', ')', '&utm_source=mail', '%23'])(
    'works with %s behind it, and a look at it moves nothing',
    async (behind) => {
      const { id, receivers: made } = await makeAlert(`Mangled ${behind}`);
      const url = `${urlOf(made[0]?.id ?? 0)}${behind}`;
      for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200);
      expect(await receivers(id)).toHaveLength(made.length);
      expect((await fetch(url, { method: 'POST' })).status).toBe(200);
      expect(await receivers(id)).toHaveLength(made.length - 1);
    },
  );

  it('cannot be made up, and guesses at it are counted', async () => {
    const { receivers: made } = await makeAlert('Wanted');
    const [own, other] = made.map(({ id }) => urlOf(id));
    const forged = own?.replace(/\d+(?=\.[\w-]+$)/, String(made[1]?.id)) ?? '';
    const statuses: number[] = [];
    for (const url of [forged, `${own}x`, `${world.cloud.base}/mails/unsubscribe/1.`, forged])
      statuses.push((await fetch(url, { method: 'POST' })).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
    expect((await fetch(other ?? '', { method: 'GET' })).status).toBe(200);
  });
});

describe('the QR code of a weblink', () => {
  it('is drawn for managers alone, and the audit log says so', async () => {
    const product_id = await aProduct();
    const link = await world.post<{ id: string }>('/v2/weblinks', { product_id, start_time: '2026-01-01T00:00:00Z' });
    const ask = (file: string, token: string) => world.cloud.ask('GET', `/v2/weblinks/${link.id}/${file}`, { token });
    const svg = await ask('qr.svg', ADMIN_TOKEN);
    expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(svg.text).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
    const png = await ask('qr.png', OWNER_TOKEN);
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(png.headers.get('cache-control')).toBe('private, no-store');
    const [entry] = await world.get<{ action: string; target: string }[]>('/v2/audit-log?size=1');
    expect(entry).toMatchObject({ action: 'weblink.show', target: `weblink ${link.id}` });
    const logged = world.cloud.store.reader.selectFrom('audit_log').select('lot_id').orderBy('id', 'desc');
    expect(await logged.executeTakeFirst()).toEqual({ lot_id: expect.any(Number) });
    expect((await ask('qr.svg', GUARD_TOKEN)).status).toBe(403);
    expect((await ask('qr.svg', RIVAL_TOKEN)).status).toBe(404);
    await world.remove(`/v2/weblinks/${link.id}`);
    expect((await ask('qr.svg', OWNER_TOKEN)).status).toBe(404);
  });

  const aProduct = async () => {
    const { id } = await world.post<{ id: number }>('/v2/products', {
      device_id: 'a4c138000009',
      zone_id: world.site.zone,
      name: 'Entry',
      product_type_id: 1,
    });
    return id;
  };
});
