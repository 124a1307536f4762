/**
 * The disguise in which a Zhenshi camera's web page sends name and password: AES in counter mode under a key that all its cameras share. It
 * protects nothing, but the camera takes nothing else. Known from public captures of the page, one of which the tests hold.
 */
import { createCipheriv } from 'node:crypto';

const KEY_BYTES = 16;
const NONCE_BYTES = 8;

/** By the path that takes it: the first cameras have one of its own, later ones one for everything. */
export const LOGIN_KEYS = { '/login.php': '天天', '/request.php': 'secret08' } as const;

/**
 * Returns base64 of the nonce and what it hides.
 * @param key one of LOGIN_KEYS
 * @param now_ms wall milliseconds, of which the nonce is made
 */
export function disguised(account: { username: string; password: string }, key: string, now_ms: number): string {
  const counter = Buffer.alloc(KEY_BYTES);
  counter.writeUInt32LE(Math.floor(now_ms / 1000) >>> 0, 0);
  // The page takes the milliseconds for four bytes, and writes the lowest four times.
  counter.fill((now_ms % 1000) & 0xff, 4, NONCE_BYTES);
  const hidden = createCipheriv('aes-128-ctr', keyOf(key), counter).update(`${account.username}:${account.password}`);
  return Buffer.concat([counter.subarray(0, NONCE_BYTES), hidden]).toString('base64');
}

/** The key's text, enciphered with itself. */
function keyOf(text: string): Buffer {
  const bytes = Buffer.alloc(KEY_BYTES);
  Buffer.from(text).copy(bytes);
  return createCipheriv('aes-128-ecb', bytes, null).setAutoPadding(false).update(bytes);
}
