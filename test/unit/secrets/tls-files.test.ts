import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { openTlsFiles, type TlsOptions } from '../../../cloud/kernel/secrets/tls-files.js';
import { silentLogger } from '../../../shared/logger.js';
import { createTestLog } from '../../world/test-log.js';
import { FakeClock } from '../../world/fake-clock.js';
import { tlsFixture, tlsPlace, tlsText } from '../../world/tls-fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'tls-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (cert: string, key: string) =>
  openTlsFiles(tlsPlace(cert, key), { clock: new FakeClock(), logger: silentLogger });

describe('the files of a listener that speaks TLS', () => {
  it('are used with the certificates between them and their authority', () => {
    const files = open(tlsFixture('server.pem'), tlsFixture('server.key'));
    expect(files.options).toEqual({ cert: tlsText('server.pem'), key: tlsText('server.key'), minVersion: 'TLSv1.2' });
  });

  const empty = join(folder, 'empty.pem');
  writeFileSync(empty, '');
  it.each([
    ['that are missing', '/nowhere.pem', tlsFixture('server.key'), /^TLS_CERT: \/nowhere.pem cannot be used: ENOENT/],
    ['that are folders', tlsFixture('server.pem'), folder, /^TLS_KEY: .* cannot be used: EISDIR/],
    ['that are empty', empty, tlsFixture('server.key'), /^TLS_CERT: .*; allowed: a PEM file with the certificate/],
    ['in the wrong place', tlsFixture('server.key'), tlsFixture('server.pem'), /^TLS_CERT: .* cannot be used/],
    ['that do not belong together', tlsFixture('server.pem'), tlsFixture('renewed.key'), /^TLS_KEY: .*does not belong/],
    ['that are too old', tlsFixture('expired-cert.pem'), tlsFixture('broker-key.pem'), /^TLS_CERT: .* ended on /],
  ])('stop the start when they are files %s', (_what, cert, key, problem) => {
    expect(() => open(cert, key)).toThrow(problem);
  });

  it('give clients the certificate of a private authority, and none of a public one', () => {
    expect(open(tlsFixture('server.pem'), tlsFixture('server.key')).ca?.trim()).toBe(tlsText('authority.pem').trim());
    const chained = join(folder, 'public.pem');
    writeFileSync(chained, `${tlsText('server.pem')}${rootCertificates[0]}\n`);
    expect(open(chained, tlsFixture('server.key')).ca).toBeNull();
  });

  it('are taken up when they are renewed, and never by half', async () => {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    copyFileSync(tlsFixture('server.pem'), cert);
    copyFileSync(tlsFixture('server.key'), key);
    const clock = new FakeClock();
    const { lines, logger } = createTestLog();
    const files = openTlsFiles(tlsPlace(cert, key), { clock, logger });
    const given: TlsOptions[] = [];
    const following = files.follow({ setSecureContext: (options) => void given.push(options) });
    await clock.advance(60_000);
    expect(given).toEqual([]);
    copyFileSync(tlsFixture('renewed.pem'), cert);
    await clock.advance(60_000);
    expect([given, files.options.cert, lines.map(({ level }) => level)]).toEqual([
      [],
      tlsText('server.pem'),
      ['error'],
    ]);
    copyFileSync(tlsFixture('renewed.key'), key);
    await clock.advance(60_000);
    expect(given.map((options) => options.cert)).toEqual([tlsText('renewed.pem')]);
    expect(files.options.key).toBe(tlsText('renewed.key'));
    following.cancel();
    expect(clock.pending).toBe(0);
  });
});
