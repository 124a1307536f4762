import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orderErasure } from '../../../agent/commissioning/data-erasure.js';
import { findIdentity, openIdentity } from '../../../agent/commissioning/identity.js';

const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const MEMBERSHIP = {
  url: 'https://cloud.example',
  mqtt: { url: 'mqtts://cloud.example', username: REGISTERED, password: 'secret', ca: null },
};

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'identity-'));
  path = join(directory, 'data', 'identity.json');
});
afterEach(() => rmSync(directory, { recursive: true }));

const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('the identity of a gateway', () => {
  it('is made once, readable by its owner only, and the same ever after', () => {
    const made = openIdentity(path);
    expect(made.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    expect([made.cloud, modeOf(path), readdirSync(join(directory, 'data'))]).toEqual([null, 0o600, ['identity.json']]);
    expect(modeOf(join(directory, 'data'))).toBe(0o700);

    const again = openIdentity(path);
    expect([again.uuid, again.publicKey]).toEqual([made.uuid, made.publicKey]);
    const other = openIdentity(join(directory, 'other.json'));
    expect([other.uuid === made.uuid, other.publicKey === made.publicKey]).toEqual([false, false]);
  });

  it('signs with the key it shows', () => {
    const identity = openIdentity(path);
    expect(Buffer.from(identity.publicKey, 'base64url')).toHaveLength(32);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: identity.publicKey }, format: 'jwk' });
    const signature = Buffer.from(identity.sign('code.uuid'), 'base64url');
    expect(verify(null, Buffer.from('code.uuid'), key, signature)).toBe(true);
    expect(verify(null, Buffer.from('code.other'), key, signature)).toBe(false);
  });

  it('keeps its key, and takes the uuid that the cloud knows it by, when it joins', () => {
    const made = openIdentity(path);
    const joined = made.joined(MEMBERSHIP);
    for (const identity of [joined, openIdentity(path)]) {
      expect(identity).toMatchObject({ uuid: REGISTERED, publicKey: made.publicKey, cloud: MEMBERSHIP });
    }
    expect(made.cloud).toBeNull();
    expect([modeOf(path), existsSync(`${path}.new`)]).toEqual([0o600, false]);
  });

  it('is written whole or not at all', () => {
    const made = openIdentity(path);
    writeFileSync(`${path}.new`, '{"uuid": "half a fi', { mode: 0o600 });
    expect(openIdentity(path).uuid).toBe(made.uuid);
    made.joined(MEMBERSHIP);
    expect(openIdentity(path).cloud).toEqual(MEMBERSHIP);
  });

  it('closes a file that was put back open to everybody', () => {
    const made = openIdentity(path);
    chmodSync(path, 0o644);
    expect(openIdentity(path).uuid).toBe(made.uuid);
    expect(modeOf(path)).toBe(0o600);
  });

  it('refuses a damaged file, says what to do, and leaves it alone', () => {
    openIdentity(path);
    const stored = JSON.parse(readFileSync(path, 'utf8'));
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const damaged = [
      '',
      '{"uuid"',
      '[]',
      JSON.stringify({ ...stored, uuid: 'not a uuid' }),
      JSON.stringify({ ...stored, private_key: undefined }),
      JSON.stringify({ ...stored, private_key: 'AAAA' }),
      JSON.stringify({ ...stored, private_key: rsa.export({ type: 'pkcs8', format: 'der' }).toString('base64') }),
      JSON.stringify({ ...stored, cloud: { url: 'https://cloud.example' } }),
    ];
    for (const text of damaged) {
      writeFileSync(path, text);
      expect(() => openIdentity(path)).toThrow(
        `${path} is damaged: put a backup of it back, or move it away to begin as a new, unclaimed gateway`,
      );
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  it('does not take a file that cannot be read for none', () => {
    expect(() => openIdentity(directory)).toThrow(
      `${directory} cannot be read: run the agent as the user whose file it is`,
    );
  });

  it('is read by nobody once it is to be erased, and no other is made in its place', () => {
    openIdentity(path).joined(MEMBERSHIP);
    const stored = readFileSync(path, 'utf8');
    orderErasure({ dataDir: dirname(path), identityFile: path, ownNames: [] }, { why: 'reset', at_ms: 1 });
    for (const left of [stored, '\0'.repeat(stored.length), null]) {
      if (left === null) rmSync(path);
      else writeFileSync(path, left);
      expect(findIdentity(path)).toBeNull();
      expect(() => openIdentity(path)).toThrow(`${path} is being erased`);
    }
    expect(readdirSync(dirname(path))).toEqual(['erasing.json']);
  });
});
