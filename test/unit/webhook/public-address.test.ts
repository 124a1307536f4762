import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../cloud/doors/webhook/public-address.js';
import { webhookUrlProblem } from '../../../cloud/doors/webhook/webhook-url.js';

describe('public addresses', () => {
  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:1.1.1.1',
    '::ffff:101:101',
    '64:ff9b::1.1.1.1',
  ])('%s is one', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:1',
    '::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '100::1',
    '4000::1',
    'localhost',
    '',
    '1.1.1',
    '2130706433',
  ])('%j is none', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('webhook addresses', () => {
  const problem = (url: string) => webhookUrlProblem(url, { allowPrivate: false });

  it.each([
    'https://hook.example/path?x=1',
    'http://hook.example:8080',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'https://localhost.example/',
  ])('%s is one', (url) => {
    expect(problem(url)).toBeNull();
  });

  it.each([
    'ftp://hook.example/',
    'hook.example',
    '/path',
    'https://',
    'https://user:secret@hook.example/',
    'https://user@hook.example/',
    'javascript:alert(1)',
  ])('%s is none, wherever webhooks may go', (url) => {
    expect(problem(url)).not.toBeNull();
    expect(webhookUrlProblem(url, { allowPrivate: true })).not.toBeNull();
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://169.254.169.254/latest/meta-data',
  ])('%s is none, unless webhooks may go to private addresses', (url) => {
    expect(problem(url)).toBe('Must be a public address');
    expect(webhookUrlProblem(url, { allowPrivate: true })).toBeNull();
  });
});
