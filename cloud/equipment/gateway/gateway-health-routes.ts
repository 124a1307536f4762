/** GET /v2/gateways/{id}/health */
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, protectedEndpoint, visibleRow } from '../../rest/entry.js';
import { gatewayHealthSchema, representGatewayHealth } from './gateway-health-payload.js';
import {
  countKeptAside,
  countLostRecords,
  findGatewayHealth,
  findHeldMessages,
  findUnhandled,
  unknownZonesOfLot,
} from './gateway-health-queries.js';
import { unconfirmedProductsOfLot } from './slot-revocation-queries.js';
import { GATEWAY_LIST } from './gateway-resource.js';

export function gatewayHealthEndpoint({ store, clock }: { store: Pick<CloudStore, 'reader'>; clock: Clock }): Endpoint {
  return protectedEndpoint({
    method: 'get',
    path: '/v2/gateways/{id}/health',
    summary: 'How a gateway is, as it last said',
    tag: 'Gateways',
    roles: ALL_ROLES,
    answer: gatewayHealthSchema,
    find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
    async handle({ found: gateway }) {
      const { id } = gateway;
      return representGatewayHealth({
        gateway,
        reported: await findGatewayHealth(store.reader, id),
        lost_count: await countLostRecords(store.reader, id),
        kept_aside_count: await countKeptAside(store.reader, id),
        held: await findHeldMessages(store.reader, id),
        unhandled: await findUnhandled(store.reader, id),
        products_untold: gateway.lot_id === null ? [] : await unconfirmedProductsOfLot(store.reader, gateway.lot_id),
        unknown_timezones: gateway.lot_id === null ? [] : await unknownZonesOfLot(store.reader, gateway.lot_id),
        now: clock.now(),
      });
    },
  });
}
