/** Reads a bundle that is to be published: its manifest, who signed it, its size and hash. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { errorText } from '../../../shared/error-text.js';
import { BundleError, type BundleManifest, parseBundleManifest } from './bundle-manifest-parser.js';

/** How large a bundle may be. */
export const BUNDLE_BYTES_MAX = 2 * 1024 ** 3;
/** The signature stands at the end of the file, and after it its length: 8 bytes. */
const LENGTH_BYTES = 8;
const SIGNATURE_BYTES_MAX = 256 * 1024;
const SQUASHFS_MAGIC = 'hsqs';

export interface Bundle extends BundleManifest {
  bytes: number;
  /** Of the whole file, hex. */
  sha256: string;
}

/**
 * @param keyring a PEM file with the authority whose bundles the devices install
 * @throws BundleError when it is no bundle, or not signed by that authority
 */
export async function readBundle(path: string, keyring: string): Promise<Bundle> {
  const file = await open(path).catch((cause: unknown) => {
    throw new BundleError(`${path} cannot be read (${errorText(cause)})`, { cause });
  });
  try {
    const { size: bytes } = await file.stat();
    const signature = await signatureOf(file, bytes);
    const manifest = await signedText(signature, keyring);
    return { ...parseBundleManifest(manifest), bytes, sha256: await sha256Of(file) };
  } catch (error) {
    if (error instanceof BundleError) throw new BundleError(`${path}: ${errorText(error)}`, { cause: error });
    throw error;
  } finally {
    await file.close();
  }
}

async function signatureOf(file: FileHandle, bytes: number): Promise<Buffer> {
  const head = await read(file, 0, SQUASHFS_MAGIC.length);
  if (head.toString('latin1') !== SQUASHFS_MAGIC) throw new BundleError('it is no RAUC bundle');
  if (bytes > BUNDLE_BYTES_MAX) throw new BundleError(`it has ${bytes} bytes; allowed: ${BUNDLE_BYTES_MAX}`);
  const length = Number((await read(file, bytes - LENGTH_BYTES, LENGTH_BYTES)).readBigUInt64BE());
  if (length === 0 || length > SIGNATURE_BYTES_MAX || length > bytes - LENGTH_BYTES)
    throw new BundleError('it has no signature at its end: it is not signed, or a part of it is missing');
  return read(file, bytes - LENGTH_BYTES - length, length);
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, position));
  if (bytesRead < length) throw new BundleError('it is too short for a RAUC bundle');
  return buffer;
}

/** Only bundles of the formats verity and crypt have their manifest inside the signature. */
async function signedText(signature: Buffer, keyring: string): Promise<string> {
  // As RAUC checks it on a device: also what the certificate is for, and that it has not ended.
  const args = ['cms', '-verify', '-inform', 'DER', '-CAfile', keyring];
  const { code, out, err } = await openssl(args, signature);
  if (code === 0 && out !== '') return out;
  if (err.includes('no content'))
    throw new BundleError('its manifest is outside of its signature: make it anew with format=verity in its [bundle]');
  const lines = err.split('\n').filter((line) => /error/i.test(line));
  throw new BundleError(`its signature is not one of ${keyring} (${lines.at(-1) ?? 'no text'})`);
}

function openssl(args: string[], input: Buffer): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('openssl', args, { stdio: 'pipe' });
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (texts.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (texts.err += text));
    child.once('error', (cause) => {
      reject(new BundleError(`openssl is needed to read its signature (${errorText(cause)})`, { cause }));
    });
    child.once('close', (code) => resolve({ code, ...texts }));
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

async function sha256Of(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
