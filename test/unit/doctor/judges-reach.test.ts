/** The judges of how cloud and broker are reached, by what they are given: every id that one of them can give is given once here. */
import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../shared/durations.js';
import { areaOf } from '../../../shared/doctor/describe-finding.js';
import { FINDING_IDS, type Finding } from '../../../shared/doctor/findings.js';
import { decideDns, isInHosts, type Looked, nameServersIn } from '../../../agent/doctor/decide-names.js';
import { decideNetwork, hasDefaultRoute, wifiIn } from '../../../agent/doctor/decide-network.js';
import { decideBroker, decideCloud, decideFamilies } from '../../../agent/doctor/decide-reach.js';

const AREAS = new Set(['network', 'dns', 'cloud', 'broker', 'certificate', 'authority']);
const given = new Set<string>();
const idsOf = (findings: Finding | readonly Finding[]): string[] => {
  const ids = [findings].flat().map(({ id }) => id);
  for (const id of ids) given.add(id);
  return ids;
};

afterAll(() => {
  expect(FINDING_IDS.filter((id) => AREAS.has(areaOf(id)) && !given.has(id))).toEqual([]);
});

const NOW = Date.UTC(2026, 10, 28);

describe('the network', () => {
  const network = { addresses: ['eth0 192.168.1.5'], has_route: true, wifi: [], is_cloud_there: false };
  it.each([
    [network, ['network.ok']],
    [{ ...network, addresses: [] }, ['network.down']],
    [{ ...network, has_route: false }, ['network.no_route']],
    [{ ...network, addresses: [], has_route: false, is_cloud_there: true }, ['network.ok']],
    [{ ...network, has_route: false, is_cloud_there: true }, ['network.ok']],
    [{ ...network, wifi: [{ name: 'wlan0', signal_dbm: -80 }] }, ['network.weak_wifi']],
  ])('%j', (facts, ids) => {
    expect(idsOf(decideNetwork(facts))).toEqual(ids);
  });

  it('routes and Wi-Fi, as the kernel writes them', () => {
    const head = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
    const lan = 'eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n';
    const out = 'eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n';
    expect(hasDefaultRoute(head + lan, '')).toBe(false);
    expect(hasDefaultRoute(head + lan + out, '')).toBe(true);
    const zero = '0'.repeat(32);
    expect(hasDefaultRoute('', `${zero} 00 ${zero} 00 ${zero} ffffffff 1 0 00200200       lo\n`)).toBe(false);
    expect(hasDefaultRoute('', `${zero} 00 ${zero} 00 fe80 00000400 1 0 00000003     eth0\n`)).toBe(true);
    const wireless = `Inter-| sta-|   Quality        |\n face | tus | link level noise |\n wlan0: 0000   40.  -78.  -256        0      0\n`;
    expect(wifiIn(wireless)).toEqual([{ name: 'wlan0', signal_dbm: -78 }]);
  });
});

describe('cloud and broker', () => {
  const place = { host: 'c.example', port: 443 };
  const certificate = {
    from_ms: NOW - DAY_MS,
    to_ms: NOW + 90 * DAY_MS,
    problem: null,
    names: 'c.example',
    is_other_name: false,
  };
  const stranger = { problem: 'DEPTH_ZERO_SELF_SIGNED_CERT', names: 'login.hotel', is_other_name: true };
  const otherName = { problem: 'ERR_TLS_CERT_ALTNAME_INVALID', names: 'old.example', is_other_name: true };
  const answer = { status: 200, is_cloud: true, what: '', latency_ms: 30, date_ms: NOW };
  const cloud = { place, now_ms: NOW, certificate: null, answer, problem: null };
  it.each([
    [cloud, ['cloud.ok']],
    [{ ...cloud, answer: { ...answer, latency_ms: 2_500 } }, ['cloud.slow']],
    [{ ...cloud, answer: null, problem: 'ECONNREFUSED' }, ['cloud.unreachable']],
    [{ ...cloud, answer: { ...answer, status: 302, is_cloud: false } }, ['cloud.portal']],
    [{ ...cloud, answer: { ...answer, status: 511, is_cloud: false } }, ['cloud.portal']],
    [{ ...cloud, answer: { ...answer, status: 503, is_cloud: false } }, ['cloud.unwell']],
    [{ ...cloud, answer: { ...answer, status: 407, is_cloud: false } }, ['cloud.proxy']],
    [{ ...cloud, certificate }, ['cloud.ok', 'certificate.ok']],
    [{ ...cloud, certificate: { ...certificate, to_ms: NOW + 20 * DAY_MS } }, ['cloud.ok', 'certificate.near_end']],
    [
      { ...cloud, answer: null, certificate: { ...certificate, to_ms: NOW - DAY_MS, problem: 'CERT_HAS_EXPIRED' } },
      ['certificate.ended'],
    ],
    [
      { ...cloud, answer: null, certificate: { ...certificate, from_ms: NOW + DAY_MS, problem: 'CERT_NOT_YET_VALID' } },
      ['certificate.early'],
    ],
    [
      { ...cloud, answer: null, certificate: { ...certificate, problem: 'SELF_SIGNED_CERT_IN_CHAIN' } },
      ['certificate.refused'],
    ],
    [{ ...cloud, answer: null, certificate: { ...certificate, ...stranger } }, ['certificate.foreign']],
    [{ ...cloud, answer: null, certificate: { ...certificate, ...otherName } }, ['certificate.foreign']],
  ])('cloud %j', (facts, ids) => {
    expect(idsOf(decideCloud(facts))).toEqual(ids);
  });

  const broker = {
    place: { host: '2001:db8::1', port: 8883 },
    now_ms: NOW,
    latency_ms: 5,
    problem: null,
    certificate: null,
    authority_ends_ms: [],
    refusal: null,
  };
  it.each([
    [broker, ['broker.ok']],
    [{ ...broker, latency_ms: null, problem: 'ETIMEDOUT' }, ['broker.unreachable']],
    [{ ...broker, certificate: { ...certificate, ...otherName } }, ['certificate.other_name']],
    [{ ...broker, certificate: { ...certificate, ...stranger } }, ['certificate.foreign']],
    [{ ...broker, refusal: 'Not authorized' }, ['broker.refused']],
    [
      { ...broker, certificate, authority_ends_ms: [NOW + 400 * DAY_MS] },
      ['broker.ok', 'certificate.ok', 'authority.ok'],
    ],
    [{ ...broker, authority_ends_ms: [NOW + 59 * DAY_MS] }, ['broker.ok', 'authority.near_end']],
    [{ ...broker, authority_ends_ms: [NOW - DAY_MS, NOW - 2 * DAY_MS] }, ['broker.ok', 'authority.ended']],
    [{ ...broker, authority_ends_ms: [NOW - DAY_MS, NOW + 100 * DAY_MS] }, ['broker.ok', 'authority.ok']],
  ])('broker %j', (facts, ids) => {
    expect(idsOf(decideBroker(facts))).toEqual(ids);
  });
});

