/** Port: the cryptography of the protocol. This folder imports nothing of Node.js; callers pass the functions in. */
import { encodeBase64url } from './base64url.js';
import { concatBytes, hexToBytes } from './bytes.js';

export interface SealInput {
  /** 16 bytes: AES-128. */
  key: Uint8Array;
  /** 13 bytes. */
  nonce: Uint8Array;
  aad: Uint8Array;
  plaintext: Uint8Array;
  tagLength: 8 | 16;
}

export interface OpenInput {
  key: Uint8Array;
  nonce: Uint8Array;
  aad: Uint8Array;
  /** The ciphertext followed by the tag, as `aesCcmSeal` returns them. */
  sealed: Uint8Array;
  tagLength: 8 | 16;
}

export interface ProtocolCrypto {
  /** 32 bytes. */
  hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  hkdfSha256(ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array;
  /** Returns the ciphertext followed by the tag. */
  aesCcmSeal(input: SealInput): Uint8Array;
  /** Returns the plaintext; null when the tag is wrong, or the bytes are fewer than a tag has. */
  aesCcmOpen(input: OpenInput): Uint8Array | null;
  /** Returns the shared secret; null when it is all zero, which a public key of small order causes. Both keys are 32 raw bytes. */
  x25519(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | null;
  /** Compares in constant time if the lengths are equal. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
}

/** The part of node:crypto that the protocol needs. Callers pass the module itself. */
export interface NodeCrypto<Key> {
  createHmac(algorithm: string, key: Uint8Array): { update(data: Uint8Array): { digest(): Uint8Array } };
  hkdfSync(digest: string, ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): ArrayBuffer;
  createCipheriv(algorithm: 'aes-128-ccm', key: Uint8Array, nonce: Uint8Array, options: CcmOptions): CcmCipher;
  createDecipheriv(algorithm: 'aes-128-ccm', key: Uint8Array, nonce: Uint8Array, options: CcmOptions): CcmDecipher;
  createPrivateKey(pem: string): Key;
  createPublicKey(pem: string): Key;
  diffieHellman(keys: { privateKey: Key; publicKey: Key }): Uint8Array;
  timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
}

interface CcmOptions {
  authTagLength: number;
}

interface CcmTransform {
  setAAD(aad: Uint8Array, options: { plaintextLength: number }): unknown;
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

interface CcmCipher extends CcmTransform {
  getAuthTag(): Uint8Array;
}

interface CcmDecipher extends CcmTransform {
  setAuthTag(tag: Uint8Array): unknown;
}

/** DER headers (RFC 8410) that turn raw X25519 keys into keys of node:crypto. */
const PRIVATE_KEY_HEADER = hexToBytes('302e020100300506032b656e04220420');
const PUBLIC_KEY_HEADER = hexToBytes('302a300506032b656e032100');

/** @param node the module: `import * as crypto from 'node:crypto'` */
export function createProtocolCrypto<Key>(node: NodeCrypto<Key>): ProtocolCrypto {
  return {
    hmacSha256: (key, data) => plain(node.createHmac('sha256', key).update(data).digest()),

    hkdfSha256: (ikm, salt, info, length) => new Uint8Array(node.hkdfSync('sha256', ikm, salt, info, length)),

    aesCcmSeal({ key, nonce, aad, plaintext, tagLength }) {
      const cipher = node.createCipheriv('aes-128-ccm', key, nonce, { authTagLength: tagLength });
      cipher.setAAD(aad, { plaintextLength: plaintext.length });
      const ciphertext = cipher.update(plaintext);
      return concatBytes(ciphertext, cipher.final(), cipher.getAuthTag());
    },

    aesCcmOpen({ key, nonce, aad, sealed, tagLength }) {
      if (sealed.length < tagLength) return null;
      const ciphertext = sealed.subarray(0, sealed.length - tagLength);
      const decipher = node.createDecipheriv('aes-128-ccm', key, nonce, { authTagLength: tagLength });
      decipher.setAuthTag(sealed.subarray(sealed.length - tagLength));
      decipher.setAAD(aad, { plaintextLength: ciphertext.length });
      const plaintext = decipher.update(ciphertext);
      try {
        return concatBytes(plaintext, decipher.final());
      } catch {
        // node:crypto reports a wrong tag only by throwing.
        return null;
      }
    },

    x25519(privateKey, publicKey) {
      const privateKeyPem = pem('PRIVATE KEY', concatBytes(PRIVATE_KEY_HEADER, privateKey));
      const publicKeyPem = pem('PUBLIC KEY', concatBytes(PUBLIC_KEY_HEADER, publicKey));
      try {
        const secret = plain(
          node.diffieHellman({
            privateKey: node.createPrivateKey(privateKeyPem),
            publicKey: node.createPublicKey(publicKeyPem),
          }),
        );
        return secret.every((byte) => byte === 0) ? null : secret;
      } catch {
        // OpenSSL refuses to derive an all-zero secret.
        return null;
      }
    },

    equal: (a, b) => a.length === b.length && node.timingSafeEqual(a, b),
  };
}

/** Copies the bytes into a plain Uint8Array, because some methods of Buffer behave differently. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function pem(label: string, der: Uint8Array): string {
  const base64 = encodeBase64url(der).replaceAll('-', '+').replaceAll('_', '/');
  const padding = '='.repeat((4 - (base64.length % 4)) % 4);
  return `-----BEGIN ${label}-----\n${base64}${padding}\n-----END ${label}-----\n`;
}
