/**
 * A private authority for the certificates of brokers and services, in a directory: `ca.pem` and `ca.key`. OpenSSL signs, as Node.js can
 * read certificates but not make them.
 */
import { spawn } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../../shared/error-text.js';
import { DAY_MS } from '../../../shared/durations.js';

/** A gateway without a clock of its own starts in 1970, and has to reach its broker before it knows the time. */
const VALID_FROM = '19700101000000Z';
const CA_FILES = { certificate: 'ca.pem', key: 'ca.key' } as const;
const HOST_NAME = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const COMMON_NAME_MAX = 64;
const NAME = /^[\p{L}\p{N} ._-]{1,64}$/u;

/** The wish cannot be carried out as it is: the message says what to change. */
export class CertificateError extends Error {}

export interface MadeFiles {
  certificate: string;
  key: string;
  /** Text of the certificate: until when it is valid. */
  validTo: string;
}

/**
 * Makes an authority. Nothing is overwritten.
 * @param wish.days from now on
 * @throws CertificateError
 */
export async function makeAuthority(wish: {
  directory: string;
  name: string;
  days: number;
  nowMs: number;
}): Promise<MadeFiles> {
  if (!NAME.test(wish.name))
    throw new CertificateError('The name of an authority has 1 to 64 letters, digits, spaces, dots, dashes');
  const files = filesIn(wish.directory, CA_FILES);
  const key = newKey();
  const certificate = await sign({
    ...wish,
    subject: wish.name,
    key,
    issuer: null,
    extensions: [
      'basicConstraints=critical,CA:TRUE,pathlen:0',
      'keyUsage=critical,keyCertSign,cRLSign',
      'subjectKeyIdentifier=hash',
    ],
  });
  return write(files, { certificate, key });
}

/**
 * Issues a certificate for a server with these names and addresses; the authority stands behind it in its file. The first name is that of
 * the files. Nothing is overwritten.
 * @throws CertificateError
 */
