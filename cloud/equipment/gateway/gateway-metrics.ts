/** Measures how many gateways there are, how many of them are online, and their health. */
import type { Clock } from '../../../shared/clock.js';
import { addDatabaseGauges, type DatabaseGaugeDeps } from '../../kernel/measure/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { countHeldGateways, sumGatewayHealth } from './gateway-health-queries.js';
import { countGateways } from './gateway-queries.js';

/** How long a gateway counts as sending too much after a message of it had to wait. */
const HELD_WITHIN_MS = 600_000;

export function measureGateways(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: Pick<Clock, 'now'> },
): void {
  addDatabaseGauges(deps, () => countGateways(store.reader), {
    claimed: { name: 'parking_gateways_claimed', help: 'Gateways that were claimed, of all accounts' },
    online: { name: 'parking_gateways_online', help: 'Gateways that are online, of all accounts' },
  });
  addDatabaseGauges(deps, () => countHeldGateways(store.reader, deps.clock.now() - HELD_WITHIN_MS), {
    held: {
      name: 'parking_gateways_held',
      help: 'Gateways whose messages had to wait within the last ten minutes because they sent too much, of all accounts',
    },
  });
  addDatabaseGauges(deps, () => sumGatewayHealth(store.reader, deps.clock.now()), {
    credentials_left_s: {
      name: 'parking_gateway_credentials_left_seconds',
      help: 'Until the first of the credentials ends with which gateways operate products alone',
    },
    stores_failed: {
      name: 'parking_gateway_stores_failed',
      help: 'Gateways whose disk refuses to write what they record, of all accounts',
    },
    recoveries: {
      name: 'parking_gateway_radio_recoveries',
      help: 'How often gateways healed their Bluetooth since they started, of all accounts',
    },
    frees: {
      name: 'parking_gateway_radio_frees',
      help: 'How often gateways took back a leaked Bluetooth connection since they started, of all accounts',
    },
    rescans: {
      name: 'parking_gateway_radio_rescans',
      help: 'How often gateways scanned again because no product was heard since they started, of all accounts',
    },
    resets: {
      name: 'parking_gateway_radio_resets',
      help: 'How often gateways reset a Bluetooth adapter since they started, of all accounts',
    },
    restarts: {
      name: 'parking_gateway_radio_restarts',
      help: 'How often gateways replaced the process of a Bluetooth adapter since they started, of all accounts',
    },
    power_cycles: {
      name: 'parking_gateway_radio_power_cycles',
      help: 'How often gateways switched a Bluetooth adapter off and on since they started, of all accounts',
    },
  });
}
