/** Runs `doctor` without a running gateway, on the facts of the device itself. */
import type { Clock } from '../../shared/clock.js';
import { BUILT_MS } from '../../shared/decide-device-time.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import type { DoctorReport } from '../../shared/doctor/report.js';
import { findErasure } from '../commissioning/erasure-mark.js';
import { findIdentity, type Identity } from '../commissioning/identity.js';
import { decideMembership } from './decide-gateway.js';
import { deviceChecks } from './device-checks.js';
import { createDoctor } from './doctor.js';

/** @param of.first why the gateway was not asked, and why it would not start */
export function lookAtDevice(of: {
  dataDir: string;
  identityFile: string;
  clock: Clock;
  version: string;
  first: readonly Finding[];
}): Promise<DoctorReport> {
  const { dataDir, clock, version, first } = of;
  const { identity, findings } = membershipOf(of.identityFile);
  const doctor = createDoctor({
    clock,
    version,
    isRunning: false,
    checks: [
      { name: 'gateway', run: () => [...first, ...findings] },
      ...deviceChecks({
        dataDir,
        clock,
        cloud: identity?.cloud ?? null,
        isTimePossible: () => clock.now() >= BUILT_MS,
        cloudOffMs: () => null,
        isConnected: () => false,
        brokerRefusal: () => null,
      }),
    ],
    onReport() {},
  });
  return doctor.run();
}

function membershipOf(path: string): { identity: Identity | null; findings: Finding[] } {
  try {
    if (findErasure(path) !== null) return { identity: null, findings: [found('gateway.erasing', null, {})] };
    const identity = findIdentity(path);
    const { cloud = null, former = null } = identity ?? {};
    return { identity, findings: decideMembership({ cloud: cloud?.url ?? null, former, is_configured: null }) };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
    const id = cause?.code === undefined ? 'gateway.identity_damaged' : 'gateway.identity_unreadable';
    return { identity: null, findings: [found(id, null, { path })] };
  }
}
