import { describe, expect, it } from 'vitest';
import { FORWARDING_HEADERS } from '../../fixtures/forwarding-headers.js';
import { createAddressOf, createIsProxy, isLocal } from '../../../cloud/rest/server/client-address.js';

const addressOf = createAddressOf(createIsProxy(['192.0.2.1', '10.0.0.0/8', 'fd00::/8']));
const requestFrom = (remoteAddress: string | undefined, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

describe('the address of a client', () => {
  it.each([
    ['it asks by itself', '198.51.100.7', undefined, '198.51.100.7'],
    ['it asks by itself, over IPv6', '2001:DB8::7', undefined, '2001:db8::7'],
    ['it asks a listener of both kinds', '::ffff:198.51.100.7', undefined, '198.51.100.7'],
    ['it says that it is somebody else', '198.51.100.7', '203.0.113.9', '198.51.100.7'],
    ['a proxy asks for it', '192.0.2.1', '203.0.113.9', '203.0.113.9'],
    ['a proxy asks a listener of both kinds', '::ffff:192.0.2.1', '203.0.113.9', '203.0.113.9'],
    ['a proxy of a network asks for it', 'fd00::17', '2001:db8::9', '2001:db8::9'],
    ['several proxies ask for it', '192.0.2.1', '203.0.113.9, 10.1.2.3,fd00::1', '203.0.113.9'],
    ['it made up what stands before', '192.0.2.1', '127.0.0.1, 10.9.9.9, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['a proxy writes its port', '192.0.2.1', '203.0.113.9:4711', '203.0.113.9'],
    ['a proxy writes its port, over IPv6', '192.0.2.1', '[2001:db8::9]:4711', '2001:db8::9'],
    ['a proxy asks by itself', '192.0.2.1', undefined, '192.0.2.1'],
    ['only proxies are named', '192.0.2.1', '10.0.0.7, 10.0.0.8', '10.0.0.7'],
    ['what a proxy writes is no address', '192.0.2.1', '203.0.113.9, unknown', '192.0.2.1'],
    ['what an inner proxy writes is no address', '192.0.2.1', 'nonsense, 10.0.0.8', '10.0.0.8'],
    ['what a proxy writes is empty', '192.0.2.1', '', '192.0.2.1'],
    ['what comes is very long', '192.0.2.1', `${'10.0.0.1,'.repeat(1_500)}203.0.113.9`, '203.0.113.9'],
    ['its connection has ended', undefined, '203.0.113.9', ''],
  ])('%s', (_what, remote, forwarded, address) => {
    expect(addressOf(requestFrom(remote, forwarded))).toBe(address);
  });

  it('is that of the connection when no proxy is known', () => {
    const direct = createAddressOf(createIsProxy([]));
    expect(direct(requestFrom('127.0.0.1', '203.0.113.9'))).toBe('127.0.0.1');
  });

  it('is of this machine only when nobody has passed the request on', () => {
    expect(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'].map((each) => isLocal(requestFrom(each)))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['192.0.2.1', '::ffff:192.0.2.1', '::2', '', undefined].some((each) => isLocal(requestFrom(each)))).toBe(
      false,
    );
    for (const name of FORWARDING_HEADERS) {
      expect([name, isLocal({ socket: { remoteAddress: '127.0.0.1' }, headers: { [name]: '' } })]).toEqual([
        name,
        false,
      ]);
    }
    const asked = (host: string) => isLocal({ socket: { remoteAddress: '127.0.0.1' }, headers: { host } });
    expect(['localhost:8080', '127.0.0.1', 'evil.example:8080'].map(asked)).toEqual([true, true, false]);
  });
});
