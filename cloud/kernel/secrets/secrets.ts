/** Sealing, deriving and hashing with the cloud's server key. */
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';

/** The kind of a sealed secret. It is bound to the sealed text, so that one kind of secret cannot replace another. */
export type SealPurpose =
  | 'product_master_key'
  | 'camera_password'
  | 'camera_push_key'
  | 'console_password'
  | 'webhook_secret'
  | 'idempotent_answer';

export interface Secrets {
  /** Seals with AES-256-GCM. @returns text of the form `v1.<base64url>`, a different one each time */
  seal(purpose: SealPurpose, secret: Uint8Array | string): string;
  /** @throws when the text was changed, or sealed for another purpose or with another server key */
  open(purpose: SealPurpose, sealed: string): Buffer;
  /** Derives 32 bytes by HMAC-SHA256 over the parts: always the same for the same purpose and parts, and of no use to find others. */
  derive(purpose: string, ...parts: string[]): Buffer;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'v1.';

/** SHA-256 as hex, for tokens of high entropy and never for passwords. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

export function createSecrets(serverKey: Uint8Array): Secrets {
  const subKey = (use: string) => Buffer.from(hkdfSync('sha256', serverKey, 'parking-cloud', use, 32));
  const sealKey = subKey('seal');
  const deriveKey = subKey('derive');
  return {
    seal(purpose, secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
      return PREFIX + Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('base64url');
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
      if (!sealed.startsWith(PREFIX) || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new Error(`Cannot open a sealed ${purpose}: it is not a sealed text`);
      }
      const tagStart = bytes.length - TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(tagStart));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagStart)), decipher.final()]);
      } catch (error) {
        const hint = 'are the server keys (server-keys.json, SERVER_KEY) those of this database?';
        throw new Error(`Cannot open a sealed ${purpose}: ${hint}`, { cause: error });
      }
    },
    derive(purpose, ...parts) {
      const hmac = createHmac('sha256', deriveKey);
      // The lengths are included, so that no two lists of parts give the same text.
      for (const part of [purpose, ...parts]) hmac.update(`${Buffer.byteLength(part)}:${part}`);
      return hmac.digest();
    },
  };
}
