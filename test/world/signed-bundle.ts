/**
 * Files that a cloud and OpenSSL take for bundles of RAUC: what stands for the images, and the manifest in a real signature at the end. RAUC's
 * own bundles are in the deep tests.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Signer {
  certificate: string;
  key: string;
}

/** Makes an authority that signs bundles. @param more arguments of `openssl req`. @returns its files */
export function makeSigner(directory: string, name = 'releases', more: readonly string[] = []): Signer {
  const signer = { certificate: join(directory, `${name}.pem`), key: join(directory, `${name}.key`) };
  openssl([
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    signer.key,
    '-out',
    signer.certificate,
    '-subj',
    `/CN=${name}`,
    '-days',
    '3650',
    ...more,
  ]);
  return signer;
}

export const manifestOf = ({
  machine = 'parking-gateway-arm64',
  version = '1.4.0',
  notes = 'Faster',
  more = '',
} = {}): string =>
  `[update]\ncompatible=${machine}\nversion=${version}\ndescription=${notes}\n\n[bundle]\nformat=verity\n\n` +
  `[image.system]\nfilename=system.ext4\n\n[image.app]\nfilename=app.ext4\n${more}`;

/** @param of.detached the manifest is not in the signature, as in RAUC's old format `plain` */
export function writeBundle(
  path: string,
  of: { signer: Signer; manifest: string; bytes?: number; detached?: true },
): Buffer {
  const { signer, manifest, bytes = 5_000, detached } = of;
  const inside = detached ? [] : ['-nodetach'];
  const signature = openssl(
    [
      'cms',
      '-sign',
      '-binary',
      '-outform',
      'DER',
      '-nosmimecap',
      ...inside,
      '-signer',
      signer.certificate,
      '-inkey',
      signer.key,
    ],
    manifest,
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(signature.length));
  const file = Buffer.concat([Buffer.from('hsqs'), randomBytes(bytes), signature, length]);
  writeFileSync(path, file);
  return file;
}

function openssl(args: string[], input?: string): Buffer {
  return execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'ignore'] });
}