describe('names', () => {
  const none: Looked = { code: 'ENOTFOUND' };
  const silent: Looked = { code: 'ETIMEOUT' };
  const at = (...addresses: string[]): Looked => ({ addresses });
  const server = (name: string, v4: Looked, v6: Looked = v4) => ({ server: name, v4, v6 });
  const router = server('192.168.1.1', at('203.0.113.7'), none);
  const names = { host: 'c.example', is_address: false, found: at('203.0.113.7'), servers: [router], has_server: true };
  const block = at('0.0.0.0');
  it.each([
    ['an address', { ...names, is_address: true }, 'dns.unneeded', {}],
    ['one that is found', names, 'dns.ok', { v4: 1, v6: 0 }],
    ['one of a hosts file', { ...names, servers: [] }, 'dns.ok', { v4: 1, v6: 0 }],
    [
      'a family for which the server fails',
      { ...names, servers: [{ ...router, v6: { code: 'ESERVFAIL' } }] },
      'dns.half',
      { family: 'IPv6', problem: 'ESERVFAIL' },
    ],
    [
      'a first server that is silent',
      { ...names, servers: [server('192.168.1.2', silent), router] },
      'dns.slow',
      { servers: '192.168.1.2' },
    ],
    [
      'a second server that refuses at once',
      { ...names, servers: [router, server('fe80::1', { code: 'ECONNREFUSED' })] },
      'dns.ok',
      { v4: 1, v6: 0 },
    ],
    [
      'servers that are all silent',
      { ...names, found: silent, servers: [server('192.168.1.2', silent), server('192.168.1.3', silent)] },
      'dns.silent',
      { servers: '192.168.1.2, 192.168.1.3' },
    ],
    ['no server', { ...names, found: none, servers: [], has_server: false }, 'dns.no_server', {}],
    [
      'a server that denies the name',
      { ...names, found: none, servers: [server('192.168.1.1', none)] },
      'dns.no_such_name',
      { server: '192.168.1.1' },
    ],
    [
      'a server that denies what another one knows',
      { ...names, found: none, servers: [server('192.168.1.9', none), router] },
      'dns.wrong',
      { server: '192.168.1.9', answer: 'ENOTFOUND' },
    ],
    [
      'a server that blocks the name',
      { ...names, found: block, servers: [server('192.168.1.9', block, none)] },
      'dns.wrong',
      { server: '192.168.1.9', answer: '0.0.0.0' },
    ],
    [
      'a server that fails',
      { ...names, found: none, servers: [server('192.168.1.9', { code: 'ESERVFAIL' })] },
      'dns.failed',
      { problem: 'ESERVFAIL (192.168.1.9)' },
    ],
    [
      'a name that only the system looks up',
      { ...names, found: none, servers: [] },
      'dns.failed',
      { problem: 'ENOTFOUND' },
    ],
  ])('%s', (_what, facts, id, expected) => {
    const finding = decideDns(facts);
    expect([idsOf(finding), finding.facts]).toEqual([[id], expected]);
  });

  it('in the files of this device: its name servers, and its hosts', () => {
    const resolv = '# a\nnameserver 192.168.1.1\nsearch lan\n nameserver  fe80::1%eth0 \nnameserver 1\nnameserver 2\n';
    expect(nameServersIn(resolv)).toEqual(['192.168.1.1', 'fe80::1%eth0', '1']);
    const hosts = '127.0.0.1 localhost\n10.0.0.5\tcloud.lan Cloud # old.lan\n';
    expect(['cloud.LAN', 'cloud', 'old.lan', '10.0.0.5', 'lan'].map((name) => isInHosts(hosts, name))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('a host with addresses of both families', () => {
  const place = { host: 'c.example', port: 443 };
  const families = { v6_address: '2001:db8::7', v6_problem: 'ETIMEDOUT', v4_connects: true };
  it.each([
    [families, ['network.dead_v6']],
    [{ ...families, v6_problem: 'ECONNREFUSED' }, ['network.dead_v6']],
    [{ ...families, v6_problem: null }, []],
    [{ ...families, v4_connects: false }, []],
    // The device has no IPv6 itself.
    [{ ...families, v6_problem: 'ENETUNREACH' }, []],
    [null, []],
  ])('%j', (facts, ids) => {
    expect(idsOf(decideFamilies(place, facts))).toEqual(ids);
  });
});
