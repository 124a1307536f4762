import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../cloud/site/api-token/authenticator.js';
import { runCreateToken } from '../../../cloud/doors/cli/create-token.js';
import { createBadRequests } from '../../../cloud/rest/request/bad-requests.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { type ApplyWorld, createApplyWorld } from '../site/apply-world.js';
import { SITE_TEXT } from '../site/site-text.js';
import { recordIo } from '../../world/record-io.js';

let world: ApplyWorld;

beforeEach(async () => {
  world = await createApplyWorld();
});
afterEach(() => world.close());

async function createToken(account: string, name: string) {
  const { io, out, err } = recordIo();
  const code = await runCreateToken({ account, name }, world, io);
  return { code, out, err };
}

describe('token create', () => {
  it('makes a token of the account and prints nothing else on the standard output', async () => {
    await world.apply(SITE_TEXT);
    const { code, out, err } = await createToken('Harbour Parking', ' till ');
    expect(code).toBe(0);
    expect(out).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)]);
    expect(err).toEqual(['API token till of account Harbour Parking: it is shown only this once.']);
    const authenticate = createAuthenticator({
      store: world.store,
      hashToken,
      guesses: createBadRequests({ requestsPerMin: 0, clock: world.clock }),
      clock: world.clock,
      noteUse: () => undefined,
    });
    expect(await authenticate(out[0] ?? '', '192.0.2.7')).toMatchObject({ kind: 'api', account_id: 1 });
    const { api_tokens } = await world.rows();
    expect(api_tokens.map(({ name }) => name)).toEqual(['integration', 'till']);
    expect(JSON.stringify(api_tokens)).not.toContain(out[0]);
  });

  it('leaves a word in the audit log, without the token', async () => {
    await world.apply(SITE_TEXT);
    const { out } = await createToken('Harbour Parking', 'till');
    const entries = await world.store.reader.selectFrom('audit_log').selectAll().orderBy('id').execute();
    expect(entries.at(-1)).toMatchObject({
      account_id: 1,
      actor_type: 'operator',
      action: 'api_token.create',
      target: expect.stringMatching(/^api token \d+$/),
      details: expect.stringContaining('till'),
    });
    expect(JSON.stringify(entries)).not.toContain(out[0]);
  });

  it.each([
    ['an account that is not there', 'Nobody', 'till', 'there is no account Nobody: a site file makes one'],
    [
      'a name that is taken',
      'Harbour Parking',
      'integration',
      'account Harbour Parking has an API token integration already: choose another name',
    ],
    ['no name', 'Harbour Parking', '  ', '--name: must not be empty'],
    ['a name without an end', 'Harbour Parking', 'x'.repeat(256), '--name: must be at most 255 characters'],
    ['a name of two lines', 'Harbour Parking', 'a\nb', '--name: must not hold control characters'],
    [
      'an account that nobody could act for',
      'Other',
      'till',
      'account Other has no Super Admin: a token of it would let nobody in; make one first',
    ],
  ])('refuses %s, and makes nothing', async (_title, account, name, problem) => {
    await world.apply(SITE_TEXT);
    await world.apply('version: 1\naccounts:\n  - name: Other\n');
    expect(await createToken(account, name)).toEqual({ code: 2, out: [], err: [problem] });
    expect((await world.rows()).api_tokens).toHaveLength(1);
  });
});
