import { describe, expect, it } from 'vitest';
import { decideKeyStatus } from '../../../cloud/guests/guest-key/decide-key-status.js';
import { KEY_LOG_STATUSES } from '../../../cloud/guests/guest-key/key-log-fields.js';

const NOW = 1_000_000;
const wanted = (status: (typeof KEY_LOG_STATUSES)[number], hasProduct = true) => ({ status, hasProduct, now: NOW });
const token = (status: 'active' | 'expired' | 'blocked' | 'invalid', end_time: number | null = null) => ({
  status,
  end_time,
});

describe('a status that somebody sets', () => {
  it('decides that of the token', () => {
    const statuses = KEY_LOG_STATUSES.map((status) => [status, decideKeyStatus(token('active'), wanted(status))]);
    expect(Object.fromEntries(statuses)).toEqual({
      active: { tokenStatus: 'active', isNew: false },
      reactived: { tokenStatus: 'active', isNew: false },
      blocked: { tokenStatus: 'blocked', isNew: false },
      invalid: { tokenStatus: 'invalid', isNew: false },
      deleted: { tokenStatus: 'blocked', isNew: false },
      depleted: { tokenStatus: 'expired', isNew: false },
      expired: { tokenStatus: 'expired', isNew: false },
    });
  });

  it('gives a token that becomes active again other credentials, unless it is invalid or its window is over', () => {
    for (const status of ['active', 'reactived'] as const) {
      expect(decideKeyStatus(token('blocked', NOW + 1), wanted(status))).toEqual({
        tokenStatus: 'active',
        isNew: true,
      });
      expect(decideKeyStatus(token('expired'), wanted(status))).toEqual({ tokenStatus: 'active', isNew: true });
      expect(decideKeyStatus(token('invalid'), wanted(status))).toHaveProperty('problem');
      expect(decideKeyStatus(token('blocked', NOW), wanted(status))).toHaveProperty('problem');
    }
  });

  it('revives no key of a product that was removed, whatever it was set to meanwhile', () => {
    for (const before of ['invalid', 'blocked', 'expired'] as const) {
      const refused = KEY_LOG_STATUSES.filter(
        (status) => 'problem' in decideKeyStatus(token(before), wanted(status, false)),
      );
      expect([before, refused]).toEqual([before, ['active', 'reactived']]);
    }
  });
});