export async function issueCertificate(wish: {
  /** Of the authority. */
  directory: string;
  /** Where the files go. */
  to: string;
  hosts: readonly string[];
  days: number;
  nowMs: number;
}): Promise<MadeFiles> {
  const { hosts } = wish;
  const [first] = hosts;
  if (first === undefined) throw new CertificateError('Name at least one host name or address that clients use');
  for (const host of hosts) {
    if (isIP(host) === 0 && !HOST_NAME.test(host))
      throw new CertificateError(
        `${host} is no host name and no address; give what stands in the address that clients use, without mqtts:// and port`,
      );
  }
  const issuer = readAuthority(wish);
  const fileName = first.replaceAll('*', 'any').replaceAll(':', '-');
  const files = filesIn(wish.to, { certificate: `${fileName}.pem`, key: `${fileName}.key` });
  const key = newKey();
  const names = hosts.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`);
  const certificate = await sign({
    ...wish,
    subject: first.slice(0, COMMON_NAME_MAX),
    key,
    issuer,
    extensions: [
      'basicConstraints=critical,CA:FALSE',
      'keyUsage=critical,digitalSignature',
      // Servers of a cluster are clients of each other.
      'extendedKeyUsage=serverAuth,clientAuth',
      `subjectAltName=${[...new Set(names)].join(',')}`,
      'subjectKeyIdentifier=hash',
      'authorityKeyIdentifier=keyid',
    ],
  });
  return write(files, { certificate: `${certificate}${issuer.certificate}`, key });
}

interface Authority {
  certificate: string;
  key: string;
  endsMs: number;
}

function readAuthority({ directory, nowMs }: { directory: string; nowMs: number }): Authority {
  const [certificatePath, keyPath] = [join(directory, CA_FILES.certificate), join(directory, CA_FILES.key)];
  if (!existsSync(certificatePath) || !existsSync(keyPath))
    throw new CertificateError(
      `There is no authority in ${directory}: make one with parking-cloud ca init, or name its directory with --dir`,
    );
  let authority: Pick<Authority, 'certificate' | 'key'>;
  let certificate: X509Certificate;
  try {
    authority = { certificate: readFileSync(certificatePath, 'utf8'), key: readFileSync(keyPath, 'utf8') };
    certificate = new X509Certificate(authority.certificate);
    if (!certificate.checkPrivateKey(createPrivateKey(authority.key)))
      throw new Error('the key is not that of the certificate');
  } catch (cause) {
    const reason = errorText(cause);
    throw new CertificateError(
      `The authority in ${directory} cannot be used: ${reason}; check its files and their rights`,
      { cause },
    );
  }
  const endsMs = Date.parse(certificate.validTo);
  if (endsMs <= nowMs)
    throw new CertificateError(`The authority in ${directory} ended on ${certificate.validTo}: make a new one`);
  return { ...authority, endsMs };
}

function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

/** Has OpenSSL sign a certificate. `openssl ca` alone lets the beginning be chosen; its bookkeeping goes with the temporary directory. */
async function sign(wish: {
  subject: string;
  key: string;
  /** null: it signs itself. */
  issuer: Authority | null;
  extensions: readonly string[];
  days: number;
  nowMs: number;
}): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'parking-ca-'));
  const file = (name: string, content: string): string => {
    const path = join(directory, name);
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return path;
  };
  try {
    const config = file(
      'openssl.cnf',
      `[ca]\ndefault_ca = one\n[one]\ndatabase = ${file('index.txt', '')}\nnew_certs_dir = ${directory}\nrand_serial = yes\n` +
        'default_md = sha256\npolicy = any\nunique_subject = no\nemail_in_dn = no\nstring_mask = utf8only\n' +
        '[any]\ncommonName = supplied\n[req]\ndistinguished_name = name\nstring_mask = utf8only\nutf8 = yes\n[name]\n' +
        `[extensions]\n${wish.extensions.join('\n')}\n`,
    );
    const key = file('key.pem', wish.key);
    const [request, certificate] = [join(directory, 'request.pem'), join(directory, 'certificate.pem')];
    await openssl([
      'req',
      '-new',
      '-utf8',
      '-config',
      config,
      '-key',
      key,
      '-subj',
      `/CN=${wish.subject}`,
      '-out',
      request,
    ]);
    const signer =
      wish.issuer === null
        ? ['-selfsign', '-keyfile', key]
        : ['-cert', file('issuer.pem', wish.issuer.certificate), '-keyfile', file('issuer.key', wish.issuer.key)];
    // What outlives its authority is refused.
    const endsMs = Math.min(wish.nowMs + wish.days * DAY_MS, wish.issuer?.endsMs ?? Number.POSITIVE_INFINITY);
    const validTo = new Date(endsMs).toISOString().replace(/[-:T]|\.\d+/g, '');
    const dates = ['-startdate', VALID_FROM, '-enddate', validTo];
    const what = ['-extensions', 'extensions', '-in', request, '-out', certificate];
    await openssl(['ca', '-batch', '-utf8', '-notext', '-config', config, ...signer, ...dates, ...what]);
    return readFileSync(certificate, 'utf8');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function openssl(args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const said: Buffer[] = [];
    child.stderr.on('data', (bytes: Buffer) => void said.push(bytes));
    child.on('error', (cause) =>
      reject(new CertificateError('OpenSSL cannot be run: install it (as root: apt-get install openssl)', { cause })),
    );
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`openssl ${args[0]} failed: ${Buffer.concat(said).toString('utf8').trim()}`));
    });
  });
}

function filesIn(directory: string, names: { certificate: string; key: string }): { certificate: string; key: string } {
  const files = { certificate: join(directory, names.certificate), key: join(directory, names.key) };
  for (const path of [files.certificate, files.key]) {
    if (existsSync(path))
      throw new CertificateError(
        `${path} is there already, and nothing is overwritten: move it away, or choose another directory`,
      );
  }
  return files;
}

/** Each file appears whole, and only if none of its name came meanwhile. */
function write(files: { certificate: string; key: string }, made: { certificate: string; key: string }): MadeFiles {
  try {
    for (const [path, content] of [
      [files.key, made.key],
      [files.certificate, made.certificate],
    ] as const) {
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
      const temporary = `${path}.${process.pid}.tmp`;
      try {
        writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
        linkSync(temporary, path);
      } finally {
        rmSync(temporary, { force: true });
      }
    }
  } catch (cause) {
    throw new CertificateError(`Cannot write ${files.certificate} and ${files.key}: ${errorText(cause)}`, { cause });
  }
  return { ...files, validTo: new X509Certificate(made.certificate).validTo };
}
