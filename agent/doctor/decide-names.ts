/** Judges the name service by the look-up of a connection, and by the answer of each name server. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';

/** Addresses, or the code of the failure. */
export type Looked = { addresses: string[] } | { code: string };

/** The answer of a name server, by family. */
export interface ServerAnswer {
  server: string;
  v4: Looked;
  v6: Looked;
}

export interface DnsFacts {
  host: string;
  /** The host is an address itself. */
  is_address: boolean;
  /** As a connection finds it: of both families, in the order in which they are tried. */
  found: Looked;
  /** The answers of this device's name servers, in the order in which they are asked; none: the name needs none of them. */
  servers: readonly ServerAnswer[];
  /** Whether this device has a name server, or the name needs none. */
  has_server: boolean;
}

/** The name has no address of this family: no failure of the name service. */
const NONE_THERE = new Set(['ENOTFOUND', 'ENODATA']);
const SILENT = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

export const addressesIn = (looked: Looked): string[] => ('addresses' in looked ? looked.addresses : []);

export const addressesOf = ({ v4, v6 }: ServerAnswer): string[] => [...addressesIn(v4), ...addressesIn(v6)];

const codesOf = ({ v4, v6 }: ServerAnswer): string[] => [v4, v6].flatMap((each) => ('code' in each ? each.code : []));

export const isSilent = (answer: ServerAnswer): boolean =>
  addressesOf(answer).length === 0 && codesOf(answer).every((code) => SILENT.has(code));

const namesOf = (servers: readonly ServerAnswer[]): string => servers.map(({ server }) => server).join(', ');

export function decideDns(facts: DnsFacts): Finding {
  const { host, is_address, servers } = facts;
  const own = addressesIn(facts.found);
  if (is_address) return found('dns.unneeded', host, {});
  if (own.length === 0) return decideUnfound(facts);
  const blocking = servers.find((each) => addressesOf(each).length > 0 && addressesOf(each).every(leadsNowhere));
  if (blocking !== undefined && own.every(leadsNowhere))
    return found('dns.wrong', host, { server: blocking.server, answer: addressesOf(blocking).join(', ') });
  // One that refuses at once keeps nobody waiting.
  const slow = servers.filter((each) => isSilent(each) && codesOf(each).includes('ETIMEOUT'));
  if (slow.length > 0 && slow.length < servers.length) return found('dns.slow', null, { servers: namesOf(slow) });
  return decideHalf(host, servers[0]) ?? found('dns.ok', host, countsOf(own));
}

const countsOf = (addresses: readonly string[]) => ({
  v4: addresses.filter((address) => !address.includes(':')).length,
  v6: addresses.filter((address) => address.includes(':')).length,
});

function decideHalf(host: string, answer: ServerAnswer | undefined): Finding | null {
  const failureOf = (looked: Looked) => ('code' in looked && !NONE_THERE.has(looked.code) ? looked.code : null);
  if (answer === undefined || addressesOf(answer).length === 0) return null;
  const [badV4, badV6] = [failureOf(answer.v4), failureOf(answer.v6)];
  if (badV4 !== null) return found('dns.half', host, { family: 'IPv4', problem: badV4 });
  return badV6 === null ? null : found('dns.half', host, { family: 'IPv6', problem: badV6 });
}

function decideUnfound({ host, found: own, servers, has_server }: DnsFacts): Finding {
  if (!has_server) return found('dns.no_server', null, {});
  const speaking = servers.filter((each) => !isSilent(each));
  const [first] = speaking;
  if (first === undefined && servers.length > 0) return found('dns.silent', null, { servers: namesOf(servers) });
  const ownCode = 'code' in own ? own.code : null;
  if (first === undefined) return found('dns.failed', host, { problem: ownCode });
  const { server } = first;
  const code = codesOf(first).find((each) => !NONE_THERE.has(each)) ?? codesOf(first)[0] ?? ownCode;
  // The first one that denies a name has the last word.
  if (code === null || !NONE_THERE.has(code)) return found('dns.failed', host, { problem: `${code} (${server})` });
  if (speaking.some((each) => addressesOf(each).length > 0)) return found('dns.wrong', host, { server, answer: code });
  return found('dns.no_such_name', host, { server });
}

/** A name server that blocks a name says that it is at no address, or at this device. */
const leadsNowhere = (address: string): boolean => /^(?:0\.0\.0\.0|127\.\d+\.\d+\.\d+|::1?)$/.test(address);

/** The system asks no more. */
const SERVERS_MAX = 3;

/** Reads `resolv.conf`: its name servers in their order. */
export const nameServersIn = (text: string): string[] =>
  [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].flatMap(([, server]) => server ?? []).slice(0, SERVERS_MAX);

/** Says whether a hosts file has the name. */
export const isInHosts = (text: string, host: string): boolean =>
  text.split('\n').some((line) => {
    const [, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return names.some((name) => name.toLowerCase() === host.toLowerCase());
  });
