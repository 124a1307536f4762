/**
 * The disguise in which a Zhenshi camera's web page sends name and password: AES in counter mode under a key that all these cameras share.
 * It protects nothing, but the camera accepts no other form. It is known from public captures of the page, one of which is in the tests.
 */
import { createCipheriv } from 'node:crypto';

const KEY_BYTES = 16;
const NONCE_BYTES = 8;

/** The keys, by the path of the log-in: the first cameras have a separate path for it, later ones one path for everything. */
export const LOGIN_KEYS = { '/login.php': '天天', '/request.php': 'secret08' } as const;

/**
 * Returns the base64 of a nonce and the hidden account.
 * @param key one of LOGIN_KEYS
 * @param now_ms wall milliseconds, of which the nonce is made
 */
export function disguised(account: { username: string; password: string }, key: string, now_ms: number): string {
  const counter = Buffer.alloc(KEY_BYTES);
  counter.writeUInt32LE(Math.floor(now_ms / 1000) >>> 0, 0);
  // The page treats the milliseconds as four bytes, and writes the lowest byte four times.
  counter.fill((now_ms % 1000) & 0xff, 4, NONCE_BYTES);
  const hidden = createCipheriv('aes-128-ctr', keyOf(key), counter).update(`${account.username}:${account.password}`);
  return Buffer.concat([counter.subarray(0, NONCE_BYTES), hidden]).toString('base64');
}

/** The text of the key, enciphered with itself. */
function keyOf(text: string): Buffer {
  const bytes = Buffer.alloc(KEY_BYTES);
  Buffer.from(text).copy(bytes);
  return createCipheriv('aes-128-ecb', bytes, null).setAutoPadding(false).update(bytes);
}
