/**
 * Checks everything that needs no gateway: the device, its network, and whether cloud and broker are reached from it.
 */
import { isIP } from 'node:net';
import { isLoopbackHost } from '../../shared/loopback-host.js';
import type { Clock } from '../../shared/clock.js';
import type { Finding } from '../../shared/doctor/findings.js';
import type { Identity } from '../commissioning/identity.js';
import { oneAtATime } from '../waiting/one-at-a-time.js';
import { decideClock } from './decide-clock.js';
import { addressesIn, decideDns } from './decide-names.js';
import type { DoctorCheck } from './doctor.js';
import { probeBattery, probeDisk, probeHeat, probeMemory, probePower, probeSync, probeWear } from './probe-device.js';
import { probeNames } from './probe-names.js';
import { probeNetwork } from './probe-network.js';
import { BROKER_PORTS, CLOUD_PORTS, type Destination, placeOf, probeBroker, probeCloud } from './probe-reach.js';

/** Before the check that waits for it is ended itself. */
const REACHED_WITHIN_MS = 4_400;

export interface DeviceCheckDeps {
  dataDir: string;
  clock: Clock;
  /** null: it belongs to none, or its identity cannot be read. */
  cloud: Identity['cloud'];
  /** Whether the time can be true. */
  isTimePossible(): boolean;
  /** Wall clock minus the cloud's, as a connection showed it; null: none did. */
  cloudOffMs(): number | null;
  /** Whether the cloud answers at this moment. */
  isConnected(): boolean;
  /** Why the broker refused the gateway at its last attempt; null: it did not, or nobody tried. */
  brokerRefusal(): string | null;
}

/** Asked for once in a run, for several checks. */
interface Reaching {
  hosts: string[];
  names(host: string): ReturnType<typeof probeNames>;
  /** null: there is no cloud. */
  cloud(): Promise<Awaited<ReturnType<typeof probeCloud>> | null>;
}

export function deviceChecks(deps: DeviceCheckDeps): DoctorCheck[] {
  const { clock, cloud } = deps;
  const reaching = createReaching(deps);
  const { hosts } = reaching;
  const isCloudHere = hosts.length > 0 && hosts.every((host) => isLoopbackHost(isIP(host) === 6 ? `[${host}]` : host));
  const addresses = async () => {
    const looked = await Promise.all(hosts.map(reaching.names));
    return looked.flatMap(({ found }) => addressesIn(found));
  };
  return [
    {
      name: 'clock',
      run: async (signal) =>
        decideClock({
          now_ms: clock.now(),
          is_possible: deps.isTimePossible(),
          // Why it could not be asked is for its own check to say.
          off_ms: deps.cloudOffMs() ?? (await reaching.cloud().catch(() => null))?.off_ms ?? null,
          is_synchronised: await probeSync(signal),
          has_battery: await probeBattery(),
        }),
    },
    { name: 'disk', run: () => probeDisk(deps.dataDir) },
    { name: 'wear', run: (signal) => probeWear(signal) },
    { name: 'power', run: () => probePower() },
    { name: 'temperature', run: () => probeHeat() },
    { name: 'memory', run: () => probeMemory() },
    {
      name: 'network',
      run: () => probeNetwork({ isCloudThere: isCloudHere || deps.isConnected(), addresses: addresses() }),
    },
    ...(cloud === null ? [] : reachChecks(deps, cloud, reaching)),
  ];
}

function createReaching(deps: DeviceCheckDeps): Reaching {
  const { cloud } = deps;
  const hosts = cloud === null ? [] : hostsOf(cloud);
  // The checks of a run begin together.
  const names = new Map(hosts.map((host) => [host, oneAtATime(() => probeNames(host, deps.clock))]));
  const reaching: Reaching = {
    hosts,
    names: (host) => names.get(host)?.() ?? probeNames(host, deps.clock),
    cloud: oneAtATime(async () => {
      if (cloud === null) return null;
      const signal = AbortSignal.timeout(REACHED_WITHIN_MS);
      const to = await destinationOf(reaching, placeOf(cloud.url, CLOUD_PORTS));
      return await probeCloud(to, cloud.ca, { ...clocksOf(deps), signal });
    }),
  };
  return reaching;
}

async function destinationOf({ names }: Reaching, place: Omit<Destination, 'addresses'>): Promise<Destination> {
  return { ...place, addresses: addressesIn((await names(place.host)).found) };
}

const clocksOf = ({ clock }: DeviceCheckDeps) => ({ now: () => clock.now(), monotonic: () => clock.monotonic() });

function reachChecks(
  deps: DeviceCheckDeps,
  { mqtt }: NonNullable<DeviceCheckDeps['cloud']>,
  reaching: Reaching,
): DoctorCheck[] {
  return [
    { name: 'names', run: () => checkNames(reaching) },
    { name: 'cloud', run: async () => (await reaching.cloud())?.findings ?? [] },
    {
      name: 'broker',
      run: async (signal) => {
        const to = await destinationOf(reaching, placeOf(mqtt.url, BROKER_PORTS));
        return await probeBroker({ to, ca: mqtt.ca, refusal: deps.brokerRefusal() }, { ...clocksOf(deps), signal });
      },
    },
  ];
}

/** A name server that is silent for one host is so for the other one, too: that is one finding. */
async function checkNames({ hosts, names }: Reaching): Promise<Finding[]> {
  const findings = await Promise.all(hosts.map(async (host) => decideDns(await names(host))));
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/**
 * Returns the hosts of cloud and broker, without brackets. An address that cannot be read is reported by the check that
 * uses it.
 */
const hostsOf = (cloud: NonNullable<DeviceCheckDeps['cloud']>): string[] => [
  ...new Set([cloud.url, cloud.mqtt.url].filter((url) => URL.canParse(url)).map((url) => placeOf(url, {}).host)),
];
