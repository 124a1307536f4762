import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { isWeblinkToken, generateWeblink, weblinkToken } from '../../../cloud/guests/weblink/weblink-tokens.js';

const secrets = createSecrets(new Uint8Array(32).fill(1));

describe('the token of a weblink', () => {
  it('is the same whenever it is needed, and another for each link, generation and server key', () => {
    const link = { id: 'abcdefghijkl', generation: 0 };
    const token = weblinkToken(secrets, link);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(weblinkToken(createSecrets(new Uint8Array(32).fill(1)), link)).toBe(token);
    const others = [
      weblinkToken(secrets, { ...link, generation: 1 }),
      weblinkToken(secrets, { ...link, id: 'abcdefghijkm' }),
      weblinkToken(createSecrets(new Uint8Array(32).fill(2)), link),
    ];
    expect(new Set([token, ...others]).size).toBe(4);
  });

  it('is known again, and nothing else is taken for it', () => {
    const link = generateWeblink(secrets, 'https://p.example');
    expect(isWeblinkToken(secrets, link, link.token)).toBe(true);
    expect(isWeblinkToken(secrets, { ...link, generation: 1 }, link.token)).toBe(false);
    const last = link.token.endsWith('A') ? 'E' : 'A';
    for (const other of ['', 'x', `${link.token}A`, link.token.slice(0, -1) + last, 'ä'.repeat(43)]) {
      expect([other, isWeblinkToken(secrets, link, other)]).toEqual([other, false]);
    }
  });

  it('stands in the fragment of a new link', () => {
    const [one, two] = [generateWeblink(secrets, 'https://p.example'), generateWeblink(secrets, 'https://p.example')];
    expect(one.id).toMatch(/^[A-Za-z0-9_-]{12,}$/);
    expect(one.id).not.toBe(two.id);
    expect(one.token).toBe(weblinkToken(secrets, one));
    expect(one.url).toBe(`https://p.example/weblinks/${one.id}#${weblinkToken(secrets, one)}`);
  });
});
