import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { uuidv4 } from 'uuidv7';
import { z } from 'zod';
import { type GatewayUuid, gatewayUuidSchema } from '../../shared/ids.js';
import { makeDeviceCode } from './device-code.js';
import { findErasure, type Former, formerSchema } from './erasure-mark.js';
import { closeToOthers, readWhole, removeHalf, writeWhole } from './whole-file.js';

const identityFileSchema = z.object({
  uuid: gatewayUuidSchema,
  /** PKCS#8, base64. */
  private_key: z.string(),
  cloud: z
    .object({
      url: z.string(),
      mqtt: z.object({ url: z.string(), username: z.string(), password: z.string(), ca: z.string().nullable() }),
      /** PEM of the authority behind the certificate of `url`; left out: it is a public one. */
      ca: z.string().exactOptional(),
    })
    .nullable(),
  /** Why an earlier identity of this device was erased; left out on a device that never had one, and once it is claimed again. */
  former: formerSchema.exactOptional(),
  /** Left out once it is claimed. */
  device_code: z.string().exactOptional(),
});

export type CloudMembership = NonNullable<z.infer<typeof identityFileSchema>['cloud']>;

const RAW_KEY_BYTES = 32;

/** The identity of this gateway: its uuid, its Ed25519 key and, once it is claimed, how it reaches its cloud. */
export interface Identity {
  readonly uuid: GatewayUuid;
  /** Raw 32-byte Ed25519 key, base64url. */
  readonly publicKey: string;
  readonly cloud: CloudMembership | null;
  readonly former: Former | null;
  /** `XXXX-XXXX`, what whoever claims this device from the network has to know; null: it is claimed. */
  readonly deviceCode: string | null;
  /** base64url */
  sign(text: string): string;
  /** Keeps what the claim answered. The uuid may change: it is the one under which the cloud has registered the gateway. */
  joined(cloud: CloudMembership): Identity;
}

/**
 * Reads the identity from `path`, or creates one. Without the file the gateway would be lost, so it is written whole or not at all,
 * and only its owner can read it.
 * Throws when the file is there but cannot be understood: a new identity would orphan a claimed gateway. Throws while an erasure has begun
 * and not ended: `openDevice` finishes it.
 */
export function openIdentity(path: string): Identity {
  if (findErasure(path) !== null) throw new Error(`${path} is being erased: nothing of it is read any more`);
  removeHalf(path);
  const stored = readIdentityFile(path);
  return stored === null ? makeIdentity(path, null) : identityOf(path, stored);
}

/** Makes an identity in the place of what lies at `path`. @param former noted in it */
export function makeIdentity(path: string, former: Former | null): Identity {
  const { privateKey } = generateKeyPairSync('ed25519');
  const created = {
    uuid: gatewayUuidSchema.parse(uuidv4()),
    private_key: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    cloud: null,
    device_code: makeDeviceCode(),
    ...(former === null ? {} : { former }),
  };
  writeIdentityFile(path, created);
  return identityOf(path, created);
}

/**
 * Reads the identity without making one; null: this device has none yet, or the one it had is being erased. Throws as `openIdentity` does
 * when the file cannot be understood.
 */
export function findIdentity(path: string): Identity | null {
  if (findErasure(path) !== null) return null;
  try {
    const stored = readIdentityFile(path);
    return stored === null ? null : identityOf(path, stored);
  } catch (error) {
    // An erasure may have begun while it was read, by the gateway that runs here.
    if (findErasure(path) !== null) return null;
    throw error;
  }
}

type IdentityFile = z.infer<typeof identityFileSchema>;

function readIdentityFile(path: string): IdentityFile | null {
  const text = readWhole(path);
  if (text === null) return null;
  let file: IdentityFile;
  try {
    file = identityFileSchema.parse(JSON.parse(text));
    identityOf(path, file);
  } catch (cause) {
    throw new Error(
      `${path} is damaged: put a backup of it back, or move it away to begin as a new, unclaimed gateway`,
      { cause },
    );
  }
  closeToOthers(path);
  return file;
}

const writeIdentityFile = (path: string, file: IdentityFile): void =>
  writeWhole(path, `${JSON.stringify(file, null, 2)}\n`);

function identityOf(path: string, file: IdentityFile): Identity {
  const privateKey: KeyObject = createPrivateKey({
    key: Buffer.from(file.private_key, 'base64'),
    type: 'pkcs8',
    format: 'der',
  });
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new Error(`an Ed25519 key is needed, not ${privateKey.asymmetricKeyType}`);
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    uuid: file.uuid,
    publicKey: spki.subarray(-RAW_KEY_BYTES).toString('base64url'),
    cloud: file.cloud,
    former: file.former ?? null,
    deviceCode: file.cloud === null ? (file.device_code ?? null) : null,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
    joined(cloud) {
      const { former: _over, device_code: _used, ...kept } = file;
      const joined = { ...kept, uuid: gatewayUuidSchema.parse(cloud.mqtt.username), cloud };
      writeIdentityFile(path, joined);
      return identityOf(path, joined);
    },
  };
}
