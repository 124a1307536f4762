/** What the Debian package puts into a system, and what runs there as root. The package itself is built and installed by test/deep/deb-package.test.ts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAgentConfig } from '../../../agent/config.js';

const DEB = fileURLToPath(new URL('../../../../scripts/deb/', import.meta.url));
const UNITS = 'usr/lib/systemd/system';

let tree: string;
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'deb-'));
  execFileSync(join(DEB, 'lay-out'), [tree]);
});
afterAll(() => rmSync(tree, { recursive: true }));

const text = (path: string) => readFileSync(join(tree, path), 'utf8');
const files = () =>
  readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(tree.length + 1));

describe('the Debian package', () => {
  it('puts these files beside the application, and no other', () => {
    expect(files().toSorted()).toEqual([
      'etc/parking/agent.env',
      'usr/bin/parking-agent',
      'usr/lib/systemd/journald.conf.d/50-parking.conf',
      `${UNITS}/parking-agent.service`,
      `${UNITS}/parking-agent.service.d/50-systemd-254.conf`,
      `${UNITS}/parking-claim-file.path`,
      `${UNITS}/parking-claim-file.service`,
      'usr/lib/sysusers.d/parking-agent.conf',
      'usr/lib/tmpfiles.d/parking-agent.conf',
      'usr/share/doc/parking-agent/copyright',
    ]);
    for (const path of files()) {
      const mode = statSync(join(tree, path)).mode & 0o777;
      expect([path, mode.toString(8)]).toEqual([path, path.startsWith('usr/bin/') ? '755' : '644']);
    }
  });

  it.each(['parking-agent', 'parking-claim-file'])('has %s started by the Node.js that is inside', (unit) => {
    const service = text(`${UNITS}/${unit}.service`);
    expect(service).toContain('ExecStart=/opt/parking-gateway/bin/node /opt/parking-gateway/dist/agent/main.js ');
    expect(service).not.toContain('/usr/bin/node');
  });

  it('has settings that the agent takes', () => {
    const config = loadAgentConfig({ environment: {}, configFile: join(tree, 'etc/parking/agent.env') });
    const { claimFile, ledPath, httpHost, adapters } = config;
    expect({ claimFile, ledPath, httpHost, adapters }).toEqual({
      claimFile: '/run/parking-claim-file/claim.json',
      ledPath: '/sys/class/leds/ACT',
      httpHost: '0.0.0.0',
      adapters: [{ kind: 'adapter' }],
    });
    // What one unit hands over is what the other reads.
    expect(text(`${UNITS}/parking-claim-file.service`)).toContain(`--hand-to ${claimFile}\n`);
  });

  it('bounds the journal', () => {
    expect(text('usr/lib/systemd/journald.conf.d/50-parking.conf')).toMatch(/^SystemMaxUse=\d+M$/m);
  });

  it.each(['postinst', 'prerm', 'postrm'])('has a %s that a shell reads, and that stops at a failure', (name) => {
    const path = join(DEB, 'debian', name);
    expect(spawnSync('sh', ['-n', path], { encoding: 'utf8' }).stderr).toBe('');
    expect(readFileSync(path, 'utf8')).toMatch(/^#!\/bin\/sh\nset -e\n/);
    expect((statSync(path).mode & 0o111).toString(8)).toBe('111');
  });

  it('enables each unit that wants to be, and forgets each', () => {
    const wanted = files()
      .filter((path) => path.startsWith(UNITS) && /\n\[Install\]\n/.test(text(path)))
      .map((path) => path.slice(UNITS.length + 1));
    for (const script of ['postinst', 'postrm'])
      for (const unit of wanted) expect(readFileSync(join(DEB, 'debian', script), 'utf8')).toContain(unit);
  });

  it('describes itself', () => {
    const control = readFileSync(join(DEB, 'debian/control'), 'utf8');
    for (const field of [
      'Package',
      'Version',
      'Architecture',
      'Maintainer',
      'Installed-Size',
      'Depends',
      'Description',
    ])
      expect(control).toMatch(new RegExp(`^${field}: \\S`, 'm'));
    expect(control.endsWith('\n')).toBe(true);
  });
});
