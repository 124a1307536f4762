/** What genimage, RAUC and Raspberry Pi Imager are told, and the bill of materials. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BOOT_OFFSET_BYTES, cardPartitions, fixedUuid, genimageConfig } from '../../../scripts/image/card-layout.js';
import { imagerRepository } from '../../../scripts/image/imager-entry.js';
import { billOfMaterials, debianParts, npmParts } from '../../../scripts/image/sbom.js';
import { bundleManifest, raucSystemConfig } from '../../../scripts/image/update-bundle.js';

const BUILT_AT = new Date('2026-11-28T09:00:00Z');
const card = (path: string) => readFileSync(`scripts/image/card/${path}`, 'utf8');

describe('a card', () => {
  it('has its partitions in the order in which boot.cmd counts them', () => {
    const names = cardPartitions('arm64').map(({ name }) => name);
    expect(names).toEqual(['boot', 'uboot-env', 'root-a', 'app-a', 'root-b', 'app-b', 'data']);
    const systems = [...card('boot/boot.cmd').matchAll(/setenv slot (\w).*setenv system (\d)/g)];
    expect(systems.map(([, slot, number]) => names[Number(number) - 1] === `root-${slot}`)).toEqual([true, true]);
    expect(card('boot/boot.cmd')).toContain(`part start \${devtype} \${devnum} ${names.indexOf('uboot-env') + 1} `);
  });

  it('says the same to U-Boot and to Linux about where the state of the slots is', () => {
    const [first, second] = [...card('system/etc/fw_env.config').matchAll(/^\S+ (0x\w+) (0x\w+)$/gm)];
    expect(first?.slice(1)).toEqual(['0x0', '0x4000']);
    const blocks = /setexpr second_block \$\{first_block\} \+ (\w+)/.exec(card('boot/boot.cmd'))?.[1];
    expect(Number(second?.[1])).toBe(Number.parseInt(blocks ?? '', 16) * 512);
    expect(card('boot/boot.cmd')).toContain('env import -c ${plain} 3fff');
  });

  it('fits on a card of 4 GB, and is described to genimage with names and types that stay', () => {
    const bytes = cardPartitions('arm64').reduce((sum, { sizeMiB }) => sum + sizeMiB * 1024 * 1024, BOOT_OFFSET_BYTES);
    expect(bytes).toBeLessThan(3.8e9);
    const config = genimageConfig('arm64');
    expect(config).toContain('partition-table-type = "hybrid"');
    expect(config.match(/partition-type = 0xC/g)).toHaveLength(1);
    expect(config.match(/partition-uuid = "/g)).toHaveLength(7);
    expect(genimageConfig('arm64')).toBe(config);
    expect(genimageConfig('amd64')).not.toBe(config);
    expect(fixedUuid('data')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('an update', () => {
  it('goes to slots that the card has, the application with the system beside it', () => {
    const config = raucSystemConfig('arm64', '1.2.0');
    const names = cardPartitions('arm64').map(({ name }) => name);
    const devices = [...config.matchAll(/^device=\/dev\/disk\/by-partlabel\/(.+)$/gm)].map(([, name]) => name);
    expect(devices).toEqual(['root-a', 'app-a', 'root-b', 'app-b']);
    expect(new Set([...names, ...devices])).toEqual(new Set(names));
    expect([...config.matchAll(/^(?:bootname|parent)=(.+)$/gm)].map(([, value]) => value)).toEqual([
      'A',
      'system.0',
      'B',
      'system.1',
    ]);
    expect(config).toContain('min-bundle-version=1.2.0');
    expect(config).toContain('bundle-formats=verity');
    expect(config).toContain('activate-installed=false');
  });

  it('is for one kind of machine, which the card names in the same words', () => {
    const manifest = bundleManifest({ arch: 'arm64', version: '1.3.0', builtAt: BUILT_AT });
    const compatible = /^compatible=.*$/m;
    expect(compatible.exec(manifest)?.[0]).toBe(compatible.exec(raucSystemConfig('arm64', '0.0.0'))?.[0]);
    expect(compatible.exec(manifest)?.[0]).not.toBe(compatible.exec(raucSystemConfig('amd64', '0.0.0'))?.[0]);
    expect(manifest).toContain('version=1.3.0');
    expect(manifest.match(/^adaptive=block-hash-index$/gm)).toHaveLength(2);
    expect(manifest).toContain('format=verity');
  });
});

describe('the entry for Raspberry Pi Imager', () => {
  it('has what its schema asks of an operating system', () => {
    const facts = {
      version: '1.3.0',
      url: 'https://downloads.example/parking-gateway-arm64.img.zst',
      releaseDate: '2026-11-28',
      imageBytes: 3_000_000_000,
      imageSha256: 'aa'.repeat(32),
      downloadBytes: 200_000_000,
      downloadSha256: 'bb'.repeat(32),
    };
    const { imager, os_list } = imagerRepository(facts);
    expect(os_list).toHaveLength(1);
    expect(os_list[0]).toMatchObject({
      name: 'Parking gateway 1.3.0',
      icon: '',
      url: facts.url,
      extract_size: facts.imageBytes,
      extract_sha256: facts.imageSha256,
      image_download_size: facts.downloadBytes,
      image_download_sha256: facts.downloadSha256,
      release_date: '2026-11-28',
      init_format: 'none',
    });
    expect(os_list[0]?.devices.toSorted()).toEqual(imager.devices.flatMap(({ tags }) => tags).toSorted());
  });
});

describe('the bill of materials', () => {
  const STATUS = [
    'Package: systemd\nStatus: install ok installed\nVersion: 257.13-1~deb13u1\nArchitecture: arm64\n',
    'Package: gone\nStatus: deinstall ok config-files\nVersion: 1\nArchitecture: arm64\n',
  ].join('\n');

  it('names what is installed, and no more', () => {
    expect(debianParts(STATUS)).toEqual([
      {
        name: 'systemd',
        version: '257.13-1~deb13u1',
        purl: 'pkg:deb/debian/systemd@257.13-1~deb13u1?arch=arm64&distro=debian-13',
      },
    ]);
  });

  it('is the same for the same parts, each once, in whatever order they were found', () => {
    const parts = npmParts([
      { name: '@img/colour', version: '1.1.0', license: 'MIT' },
      { name: 'koffi', version: '3.3.4', license: '(MIT OR Apache-2.0)' },
      { name: 'koffi', version: '3.3.4', license: '(MIT OR Apache-2.0)' },
    ]);
    const about = { version: '1.3.0', arch: 'arm64', builtAt: BUILT_AT };
    const bill = billOfMaterials(about, parts);
    expect(billOfMaterials(about, parts.toReversed())).toEqual(bill);
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { timestamp: BUILT_AT.toISOString() },
    });
    expect(bill.components.map(({ purl, licenses }) => [purl, licenses])).toEqual([
      ['pkg:npm/%40img/colour@1.1.0', [{ license: { name: 'MIT' } }]],
      ['pkg:npm/koffi@3.3.4', [{ expression: '(MIT OR Apache-2.0)' }]],
    ]);
  });
});
