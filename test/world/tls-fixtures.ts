import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TlsPlace } from '../../cloud/kernel/secrets/tls-files.js';

/** The path of a file of test/fixtures/tls, from dist/test/world/. */
export const tlsFixture = (name: string): string =>
  fileURLToPath(new URL(`../../../test/fixtures/tls/${name}`, import.meta.url));

export const tlsText = (name: string): string => readFileSync(tlsFixture(name), 'utf8');

export const tlsPlace = (cert: string, key: string): TlsPlace => ({
  cert: { setting: 'TLS_CERT', path: cert },
  key: { setting: 'TLS_KEY', path: key },
});
