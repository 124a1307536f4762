/**
 * Checks everything that needs no gateway: the device, its network, and whether cloud and broker are reached from it.
 */
import { isIP } from 'node:net';
import { isLoopbackHost } from '../../shared/loopback-host.js';
import type { Clock } from '../../shared/clock.js';
import { decideClock } from './decide-clock.js';
import type { DoctorCheck } from './doctor.js';
import { probeBattery, probeDisk, probeHeat, probeMemory, probePower, probeSync, probeWear } from './probe-device.js';
import { probeDns, probeNetwork } from './probe-network.js';
import { placeOf, probeBroker, probeCloud } from './probe-reach.js';

export interface DeviceCheckDeps {
  dataDir: string;
  clock: Clock;
  /** null: it belongs to none, or its identity cannot be read. */
  cloud: { url: string; mqtt: { url: string; ca: string | null } } | null;
  /** Whether the time can be true. */
  isTimePossible(): boolean;
  /** Wall clock minus the cloud's, as a connection showed it; null: none did. */
  cloudOffMs(): number | null;
  /** Why the broker refused the gateway at its last attempt; null: it did not, or nobody tried. */
  brokerRefusal(): string | null;
}

export function deviceChecks(deps: DeviceCheckDeps): DoctorCheck[] {
  const { clock, cloud } = deps;
  const hosts = cloud === null ? [] : hostsOf(cloud);
  const isCloudHere = hosts.length > 0 && hosts.every((host) => isLoopbackHost(isIP(host) === 6 ? `[${host}]` : host));
  return [
    {
      name: 'clock',
      run: async (signal) =>
        decideClock({
          now_ms: clock.now(),
          is_possible: deps.isTimePossible(),
          off_ms: deps.cloudOffMs(),
          is_synchronised: await probeSync(signal),
          has_battery: await probeBattery(),
        }),
    },
    { name: 'disk', run: () => probeDisk(deps.dataDir) },
    { name: 'wear', run: (signal) => probeWear(signal) },
    { name: 'power', run: () => probePower() },
    { name: 'temperature', run: () => probeHeat() },
    { name: 'memory', run: () => probeMemory() },
    { name: 'network', run: () => probeNetwork(isCloudHere) },
    ...(cloud === null ? [] : reachChecks(deps, cloud)),
  ];
}

function reachChecks(deps: DeviceCheckDeps, cloud: NonNullable<DeviceCheckDeps['cloud']>): DoctorCheck[] {
  const { clock } = deps;
  const clocks = { now: () => clock.now(), monotonic: () => clock.monotonic() };
  return [
    ...hostsOf(cloud).map((host) => ({ name: `name ${host}`, run: () => probeDns(host) })),
    {
      name: 'cloud',
      run: (signal) => probeCloud({ url: cloud.url, isClockCompared: deps.cloudOffMs() === null }, clocks, signal),
    },
    {
      name: 'broker',
      run: (signal) => probeBroker({ ...cloud.mqtt, refusal: deps.brokerRefusal() }, clocks, signal),
    },
  ];
}

/**
 * Returns the hosts of cloud and broker, without brackets. An address that cannot be read is reported by the check that
 * uses it.
 */
const hostsOf = (cloud: NonNullable<DeviceCheckDeps['cloud']>): string[] => [
  ...new Set([cloud.url, cloud.mqtt.url].filter((url) => URL.canParse(url)).map((url) => placeOf(url, {}).host)),
];
