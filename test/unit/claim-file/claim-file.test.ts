import { describe, expect, it } from 'vitest';
import { type ClaimFile, parseClaimFile } from '../../../shared/claim-file.js';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB+jCCAWOgAwIBAgI=\n-----END CERTIFICATE-----\n';
const LEAST = { cloud_url: 'https://cloud.example', claim_code: 'HARBOUR-NORTH-0001' };
const ALL: ClaimFile = {
  ...LEAST,
  ca: PEM + PEM,
  network: {
    wifi: { ssid: 'Parkhaus Süd', password: 'not so secret', country: 'HR' },
    static: { on: 'wifi', address: '192.168.7.20/24', gateway: '192.168.7.1', dns: ['192.168.7.1', '9.9.9.9'] },
  },
  ssh_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ owner@desk',
};

const parsed = (value: unknown) => parseClaimFile(JSON.stringify(value));

describe('a claim file', () => {
  it('says which cloud and which code, and what else an installer gave', () => {
    expect(parsed(ALL)).toEqual({ file: ALL });
    expect(parsed(LEAST)).toEqual({ file: LEAST });
  });

  it('may come from an editor of Windows', () => {
    expect(parseClaimFile(`\uFEFF${JSON.stringify(LEAST).replaceAll(',', ',\r\n')}`)).toEqual({ file: LEAST });
  });

  it('gives a fixed address to the cable, where it does not say otherwise', () => {
    const { file } = parsed({ ...LEAST, network: { static: { address: '10.0.0.5/8' } } }) as { file: ClaimFile };
    expect(file.network).toEqual({ static: { on: 'cable', address: '10.0.0.5/8', dns: [] } });
  });

  it.each<[string, object, string]>([
    ['no cloud', { cloud_url: undefined }, 'cloud_url'],
    ['a cloud by FTP', { cloud_url: 'ftp://x' }, 'cloud_url: must be an address'],
    ['a code with a space', { claim_code: 'AB CD EF' }, 'claim_code: must be the one-time code'],
    ['a key that nobody knows', { wifi: {} }, 'wifi'],
    ['a certificate that is a key', { ca: PEM.replaceAll('CERTIFICATE', 'PRIVATE KEY') }, 'ca: must be certificates'],
    ['Wi-Fi without its country', { network: { wifi: { ssid: 'x' } } }, 'network.wifi.country'],
    [
      'a short password',
      { network: { wifi: { ssid: 'x', country: 'HR', password: 'short' } } },
      'network.wifi.password: must be 8 to 63',
    ],
    [
      'a name of two lines, which would be a line of its own in a file of the system',
      { network: { wifi: { ssid: 'x\npsk="y"', country: 'HR' } } },
      'network.wifi.ssid: must be one line',
    ],
    [
      'a name of too many bytes',
      { network: { wifi: { ssid: 'ü'.repeat(17), country: 'HR' } } },
      'network.wifi.ssid: must be at most 32 bytes',
    ],
    ['an address without prefix', { network: { static: { address: '10.0.0.5' } } }, 'network.static.address'],
    ['an address beyond 255', { network: { static: { address: '10.0.0.256/8' } } }, 'network.static.address'],
    ['a prefix beyond 32', { network: { static: { address: '10.0.0.5/33' } } }, 'network.static.address'],
    [
      'the address of a Wi-Fi that it does not name',
      { network: { static: { address: '10.0.0.5/8', on: 'wifi' } } },
      'network.static.on: wifi needs the network',
    ],
    ['two SSH keys', { ssh_key: `${ALL.ssh_key}\n${ALL.ssh_key}` }, 'ssh_key'],
    ['a private SSH key', { ssh_key: '-----BEGIN OPENSSH PRIVATE KEY-----' }, 'ssh_key: must be one line'],
    ['an SSH key with options', { ssh_key: `command="sh" ${ALL.ssh_key}` }, 'ssh_key: must be one line'],
  ])('is refused for %s, with the place', (_what, change, said) => {
    expect(parsed({ ...LEAST, ...change })).toEqual({ problem: expect.stringContaining(said) });
  });

  it.each(['', '{', 'null', '[]', '"x"', '\u0000'])('is refused when it holds %j', (text) => {
    expect(parseClaimFile(text)).toEqual({ problem: expect.any(String) });
  });

  it('is refused without its secrets', () => {
    const secret = 'S3CRET-but too short in places\n';
    const notified = JSON.stringify(
      parsed({ ...ALL, claim_code: secret, network: { wifi: { ...ALL.network?.wifi, password: secret } } }),
    );
    expect(notified).toContain('claim_code');
    expect(notified).not.toContain('S3CRET');
  });
});
