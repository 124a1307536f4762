/** Measures how many gateways there are, how many of them are there, and how they are. */
import type { Clock } from '../../shared/clock.js';
import { addDatabaseGauges, type DatabaseGaugeDeps } from '../measure/database-gauges.js';
import type { CloudStore } from '../store/cloud-store.js';
import { sumGatewayHealth } from './gateway-health-queries.js';
import { countGateways } from './gateway-queries.js';

export function measureGateways(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: Pick<Clock, 'now'> },
): void {
  addDatabaseGauges(deps, () => countGateways(store.reader), {
    claimed: { name: 'parking_gateways_claimed', help: 'Gateways that were claimed, of all accounts' },
    online: { name: 'parking_gateways_online', help: 'Gateways that are online, of all accounts' },
  });
  addDatabaseGauges(deps, () => sumGatewayHealth(store.reader, deps.clock.now()), {
    credentials_left_s: {
      name: 'parking_gateway_credentials_left_seconds',
      help: 'Until the first of the credentials ends with which gateways operate products alone',
    },
    recoveries: {
      name: 'parking_gateway_radio_recoveries',
      help: 'How often gateways healed their Bluetooth since they started, of all accounts',
    },
  });
}
