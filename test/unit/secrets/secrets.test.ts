import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from '../../property.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../../shared/clock.js';
import { FakeClock } from '../../world/fake-clock.js';
import { createPasswords } from '../../../cloud/kernel/secrets/passwords.js';
import { createSecrets, hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../../../cloud/kernel/secrets/server-key.js';

const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('the server key', () => {
  it('is made at the first start, for its owner only, and stays', () => {
    const dataDir = join(directory, 'new');
    const key = loadServerKey({ dataDir, serverKey: null });
    expect(key).toHaveLength(32);
    expect(loadServerKey({ dataDir, serverKey: null })).toEqual(key);
    const path = join(dataDir, 'server-keys.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['server-keys.json']);
    chmodSync(path, 0o644);
    loadServerKey({ dataDir, serverKey: null });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('may be given instead, and then no file is made', () => {
    const dataDir = join(directory, 'given');
    expect(loadServerKey({ dataDir, serverKey: '01'.repeat(32) })).toEqual(Buffer.alloc(32, 1));
    expect(() => statSync(dataDir)).toThrow('ENOENT');
  });

  it('is not made anew when its file is damaged', () => {
    const dataDir = join(directory, 'damaged');
    loadServerKey({ dataDir, serverKey: null });
    const path = join(dataDir, 'server-keys.json');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
    expect(() => loadServerKey({ dataDir, serverKey: null })).toThrow(/server-keys\.json are damaged/);
  });

  it('tells where it could not be written', () => {
    expect(() => loadServerKey({ dataDir: '/dev/null/x', serverKey: null })).toThrow('/dev/null/x/server-keys.json');
  });
});

describe('sealing', () => {
  const secrets = createSecrets(Buffer.alloc(32, 7));

  it('gives back what was sealed, whatever it was', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (secret) => {
        expect(secrets.open('camera_password', secrets.seal('camera_password', secret))).toEqual(Buffer.from(secret));
      }),
    );
    expect(secrets.open('camera_push_key', secrets.seal('camera_push_key', 'žuto')).toString()).toBe('žuto');
  });

  it('never writes the same twice, and never the secret', () => {
    const [one, other] = [secrets.seal('camera_password', 'secret'), secrets.seal('camera_password', 'secret')];
    expect(one).not.toBe(other);
    expect(Buffer.from(one.slice(3), 'base64url').toString('latin1')).not.toContain('secret');
  });

  it('does not open what was changed in any bit, is of another purpose or of another server', () => {
    const sealed = secrets.seal('product_master_key', Buffer.alloc(32, 9));
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => secrets.open('product_master_key', `v1.${changed.toString('base64url')}`)).toThrow(
        'server-keys.json',
      );
    }
    expect(() => secrets.open('camera_password', sealed)).toThrow('server-keys.json');
    expect(() => createSecrets(Buffer.alloc(32, 8)).open('product_master_key', sealed)).toThrow('server-keys.json');
    expect(() => secrets.open('product_master_key', 'v1.AAAA')).toThrow('not a sealed text');
    expect(() => secrets.open('product_master_key', 'a master key')).toThrow('not a sealed text');
  });
});

describe('deriving', () => {
  const secrets = createSecrets(Buffer.alloc(32, 7));

  it('is the same for the same parts only', () => {
    expect(secrets.derive('mqtt', 'a', 'b')).toEqual(secrets.derive('mqtt', 'a', 'b'));
    expect(secrets.derive('mqtt', 'a', 'b')).toHaveLength(32);
    const others = [
      secrets.derive('mqtt', 'ab'),
      secrets.derive('mqtt', 'a', 'b', ''),
      secrets.derive('mqtt', '', 'ab'),
      secrets.derive('mqtta', 'b'),
      createSecrets(Buffer.alloc(32, 8)).derive('mqtt', 'a', 'b'),
    ];
    for (const other of others) expect(other).not.toEqual(secrets.derive('mqtt', 'a', 'b'));
  });

  it('hashes tokens by SHA-256', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('passwords', () => {
  it('fit their own hash only, which is argon2id of the cost meant', async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash('long pass phrase');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify('long pass phrase', hash)).toBe(true);
    expect(await passwords.verify('long pass phrase ', hash)).toBe(false);
  });

  it.each([null, ''])(
    "never fit when they are nobody's (%j), but take the place of a real check, whose cost they have",
    async (none) => {
      const passwords = createPasswords({ concurrency: 1, waitingMax: 0 });
      const hash = await passwords.hash('x');
      const nobodys = passwords.verify('wrong', none);
      // The one place is taken: the real check has to go.
      await expect(passwords.verify('wrong', hash)).rejects.toThrow(/password checks/);
      expect(await nobodys).toBe(false);
      expect(await passwords.verify('wrong', hash)).toBe(false);
    },
  );

  it('wait for each other, and only so many', async () => {
    const passwords = createPasswords({ concurrency: 1, waitingMax: 1 });
    const checks = await Promise.allSettled([1, 2, 3].map(() => passwords.verify('x', null)));
    expect(checks.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await passwords.verify('x', null)).toBe(false);
  });

  it('pause as long as each took where cores are few, and nobody waits for his own pause', async () => {
    const clock = new FakeClock();
    const passwords = createPasswords({ cores: 2, waitingMax: 1, pausingClock: tickingClock(clock, 40) });
    expect(await passwords.verify('x', null)).toBe(false);
    const second = passwords.verify('x', null);
    await clock.advance(39);
    expect(clock.pending).toBe(1);
    // The second has not begun: it takes the one place to wait in.
    await expect(passwords.verify('x', null)).rejects.toThrow('password checks: 1 already wait');
    await clock.advance(1);
    expect(await second).toBe(false);
  });

  it('do not pause where cores are many', async () => {
    const clock = new FakeClock();
    const passwords = createPasswords({ cores: 4, concurrency: 1, pausingClock: clock });
    expect(await passwords.verify('x', null)).toBe(false);
    expect(await passwords.verify('x', null)).toBe(false);
    expect(clock.pending).toBe(0);
  });
});

/** A clock by which everything takes `stepMs`. */
function tickingClock(clock: FakeClock, stepMs: number): Clock {
  let askedMs = 0;
  return {
    now: () => clock.now(),
    monotonic: () => (askedMs += stepMs),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
  };
}
