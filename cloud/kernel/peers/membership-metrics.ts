/** Measures how many cloud processes there are, and how many gateways are this one's. */
import type { Registry } from 'prom-client';
import { addGauge } from '../measure/gauge.js';
import { PARTS } from './decide-leases.js';
import type { Membership } from './membership.js';

/** What a process that is alone with its database counts. */
const ALONE = { processes: 1, parts: PARTS };

/** @param membership null: the process is alone with its database */
export function measureMembership(membership: Pick<Membership, 'counts'> | null, registry: Registry): void {
  const counts = () => membership?.counts() ?? ALONE;
  addGauge(registry, {
    name: 'parking_cloud_processes',
    help: 'Cloud processes that live and work on the same database, this one among them',
    read: () => counts().processes,
  });
  addGauge(registry, {
    name: 'parking_gateway_parts_held',
    help: 'Parts of the gateways, of 64, that this process hears',
    read: () => counts().parts,
  });
}
