/** Measures how many cloud processes there are, and how many gateways are this one's. */
import type { Registry } from 'prom-client';
import { addGauge } from '../measure/gauge.js';
import type { Membership } from './membership.js';

export function measureMembership(membership: Pick<Membership, 'counts'>, registry: Registry): void {
  addGauge(registry, {
    name: 'parking_cloud_processes',
    help: 'Cloud processes that live and work on the same database, this one among them',
    read: () => membership.counts().processes,
  });
  addGauge(registry, {
    name: 'parking_gateway_parts_held',
    help: 'Parts of the gateways, of 64, that this process hears',
    read: () => membership.counts().parts,
  });
}
