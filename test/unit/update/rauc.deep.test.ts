/** RAUC itself, as far as it goes without a device: it makes, signs and judges bundles, for the cloud that publishes and the gateway that checks. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRaucUpdateInstaller } from '../../../agent/update/rauc-update-installer.js';
import { BundleRefused, type UpdateInstaller } from '../../../agent/update/update-installer.js';
import { readBundle } from '../../../cloud/equipment/release/read-bundle.js';
import { makeSigner, manifestOf, type Signer } from '../../world/signed-bundle.js';

const MACHINE = 'parking-gateway-arm64';
const hasRauc = (() => {
  try {
    execFileSync('rauc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasRauc)(`bundles of RAUC${hasRauc ? '' : ' (rauc is not installed)'}`, () => {
  let directory: string;
  let signer: Signer;
  let stranger: Signer;
  let installer: UpdateInstaller;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'rauc-'));
    signer = makeSigner(directory);
    stranger = makeSigner(directory, 'stranger');
    const configuration = join(directory, 'system.conf');
    writeFileSync(
      configuration,
      `[system]\ncompatible=${MACHINE}\nbootloader=noop\n\n[keyring]\npath=${signer.certificate}\n`,
    );
    installer = createRaucUpdateInstaller({
      restartFile: join(directory, 'restart'),
      movingFile: join(directory, 'moving'),
      configuration,
    });
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  function make(name: string, { by = signer, manifest = manifestOf() } = {}): string {
    const content = join(directory, `${name}.content`);
    mkdirSync(content);
    writeFileSync(join(content, 'manifest.raucm'), manifest);
    for (const image of ['system.ext4', 'app.ext4']) writeFileSync(join(content, image), randomBytes(300_000));
    const file = join(directory, `${name}.raucb`);
    execFileSync('rauc', [`--cert=${by.certificate}`, `--key=${by.key}`, 'bundle', content, file], { stdio: 'ignore' });
    return file;
  }
  function changed(name: string, change: (file: Buffer) => Buffer): string {
    const file = join(directory, `${name}.raucb`);
    writeFileSync(file, change(readFileSync(make(`${name}-whole`))));
    return file;
  }
  const refusal = (file: string) =>
    installer.check(file).then(
      () => 'accepted',
      (error: unknown) => error,
    );

  it('are read by the cloud and by the gateway', async () => {
    const file = make('good');
    const bundle = await readBundle(file, signer.certificate);
    expect(bundle).toMatchObject({
      machine: MACHINE,
      version: '1.4.0',
      notes: 'Faster',
      bytes: readFileSync(file).length,
    });
    expect(await installer.check(file)).toMatchObject({ machine: MACHINE, version: '1.4.0' });
  });

  it('are refused by both when they are unsigned, cut, changed or by a stranger', async () => {
    const bad = [
      changed('cut', (file) => file.subarray(0, file.length / 2)),
      changed('cut-signature', (file) => file.subarray(0, -100)),
      changed('unsigned', (file) => file.subarray(0, file.length - 8 - Number(file.readBigUInt64BE(file.length - 8)))),
      changed('changed-signature', (file) => {
        file.writeUInt8(file.readUInt8(file.length - 200) ^ 1, file.length - 200);
        return file;
      }),
      changed('changed-manifest', (file) => {
        file.write('version=9', file.lastIndexOf('version=1'));
        return file;
      }),
      changed('no-bundle', () => Buffer.from('hello world, this is no bundle of RAUC at all')),
      make('strange', { by: stranger }),
    ];
    for (const file of bad) {
      await expect(readBundle(file, signer.certificate), file).rejects.toThrow(/raucb: its? /);
      expect(await refusal(file), file).toBeInstanceOf(BundleRefused);
    }
  });

  it('are refused by both when their certificate is for something else', async () => {
    const server = makeSigner(directory, 'server', ['-addext', 'extendedKeyUsage=serverAuth']);
    const file = make('of-a-server', { by: server });
    await expect(readBundle(file, server.certificate)).rejects.toThrow(/not one of/);
    const configuration = join(directory, 'server.conf');
    writeFileSync(
      configuration,
      `[system]\ncompatible=${MACHINE}\nbootloader=noop\n\n[keyring]\npath=${server.certificate}\n`,
    );
    const device = createRaucUpdateInstaller({ restartFile: '', movingFile: null, configuration });
    await expect(device.check(file)).rejects.toBeInstanceOf(BundleRefused);
  });

  it('are refused where they are published when they are of the old format', async () => {
    const file = make('plain', { manifest: manifestOf().replace('format=verity', 'format=plain') });
    await expect(readBundle(file, signer.certificate)).rejects.toThrow(/format=verity/);
  });

  it('are no fault of the bundle when the device has no keyring: it is tried again', async () => {
    const configuration = join(directory, 'broken.conf');
    writeFileSync(
      configuration,
      `[system]\ncompatible=${MACHINE}\nbootloader=noop\n\n[keyring]\npath=${directory}/nothing.pem\n`,
    );
    const broken = createRaucUpdateInstaller({ restartFile: '', movingFile: null, configuration });
    const error = await broken.check(make('for-broken')).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(BundleRefused);
  });

  it('have no slots where the system has none', async () => {
    expect(await createRaucUpdateInstaller({ restartFile: '', movingFile: null }).look()).toBeNull();
  });
});
