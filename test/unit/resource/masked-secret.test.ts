import { describe, expect, it } from 'vitest';
import { keptAddress } from '../../../cloud/rest/resource/masked-secret.js';
import { holdsAddressSecret, maskedAddress, withoutSecrets } from '../../../cloud/rest/field/masked-secret-codec.js';
import * as fc from '../../property.js';

describe('an address as it is shown', () => {
  it.each([
    ['mqtt://parking:S3cret@10.0.0.5:1883', 'mqtt://parking:***@10.0.0.5:1883'],
    [
      'mqtts://app@tenant:NNSXS.KEY@eu1.example:8883?ca=/etc/ca.pem',
      'mqtts://app@tenant:***@eu1.example:8883?ca=/etc/ca.pem',
    ],
    ['mqtt://:S3cret@broker.example', 'mqtt://:***@broker.example'],
    ['mqtt://parking:S3:cr@et@[fd00::1]:1883/x', 'mqtt://parking:***@[fd00::1]:1883/x'],
    ['  http://a:b@sign.example/show?t={text}', '  http://a:***@sign.example/show?t={text}'],
    // What only a parser of addresses takes for a password.
    ['http:\\\\a:S3cret@sign.example/show', 'http://a:***@sign.example/show'],
    // Keys in the query, whatever their names are, or without one.
    ['http://10.0.0.4/x?apikey=K3Y', 'http://10.0.0.4/x?apikey=***'],
    ['http://10.0.0.4/x?channel=1&auth=K3Y&mode=text', 'http://10.0.0.4/x?channel=1&auth=***&mode=text'],
    ['http://10.0.0.4/x?Access_Token=K3Y=;t={text}', 'http://10.0.0.4/x?Access_Token=***;t={text}'],
    ['http://10.0.0.4/x?K3Y', 'http://10.0.0.4/x?***'],
    ['http://10.0.0.4?token=a?b#top', 'http://10.0.0.4?token=***#top'],
    ['http://u:S3cret@10.0.0.4/x?sig=K3Y', 'http://u:***@10.0.0.4/x?sig=***'],
    // A key alone before the host, and the host that is one.
    ['https://K3Y@sign.example/show', 'https://***@sign.example/show'],
    ['zhenshi://K3Y?channel=0', 'zhenshi://***?channel=0'],
    // No secret.
    ['modbus://10.0.0.9:502/1?register=0&length=8&mode=text', 'modbus://10.0.0.9:502/1?register=0&length=8&mode=text'],
    ['http://10.0.0.4/x?apikey=', 'http://10.0.0.4/x?apikey='],
    // No password.
    ['mqtt://parking@10.0.0.5:1883', 'mqtt://parking@10.0.0.5:1883'],
    ['mqtt://[fd00::1]:1883', 'mqtt://[fd00::1]:1883'],
    ['10.0.0.5:502', '10.0.0.5:502'],
    ['/dev/ttyUSB0?baud=19200', '/dev/ttyUSB0?baud=19200'],
    ['http://sign.example/a:b@c', 'http://sign.example/a:b@c'],
    ['', ''],
  ])('%s is shown as %s', (address, shown) => {
    expect(maskedAddress(address)).toBe(shown);
    expect(maskedAddress(shown)).toBe(shown);
  });

  it('never holds the password', () => {
    const secret = fc.stringMatching(/^S3cret[\w.~!$&'()*+,;=:%-]{0,10}$/);
    const scheme = fc.constantFrom('mqtt', 'mqtts', 'http', 'https', 'ws');
    fc.assert(
      fc.property(scheme, fc.stringMatching(/^\w{0,5}$/), secret, (of, user, password) => {
        expect(maskedAddress(`${of}://${user}:${password}@host.example:1/x`)).not.toContain('S3cret');
      }),
    );
  });
});

describe('an address for whom its secrets are not meant', () => {
  it.each([
    ['mqtt://parking:S3cret@10.0.0.5:1883/x', 'mqtt://10.0.0.5:1883/x'],
    ['https://K3Y@sign.example/show', 'https://sign.example/show'],
    ['http://10.0.0.4/x?channel=1&auth=K3Y', 'http://10.0.0.4/x?channel=1&auth='],
    ['http:\\\\a:S3cret@sign.example/show', 'http://sign.example/show'],
    ['http://10.0.0.4/x', 'http://10.0.0.4/x'],
  ])('%s is sent as %s', (address, bare) => {
    expect(withoutSecrets(address)).toBe(bare);
    expect(holdsAddressSecret(address)).toBe(address !== bare);
  });
});

describe('an address that is sent back', () => {
  const present = 'mqtt://parking:S3cret@10.0.0.5:1883';

  it('keeps the password when it is as it was shown, and is itself when it has one', () => {
    expect(keptAddress({ address: maskedAddress(present) }, present)).toEqual({ address: present });
    expect(keptAddress({ address: 'mqtt://parking:other@10.0.0.5:1883' }, present)).toEqual({});
    expect(keptAddress({}, present)).toEqual({});
  });

  it.each([
    'mqtt://parking:***@evil.example:1883',
    'mqtt://other:***@10.0.0.5:1883',
    'mqtt://parking:***@10.0.0.5:1884',
    'http://10.0.0.5/x?apikey=***',
    'zhenshi://***?channel=1',
  ])('is refused with a mask in %s: the password would go elsewhere', (address) => {
    expect(() => keptAddress({ address }, present)).toThrow();
  });
});
