/** The certificate and key with which a listener speaks TLS: read from files, checked, and read again when they change. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { type Clock, every, type Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { SettingsError } from '../../../shared/settings.js';
import { errorText } from '../../../shared/error-text.js';

/** How often the files are looked at: who renews certificates needs to tell nobody. */
const LOOK_EVERY_MS = 60_000;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Two settings with their values. */
export interface TlsPlace {
  cert: { setting: string; path: string };
  key: { setting: string; path: string };
}

/** The options of a TLS listener. */
export interface TlsOptions {
  /** PEM, with the certificates between it and its authority. */
  cert: string;
  key: string;
  minVersion: 'TLSv1.2';
}

export interface TlsFiles {
  readonly options: TlsOptions;
  /** The certificate of a private authority, PEM: clients must be given it. null: clients know the authority by themselves, or cannot. */
  readonly ca: string | null;
  /** Gives the listener what is renewed, without a restart. Files that do not fit are logged, and what was before stays. */
  follow(server: { setSecureContext(options: TlsOptions): void }): Timer;
}

/** @throws SettingsError when the files cannot be used, with what to do */
export function openTlsFiles(place: TlsPlace, { clock, logger }: { clock: Clock; logger: Logger }): TlsFiles {
  let options = readFiles(place, clock.now());
  return {
    get options() {
      return options;
    },
    get ca() {
      return privateAuthority(options.cert);
    },
    follow: (server) =>
      every({
        clock,
        periodMs: LOOK_EVERY_MS,
        work() {
          const found = readFiles(place, clock.now());
          if (found.cert === options.cert && found.key === options.key) return;
          server.setSecureContext(found);
          options = found;
          logger.info({ file: place.cert.path }, 'a renewed certificate is used from now on');
        },
        onError: (error) =>
          logger.error({ err: error }, 'the renewed certificate cannot be used: the former one stays'),
      }),
  };
}

/** Reads the authorities of a server's certificate. @returns PEM @throws SettingsError when the file cannot be used */
export function readAuthority(file: TlsPlace['cert']): string {
  const text = readText(file);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw problem(file, 'it holds no certificate', 'a PEM file');
}

function readFiles({ cert, key }: TlsPlace, nowMs: number): TlsOptions {
  const options: TlsOptions = { cert: readText(cert), key: readText(key), minVersion: 'TLSv1.2' };
  const certificate = parse(cert, () => new X509Certificate(options.cert), 'a PEM file with the certificate first');
  const privateKey = parse<KeyObject>(
    key,
    () => createPrivateKey(options.key),
    'a PEM file with a key that needs no password',
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw problem(key, `the key does not belong to the certificate in ${cert.path}`, `the key of ${cert.setting}`);
  if (Date.parse(certificate.validTo) <= nowMs)
    throw problem(cert, `the certificate ended on ${certificate.validTo}`, 'one that is valid: renew it');
  return options;
}

function readText(file: TlsPlace['cert']): string {
  return parse(file, () => readFileSync(file.path, 'utf8'), 'a file that the service may read');
}

function parse<T>(file: TlsPlace['cert'], read: () => T, allowed: string): T {
  try {
    return read();
  } catch (cause) {
    throw problem(file, errorText(cause), allowed, cause);
  }
}

const problem = (
  { setting, path }: TlsPlace['cert'],
  reason: string,
  allowed: string,
  cause?: unknown,
): SettingsError =>
  new SettingsError([`${setting}: ${path} cannot be used: ${reason}; allowed: ${allowed}`], { cause });

/** Of a chain that ends in a certificate that signed itself, that one, unless all the world knows it. */
function privateAuthority(chain: string): string | null {
  const top = chain.match(PEM)?.at(-1);
  if (top === undefined) return null;
  const certificate = new X509Certificate(top);
  if (!certificate.checkIssued(certificate)) return null;
  const isPublic = rootCertificates.some(
    (root) => new X509Certificate(root).fingerprint256 === certificate.fingerprint256,
  );
  return isPublic ? null : top;
}
