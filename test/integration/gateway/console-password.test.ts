/** The password of a device: made at the claim, shown and renewed over REST, and what of it the gateway gets. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ConfigMessage, configMessageSchema, type PasswordVerifier } from '../../../shared/gateway-config.js';
import { isPasswordOf } from '../../../shared/node/console-password.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { OWNER_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { rawPublicKey } from '../../world/raw-public-key.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01';

const verifierSchema = z.object({ salt: z.string(), hash: z.string() });
const gatewaySchema = z.object({ self: z.object({ console_password: verifierSchema }) });
const claimAnswer = z.object({ data: z.object({ config: z.array(configMessageSchema) }) });

interface Shown {
  password: string | null;
  set_at: string | null;
}

describe('the password of a device', () => {
  let world: RestWorld;
  let id: number;
  let code: string;
  let path: string;

  beforeAll(async () => {
    world = await startRestWorld();
    const body = { name: 'Pi', lot_id: world.site.north };
    ({ id, claim_code: code } = await world.post<{ id: number; claim_code: string }>('/v2/gateways', body));
    path = `/v2/gateways/${id}/console-password`;
  });
  afterAll(() => world.cloud.close());

  const ask = async (method: string, token = OWNER_TOKEN) => {
    const { status, body } = await world.cloud.ask(method, path, method === 'POST' ? { token, json: {} } : { token });
    return { status, data: body.data as Shown };
  };
  const shown = async () => (await ask('GET')).data;

  async function claim(claim_code: string): Promise<string> {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const signature = sign(null, Buffer.from(`${claim_code}.${UUID}`), privateKey).toString('base64url');
    const json = { claim_code, uuid: UUID, public_key: rawPublicKey(publicKey), signature };
    const answer = await world.cloud.ask('POST', '/v2/gateways/claim', { json });
    expect(answer.status).toBe(200);
    return answer.text;
  }
  function verifierOf(section: ConfigMessage | undefined): PasswordVerifier {
    const { self } = gatewaySchema.parse(section?.upsert);
    return self.console_password;
  }
  function verifierIn(text: string): PasswordVerifier {
    const { config } = claimAnswer.parse(JSON.parse(text)).data;
    return verifierOf(config.find(({ section }) => section === 'gateway'));
  }
  const entries = async (action: string) =>
    (await world.cloud.store.reader.selectFrom('audit_log').selectAll().execute()).filter(
      (entry) => entry.action === action && entry.target === `gateway ${id}`,
    );

  it('is none before a device has claimed the gateway', async () => {
    expect(await shown()).toEqual({ password: null, set_at: null });
  });

  it('is made at the claim: the device gets what recognises it, and not itself', async () => {
    const answer = await claim(code);
    const { password, set_at } = await shown();
    expect(password).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(set_at).toBe(new Date(world.cloud.clock.now()).toISOString());
    expect(answer).not.toContain(password);
    const verifier = verifierIn(answer);
    expect(await isPasswordOf(verifier, (password ?? '').toLowerCase().replaceAll('-', ' '))).toBe(true);
    expect(await isPasswordOf(verifier, code)).toBe(false);
  });

  it('is renewed: another one, which the connected gateway is told, in a section that then stays as it is', async () => {
    const before = await shown();
    const revision = async () => {
      const messages = await world.cloud.gatewayParts.publisher.snapshots(id);
      return messages.find(({ section }) => section === 'gateway');
    };
    const earlier = await revision();
    const { status, data } = await ask('POST');
    expect(status).toBe(200);
    expect(data.password).not.toBe(before.password);
    expect(await shown()).toEqual(data);
    const later = await revision();
    expect(later?.revision).not.toBe(earlier?.revision);
    expect((await revision())?.revision).toBe(later?.revision);
    const renewed = verifierOf(later);
    expect(await isPasswordOf(renewed, data.password ?? '')).toBe(true);
    expect(await isPasswordOf(renewed, before.password ?? '')).toBe(false);
    expect(world.cloud.notified).toContainEqual(expect.objectContaining({ lot_id: world.site.north }));
  });

  it('is another one for the next device that claims the gateway', async () => {
    const before = await shown();
    const { claim_code } = await world.post<{ claim_code: string }>(`/v2/gateways/${id}/claim-code`, {});
    const verifier = verifierIn(await claim(claim_code));
    const after = await shown();
    expect(after.password).not.toBe(before.password);
    expect(await isPasswordOf(verifier, before.password ?? '')).toBe(false);
  });

  it('is for managers alone, and an entry of the audit log tells each time that it was shown or made', async () => {
    expect((await ask('GET', GUARD_TOKEN)).status).toBe(403);
    expect((await ask('POST', GUARD_TOKEN)).status).toBe(403);
    expect((await ask('GET', RIVAL_TOKEN)).status).toBe(404);
    const [before, madeBefore] = [
      (await entries('gateway.console_password.show')).length,
      (await entries('gateway.console_password')).length,
    ];
    await shown();
    await shown();
    await ask('POST');
    const audited = await entries('gateway.console_password.show');
    expect(audited.length).toBe(before + 2);
    expect(audited.at(-1)).toMatchObject({ actor_type: 'user', lot_id: world.site.north });
    expect((await entries('gateway.console_password')).length).toBe(madeBefore + 1);
  });

  it('stands nowhere in plain: not in the database, the log, or other answers', async () => {
    const { password } = await shown();
    const { cloud } = world;
    const rows = [
      await cloud.store.reader.selectFrom('gateways').selectAll().execute(),
      await cloud.store.reader.selectFrom('audit_log').selectAll().execute(),
    ];
    const answers = await Promise.all(
      ['/v2/gateways', `/v2/gateways/${id}`, `/v2/gateways/${id}/health`, '/v2/audit-log'].map(
        async (each) => (await cloud.ask('GET', each, { token: OWNER_TOKEN })).text,
      ),
    );
    expect(JSON.stringify([rows, answers, cloud.log])).not.toContain(password);
    expect(answers.join('')).not.toContain('console_password_');
  });
});
