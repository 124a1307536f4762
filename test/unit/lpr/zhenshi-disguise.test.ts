import { describe, expect, it } from 'vitest';
import { disguised, LOGIN_KEYS } from '../../../agent/lpr/zhenshi/zhenshi-disguise.js';

describe('the disguise of a Zhenshi log-in', () => {
  it('is that of a public capture of its page', () => {
    const at_ms = 0x62_0c_92_ac * 1_000 + 0xd8;
    const account = { username: 'admin', password: 'admin' };
    expect(disguised(account, LOGIN_KEYS['/login.php'], at_ms)).toBe('rJIMYtjY2NgYtbky3tuwOy27rg==');
  });

  it('is another one at another time, under another key, and of another account', () => {
    const account = { username: 'admin', password: 'geheim-ž' };
    const all = [
      disguised(account, LOGIN_KEYS['/login.php'], 1_700_000_000_000),
      disguised(account, LOGIN_KEYS['/login.php'], 1_700_000_000_999),
      disguised(account, LOGIN_KEYS['/request.php'], 1_700_000_000_000),
      disguised({ ...account, username: 'other' }, LOGIN_KEYS['/login.php'], 1_700_000_000_000),
    ];
    expect(new Set(all).size).toBe(4);
  });
});
