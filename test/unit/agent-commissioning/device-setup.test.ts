import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLAIM_NOTE_NAME, openClaimFile } from '../../../agent/commissioning/claim-file.js';
import { DEVICE_FILES } from '../../../agent/commissioning/decide-device-files.js';
import { setUpDevice } from '../../../agent/commissioning/device-setup.js';
import { silentLogger } from '../../../shared/logger.js';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ owner@desk';
const LEAST = { cloud_url: 'https://cloud.example', claim_code: 'HARBOUR-NORTH-0001' };
const WIFI = { ssid: 'Gäste;[x]', password: ' back\\slash "x" ', country: 'HR' };
const NETWORK = { wifi: WIFI, static: { address: '192.168.7.20/24', gateway: '192.168.7.1', dns: ['9.9.9.9'] } };
const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

/** A folder with what stands in the files of a device. */
let root: string;
let said: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'device-setup-'));
  said = [];
  for (const folder of ['etc', 'boot', 'data', 'usr/sbin', 'root']) mkdirSync(join(root, folder), { recursive: true });
  write('etc/passwd', `root:x:${uid}:${gid}:root:/root:/bin/bash\nparking-agent:x:${uid}:${gid}::/:/bin/false\n`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const modeOf = (path: string) => statSync(join(root, path)).mode & 0o777;
const given = (file: object) => write('boot/claim.json', JSON.stringify({ ...LEAST, ...file }));
const setUp = () =>
  setUpDevice({
    path: join(root, 'boot/claim.json'),
    handTo: join(root, 'run/claim.json'),
    dataDir: join(root, 'data'),
    user: 'parking-agent',
    root,
    say: (line) => void said.push(line),
  });
/** The gateway with the file that it was handed. */
const gateway = () =>
  openClaimFile(
    { path: join(root, 'run/claim.json'), dataDir: join(root, 'data'), isClaimed: false },
    { logger: silentLogger },
  );

describe('a device with a claim file', () => {
  it('joins the Wi-Fi by systemd-networkd, where there is nothing else', () => {
    given({ network: { ...NETWORK, static: { ...NETWORK.static, on: 'wifi' } } });
    setUp();
    const ssid = Buffer.from(WIFI.ssid).toString('hex');
    expect(text(DEVICE_FILES.supplicant)).toBe(
      `ctrl_interface=/run/wpa_supplicant\ncountry=HR\nnetwork={\n  ssid=${ssid}\n  scan_ssid=1\n  psk="${WIFI.password}"\n}\n`,
    );
    expect(text(DEVICE_FILES.networkdWifi)).toContain(
      'Type=wlan\nKind=!*\n\n[Network]\nMulticastDNS=yes\nLLMNR=no\nAddress=192.168.7.20/24\nGateway=192.168.7.1\nDNS=9.9.9.9\n',
    );
    expect(text(DEVICE_FILES.country)).toBe('options cfg80211 ieee80211_regdom=HR\n');
    expect([modeOf(DEVICE_FILES.supplicant), modeOf(DEVICE_FILES.networkdWifi)]).toEqual([0o600, 0o644]);
    const wanted = join(root, 'etc/systemd/system/multi-user.target.wants/wpa_supplicant@wlan0.service');
    expect(readlinkSync(wanted)).toBe('/usr/lib/systemd/system/wpa_supplicant@.service');
    expect(existsSync(join(root, DEVICE_FILES.nmWifi))).toBe(false);
    // The unit switches the Wi-Fi on then.
    expect([text('run/wifi-country'), modeOf('run/wifi-country')]).toEqual(['HR\n', 0o600]);
  });

  it('takes a file in UTF-16, hands it over as it is, and erases it once it was taken', () => {
    const bytes = Buffer.from(`\ufeff${JSON.stringify({ ...LEAST, network: { wifi: WIFI } })}`, 'utf16le');
    writeFileSync(join(root, 'boot/claim.json'), bytes);
    setUp();
    expect(text(DEVICE_FILES.supplicant)).toContain(`psk="${WIFI.password}"`);
    const handed = gateway();
    expect(handed).toMatchObject({ problem: null, claim: { code: LEAST.claim_code } });
    rmSync(join(root, 'run/claim.json'));
    handed.finish(null);
    setUp();
    expect(existsSync(join(root, 'boot/claim.json'))).toBe(false);
  });

  it('joins the Wi-Fi by NetworkManager, where that is', () => {
    write('usr/sbin/NetworkManager', '');
    given({ network: NETWORK });
    setUp();
    const bytes = [...Buffer.from(WIFI.ssid)].map((byte) => `${byte};`).join('');
    expect(text(DEVICE_FILES.nmWifi)).toBe(
      `[connection]\nid=parking-wifi\ntype=wifi\n\n[wifi]\nssid=${bytes}\n\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=\\sback\\\\slash "x"\\s\n\n[ipv4]\nmethod=auto\n`,
    );
    expect(text(DEVICE_FILES.nmCable)).toBe(
      '[connection]\nid=parking-cable\ntype=ethernet\n\n[ipv4]\nmethod=manual\naddress1=192.168.7.20/24,192.168.7.1\ndns=9.9.9.9;\n',
    );
    expect(modeOf(DEVICE_FILES.nmWifi)).toBe(0o600);
    expect(existsSync(join(root, DEVICE_FILES.supplicant))).toBe(false);
  });

  it('joins an open Wi-Fi, and one whose key is given as such', () => {
    given({ network: { wifi: { ssid: 'x', country: 'HR' } } });
    setUp();
    expect(text(DEVICE_FILES.supplicant)).toContain('  key_mgmt=NONE\n');
    given({ network: { wifi: { ssid: 'x', country: 'HR', password: 'ab'.repeat(32) } } });
    setUp();
    expect(text(DEVICE_FILES.supplicant)).toContain(`  psk=${'ab'.repeat(32)}\n`);
  });

  it('forgets the network of an earlier file, and keeps it when the next says nothing of one', () => {
    given({ network: { wifi: WIFI } });
    setUp();
    given({});
    setUp();
    expect(existsSync(join(root, DEVICE_FILES.supplicant))).toBe(true);
    given({ network: { static: NETWORK.static } });
    setUp();
    expect(existsSync(join(root, DEVICE_FILES.supplicant))).toBe(false);
    expect(text(DEVICE_FILES.networkdCable)).toContain('Type=ether\n');
  });

  it('lets in whoever has the SSH key: as the person of the system, or else as root; once', () => {
    given({ ssh_key: KEY });
    setUp();
    setUp();
    expect(text('root/.ssh/authorized_keys')).toBe(`${KEY}\n`);
    expect([modeOf('root/.ssh/authorized_keys'), modeOf('root/.ssh')]).toEqual([0o600, 0o700]);
  });

  it('keeps the keys that are there', () => {
    mkdirSync(join(root, 'root/.ssh'));
    write('root/.ssh/authorized_keys', 'ssh-rsa AAAA earlier');
    given({ ssh_key: KEY });
    setUp();
    expect(text('root/.ssh/authorized_keys')).toBe(`ssh-rsa AAAA earlier\n${KEY}\n`);
  });

  it('is told what is wrong with its file, and changes nothing', () => {
    write('boot/claim.json', '{"cloud_url": 1}');
    setUp();
    expect(said).toEqual([expect.stringContaining('cannot be taken: cloud_url')]);
    expect(existsSync(join(root, 'etc/systemd'))).toBe(false);
    expect(gateway().problem).toContain('cloud_url');
  });

  it('says nothing of its secrets', () => {
    given({ network: NETWORK, ssh_key: KEY });
    setUp();
    expect(said.join()).not.toMatch(/HARBOUR|slash/);
  });

  it('is as it was without one', () => {
    setUp();
    expect([said, existsSync(join(root, 'etc/systemd'))]).toEqual([[], false]);
  });
});

describe('the claim file on a boot partition, between the device and its gateway', () => {
  it.each([
    ['claimed', null, false],
    ['refused', 'the claim code is wrong, used or expired', true],
  ])('is handed over, and erased when the gateway was %s', (_what, refused, leaves) => {
    given({});
    setUp();
    expect([modeOf('run/claim.json'), statSync(join(root, 'run/claim.json')).uid]).toEqual([0o400, uid]);
    const file = gateway();
    expect(file.claim).toMatchObject({ code: LEAST.claim_code });
    // In the unit the gateway cannot write there: here it finds nothing to erase, and leaves the note as well.
    rmSync(join(root, 'run/claim.json'));
    file.finish(refused);
    expect([existsSync(join(root, 'boot/claim.json')), existsSync(join(root, 'data', CLAIM_NOTE_NAME))]).toEqual([
      true,
      true,
    ]);
    setUp();
    expect(existsSync(join(root, 'boot/claim.json'))).toBe(false);
    expect(existsSync(join(root, 'run/claim.json'))).toBe(false);
    expect(existsSync(join(root, 'data', CLAIM_NOTE_NAME))).toBe(false);
    expect(existsSync(join(root, 'boot/claim.refused.json'))).toBe(leaves);
  });

  it('is not erased before the cloud has answered', () => {
    given({});
    setUp();
    expect(gateway().claim).not.toBeNull();
    setUp();
    expect(existsSync(join(root, 'boot/claim.json'))).toBe(true);
    expect(gateway().claim).toMatchObject({ code: LEAST.claim_code });
  });

  it('is not erased when it is another one by now', () => {
    given({});
    setUp();
    const file = gateway();
    rmSync(join(root, 'run/claim.json'));
    file.finish(null);
    given({ ssh_key: KEY });
    setUp();
    expect(existsSync(join(root, 'boot/claim.json'))).toBe(true);
    expect(existsSync(join(root, 'data', CLAIM_NOTE_NAME))).toBe(false);
    expect(gateway().claim).not.toBeNull();
  });
});
