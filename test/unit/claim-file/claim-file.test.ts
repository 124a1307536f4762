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
    ['a code of three letters', { claim_code: ' A B C ' }, 'claim_code: must be the one-time code'],
    ['a code of two lines', { claim_code: 'ABCD\nEFGH' }, 'claim_code: must be one line'],
    ['a key twice', { claimCode: 'ABCD-EFGH' }, 'claim_code stands there twice'],
    [
      'a country in words',
      { network: { wifi: { ssid: 'x', country: 'Croatia' } } },
      'network.wifi.country: must be the two letters',
    ],
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

  const pretty = JSON.stringify(ALL, null, 2);
  const utf16 = (text: string, isBig: boolean) => {
    const bytes = Buffer.from(text, 'utf16le');
    return isBig ? bytes.swap16() : bytes;
  };
  it.each<[string, string | Uint8Array]>([
    ['UTF-16 of Windows', utf16(`\ufeff${pretty}`, false)],
    ['UTF-16, the larger half first', utf16(`\ufeff${pretty}`, true)],
    ['UTF-16 without a mark', utf16(pretty, false)],
    ['UTF-16 without a mark, the larger half first', utf16(pretty, true)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${pretty}`)],
    ['the line ends of Windows', pretty.replaceAll('\n', '\r\n')],
    ['quotes of a mail program', pretty.replace(/"([^"]*)"/g, '\u201c$1\u201d')],
    ['one and the same quote of a mail program', pretty.replaceAll('"', '\u201d')],
    ['quotes of German', pretty.replace(/"([^"]*)"/g, '\u201e$1\u201c')],
    ['quotes of French', pretty.replace(/"([^"]*)"/g, '\u00ab$1\u00bb')],
    ['quotes of Python', pretty.replaceAll('"', "'")],
    ['commas too many', pretty.replaceAll(/"\n/g, '",\n').replace('\n}', ',\n}').replaceAll(',,', ',')],
    ['comments', pretty.replace('{', '{ // for the "cabin"\n /* of 2026, */')],
    ['blanks of a web page', pretty.replaceAll('  ', '\u00a0 ')],
    ['keys in capital letters', pretty.replace(/"(\w+)":/g, (key) => key.toUpperCase())],
    [
      'keys as in a program',
      pretty
        .replace('cloud_url', 'cloudUrl')
        .replace('claim_code', 'Claim Code')
        .replace('"wifi"', '"Wi-Fi"')
        .replace('ssh_key', 'ssh-key'),
    ],
  ])('is taken as people’s editors leave it: %s', (_what, content) => {
    expect(parseClaimFile(content)).toEqual({ file: ALL });
  });

  it('is taken with blanks and line ends around its values, and with a country as people write it', () => {
    const around = {
      cloud_url: ' https://cloud.example\n',
      claim_code: ' HARBOUR NORTH-0001\r\n',
      network: { wifi: { ssid: 'Garage "1" # Süd\r\n', password: ' pa"ss\\w$rd; #1 \n', country: 'uk ' } },
    };
    expect(parsed(around)).toEqual({
      file: {
        cloud_url: 'https://cloud.example',
        claim_code: 'HARBOUR NORTH-0001',
        network: { wifi: { ssid: 'Garage "1" # Süd', password: ' pa"ss\\w$rd; #1 ', country: 'GB' } },
      },
    });
  });

  it('means what it says where it is JSON, whatever quotes and commas its values have', () => {
    const wifi = { ssid: '\u201cAna\u2019s\u201d, // ,}', password: 'http://x,]"\\', country: 'HR' };
    const given = { ...LEAST, network: { wifi } };
    expect(parsed(given)).toEqual({ file: given });
    expect(parseClaimFile(JSON.stringify(given, null, 1).replace('\n}', ',\n}'))).toEqual({ file: given });
  });

  it.each<[string, string | Uint8Array, string]>([
    ['letters of Windows', Buffer.from(pretty, 'latin1'), 'no text in UTF-8'],
    ['UTF-16 that was read as UTF-8', utf16(`\ufeff${pretty}`, false).toString('utf8'), 'no text in UTF-8'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), 'no text in UTF-8'],
    ['a comma too few', pretty.replace('",\n  "claim', '"\n  "claim'), 'it is not JSON (line 3)'],
    ['a brace too few', pretty.slice(0, -3), 'it is not JSON'],
    ['the words of a mail around it', `Hello,\n${pretty}`, 'it is not JSON'],
  ])('says what is wrong with %s', (_what, content, said) => {
    expect(parseClaimFile(content)).toEqual({ problem: expect.stringContaining(said) });
  });

  it('says where it is no JSON without what stands there', () => {
    expect(JSON.stringify(parseClaimFile(`{"claim_code": S3CRET-0001}`))).not.toContain('S3CRET');
  });

  it('is refused without its secrets', () => {
    const secret = 'S3CRET-on two\nlines';
    const notified = JSON.stringify(
      parsed({ ...ALL, claim_code: secret, network: { wifi: { ...ALL.network?.wifi, password: secret } } }),
    );
    expect(notified).toContain('claim_code');
    expect(notified).not.toContain('S3CRET');
  });
});
