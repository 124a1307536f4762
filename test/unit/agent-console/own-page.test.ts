import { describe, expect, it } from 'vitest';
import { foreignBecause } from '../../../agent/console/own-page.js';
import { FORWARDING_HEADERS } from '../../fixtures/forwarding-headers.js';

const NAMES = { addresses: ['192.168.1.5', 'fd00::5', '169.254.7.7'], hostName: 'Gate-1' };

function because(method: string, headers: Record<string, string>): string | null {
  return foreignBecause({ method, headerNames: Object.keys(headers), header: (name) => headers[name] }, NAMES);
}

describe('a request to the local console', () => {
  it.each([
    '192.168.1.5',
    '192.168.1.5:8090',
    '169.254.7.7:8090',
    '[fd00::5]:8090',
    'localhost:8090',
    '127.0.0.1:8090',
    '[::1]:8090',
    'gate-1:8090',
    'GATE-1.local',
    'gate-1.local:8090',
    'gate-1.local.:8090',
    'gate-1.',
    'gate-1.fritz.box',
    'gate-1.fritz.box.',
    'gate-1.speedport.ip:8090',
    'gate-1.lan',
    'gate-1.home',
    'gate-1.home.arpa',
    'gate-1.internal',
    // Where another device had the name already.
    'gate-7.local',
    'gate-10.local:8090',
    'gate-1-2.local',
    'gate-12.local',
  ])('is the own page’s where it asks for the device by %s', (host) => {
    expect(because('GET', { host })).toBeNull();
    const posted = { host, 'content-type': 'application/json; charset=utf-8' };
    expect(because('POST', { ...posted, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBeNull();
    expect(because('POST', posted)).toBeNull();
  });

  it.each([
    'evil.example',
    'evil.example:8090',
    '192.168.1.6:8090',
    'gate-1.evil.example',
    'gate-1x.local',
    'gate-x1.local',
    'gateway-7.local',
    'gate.local',
    'gate-7.fritz.box',
    'gate-1.box',
    'gate-1.fritz.box.evil.example',
    'evil.gate-1.fritz.box',
    'fritz.box',
    'gate-1.local.example',
    'gate-1..',
    '.local',
    '.',
    'localhost.evil.example',
    '192.168.1.5.evil.example',
    '',
  ])('is refused where its name was made to lead here: "%s"', (host) => {
    expect(because('GET', { host })).toContain('Host header');
    expect(because('POST', { host, origin: `http://${host}`, 'content-type': 'application/json' })).toContain('Host');
  });

  it('is refused without a host', () => {
    expect(because('GET', {})).toContain('Host header');
  });

  it.each([
    'null',
    'http://evil.example',
    'https://192.168.1.5:8090',
    'http://192.168.1.5',
    'http://192.168.1.5:80',
    'http://192.168.1.5:8090.evil.example',
    'http://192.168.1.5:8090/',
    '',
  ])('is refused to a page of the origin "%s"', (origin) => {
    for (const method of ['GET', 'POST']) {
      const headers = { host: '192.168.1.5:8090', origin, 'content-type': 'application/json' };
      expect(because(method, headers)).toContain('A page from elsewhere');
    }
  });

  it.each(['cross-site', 'same-site', 'whatever'])('is refused where a browser says that it is %s', (site) => {
    expect(because('GET', { host: '192.168.1.5:8090', 'sec-fetch-site': site })).toContain('A page from elsewhere');
  });

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'application/jsonx',
  ])('is refused where it changes something and says it is %s', (contentType) => {
    const given = contentType === undefined ? {} : { 'content-type': contentType };
    for (const method of ['POST', 'DELETE', 'PUT', 'PATCH']) {
      expect(because(method, { host: '192.168.1.5:8090', ...given })).toBe('Send Content-Type: application/json');
    }
  });

  it.each(FORWARDING_HEADERS)('is refused where a proxy passed it on, which adds %s', (name) => {
    expect(because('GET', { host: '192.168.1.5:8090', [name]: '' })).toContain('proxy');
  });
});
