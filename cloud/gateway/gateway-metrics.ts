/** Measures how many gateways there are, and how many of them are there. */
import { addDatabaseGauges, type DatabaseGaugeDeps } from '../measure/database-gauges.js';
import type { CloudStore } from '../store/cloud-store.js';
import { countGateways } from './gateway-queries.js';

export function measureGateways(store: Pick<CloudStore, 'reader'>, deps: DatabaseGaugeDeps): void {
  addDatabaseGauges(deps, () => countGateways(store.reader), {
    claimed: { name: 'parking_gateways_claimed', help: 'Gateways that were claimed, of all accounts' },
    online: { name: 'parking_gateways_online', help: 'Gateways that are online, of all accounts' },
  });
}
