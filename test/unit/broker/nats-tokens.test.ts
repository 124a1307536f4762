import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createNatsKeys, gatewayUserId } from '../../../cloud/equipment/broker/nats-keys.js';
import { natsServerConfig } from '../../../cloud/equipment/broker/nats-server-config.js';
import {
  accountToken,
  cloudToken,
  gatewayToken,
  operatorToken,
  readAccountToken,
  readGatewayToken,
  systemAccountToken,
  systemToken,
} from '../../../cloud/equipment/broker/nats-tokens.js';
import { createSecrets, hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { NORTH_GATEWAY } from '../../integration/gateway/link-site.js';

const keys = createNatsKeys(createSecrets(new Uint8Array(32).fill(9)).derive);
const other = createNatsKeys(createSecrets(new Uint8Array(32).fill(8)).derive);
const credential = { uuid: NORTH_GATEWAY, password: 'a secret of many letters' };
const bodyOf = (token: string): unknown => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('the keys', () => {
  it('are written as NATS writes them', () => {
    // The example of the documentation of nkeys: SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY.
    const seed = Buffer.from('29497ba00f41dd45936b4cc4bda1decb67c128e69fb3d490ee820daf7c318c0a', 'hex');
    const { cloudUser } = createNatsKeys(() => seed);
    expect(cloudUser.id).toBe('UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4');
  });

  it('follow from the server key: the same each time, others of another', () => {
    const again = createNatsKeys(createSecrets(new Uint8Array(32).fill(9)).derive);
    const idsOf = (of: typeof keys) =>
      [of.operator, of.systemAccount, of.account, of.gatewaySigner].map(({ id }) => id);
    expect(idsOf(again)).toEqual(idsOf(keys));
    expect(idsOf(other).filter((id) => idsOf(keys).includes(id))).toEqual([]);
    expect(new Set([...idsOf(keys), keys.cloudUser.id, keys.systemUser.id]).size).toBe(6);
    expect(idsOf(keys).map((id) => id[0])).toEqual(['O', 'A', 'A', 'A']);
  });
});

describe('the tokens', () => {
  it("are signed by their issuer, a gateway's by the signer that gives it its topics", () => {
    const raw = rawOf(keys.gatewaySigner.id);
    const publicKey = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
      format: 'der',
      type: 'spki',
    });
    const [head = '', body = '', signature = ''] = gatewayToken(keys, credential).split('.');
    expect(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ typ: 'JWT', alg: 'ed25519-nkey' });
  });

  it('are the same text each time, so that they are kept nowhere', () => {
    expect(gatewayToken(keys, credential)).toBe(gatewayToken(keys, { ...credential }));
    expect(operatorToken(keys)).toBe(operatorToken(keys));
    expect(systemAccountToken(keys)).toBe(systemAccountToken(keys));
    expect(cloudToken(keys)).toBe(cloudToken(keys));
    expect(systemToken(keys)).toBe(systemToken(keys));
    expect(accountToken(keys, { UA: 5 }, 7)).toBe(accountToken(keys, { UA: 5 }, 7));
  });

  it("name a gateway's uuid and the hash of its password, and say nothing of its rights", () => {
    const token = gatewayToken(keys, credential);
    const userId = gatewayUserId(hashToken(credential.password));
    expect(userId).toMatch(/^U[A-Z2-7]{55}$/);
    expect(readGatewayToken(keys, token)).toEqual({ uuid: NORTH_GATEWAY, userId });
    expect(bodyOf(token)).toMatchObject({
      name: NORTH_GATEWAY,
      nats: { issuer_account: keys.account.id, type: 'user', version: 2 },
    });
    expect(token).not.toContain(Buffer.from(credential.password).toString('base64url').slice(0, 16));
    expect(gatewayToken(keys, { ...credential, password: 'another' })).not.toBe(token);
  });

  it('are not read as ours when they are of others', () => {
    expect(readGatewayToken(keys, gatewayToken(other, credential))).toBeNull();
    expect(readGatewayToken(keys, cloudToken(keys))).toBeNull();
    expect(readAccountToken(keys, accountToken(other))).toBeNull();
    for (const text of ['', 'a.b.c', '..', 'é']) {
      expect(readGatewayToken(keys, text)).toBeNull();
      expect(readAccountToken(keys, text)).toBeNull();
    }
  });

  it('hold the void ones when they are of the account', () => {
    expect(readAccountToken(keys, accountToken(keys))).toEqual({ issuedS: 1, revocations: {} });
    expect(readAccountToken(keys, accountToken(keys, { UA: 5 }, 7))).toEqual({ issuedS: 7, revocations: { UA: 5 } });
  });
});

describe("a server's configuration", () => {
  const nodes = ['nats-1.example', 'nats-2.example', '2001:db8::3'].map((host) => ({
    name: host,
    host,
    ports: { client: 4222, mqtt: 8883, route: 6222 },
    storeDirectory: '/var/lib/nats',
  }));
  const tls = { cert: '/etc/nats/server.pem', key: '/etc/nats/server.key', ca: '/etc/nats/ca.pem' };

  it('names the other servers, stores on three, and takes messages of 12 MiB', () => {
    const text = natsServerConfig(keys, nodes[0]!, { nodes, tls });
    expect(text).toContain('server_name: "nats-1.example"');
    expect(text).toContain('@nats-2.example:6222"');
    expect(text).toContain('@[2001:db8::3]:6222"');
    expect(text).not.toContain('@nats-1.example');
    expect(text).toContain('stream_replicas: 3');
    expect(text).toContain('max_payload: 12MB');
    expect(text.match(/tls \{/g)).toHaveLength(3);
  });

  it('has no cluster for one server', () => {
    const text = natsServerConfig(keys, nodes[0]!, { nodes: nodes.slice(0, 1), tls: null });
    expect(text).toContain('stream_replicas: 1');
    expect(text).not.toContain('cluster');
    expect(text).not.toContain('tls {');
  });

  it('holds no key that signs anything', () => {
    const text = natsServerConfig(keys, nodes[0]!, { nodes, tls });
    const { derive } = createSecrets(new Uint8Array(32).fill(9));
    for (const use of ['operator', 'account', 'gateway signer', 'system account']) {
      const seed = derive('nats_key', use);
      for (const encoding of ['hex', 'base64url', 'base64'] as const)
        expect(text).not.toContain(seed.toString(encoding));
    }
  });
});

/** Reads the 32 bytes of a key from its text. */
function rawOf(id: string): Buffer {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...id].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).subarray(1, 33);
}
