/**
 * A network for a program alone, with a host of a car park's LAN in it. The gateway takes what comes from a loopback address for its own
 * device; an attacker on the LAN is another host. The addresses are of the range that is kept for such tests (RFC 2544), and nothing that
 * is sent to them leaves the network.
 */
import { spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { ATTACKER_ADDRESS } from './attack.js';

const GATEWAY_ADDRESS = '198.19.0.1';
const LAN_ADDRESS = '198.19.0.66';
const SET_UP = [
  'ip link set lo up',
  `ip address add ${GATEWAY_ADDRESS}/32 dev lo`,
  `ip address add ${LAN_ADDRESS}/32 dev lo`,
  'exec "$@"',
].join(' && ');

/** The address that an attack comes from, and the one that it attacks. */
export interface AttackRoute {
  from: string;
  to: string;
}

/** Whether this program runs in a network of its own. */
export const isInOwnNetwork = (): boolean =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === LAN_ADDRESS));

/** The command that runs another one in a network of its own; null: this machine makes none (it needs Linux, and to be root). */
export function inOwnNetwork(command: readonly string[]): [program: string, ...args: string[]] | null {
  const wrap = (of: readonly string[]): [string, ...string[]] => ['unshare', '--net', 'sh', '-c', SET_UP, 'sh', ...of];
  const [program, ...args] = wrap(['true']);
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0 ? wrap(command) : null;
}

/** A gateway is attacked by a host of its LAN where there is one. */
export function routeTo(against: 'cloud' | 'agent'): AttackRoute {
  return against === 'agent' && isInOwnNetwork()
    ? { from: LAN_ADDRESS, to: GATEWAY_ADDRESS }
    : { from: ATTACKER_ADDRESS, to: '127.0.0.1' };
}

/** In words for people, so that nobody takes a figure for another. */
export const routeInWords = ({ from, to }: AttackRoute): string =>
  from === LAN_ADDRESS
    ? `the gateway is attacked from ${from}, a host of its LAN`
    : `no network of its own could be made: the gateway is attacked from ${from}, which it takes for its own device (${to})`;
