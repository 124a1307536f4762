/** GET and PATCH /v2/gateways/{id}/update, POST /v2/gateways/{id}/update/now */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore, Row } from '../../kernel/store/entry.js';
import {
  type ConfigChanged,
  type Endpoint,
  flagValue,
  MANAGERS,
  protectedEndpoint,
  visibleRow,
  datetime,
  iso,
} from '../../rest/entry.js';
import { findGatewayHealth } from '../gateway/gateway-health-queries.js';
import { GATEWAY_LIST } from '../gateway/gateway-resource.js';
import { gatewayUpdateSchema, representGatewayUpdate } from './gateway-update-payload.js';
import {
  findReleases,
  findUpdateHours,
  findUpdateWishes,
  type GatewayUpdateWishes,
  saveUpdateWishes,
} from './release-queries.js';

type Gateway = Pick<Row<'gateways'>, 'id' | 'uuid' | 'account_id' | 'lot_id'>;

const TAG = 'Gateways';
/** What the gateway says, and what follows from it. */
const MOVING = [
  'can_install',
  'machine',
  'installed',
  'slot',
  'wanted',
  'phase',
  'version',
  'progress',
  'waits_for',
  'error',
] as const;
const askedSchema = z.strictObject({ asked_at: datetime });
const pauseBody = z.strictObject({ is_paused: flagValue.describe('Whether it shall begin no update: 1 or 0.') });

export function gatewayUpdateEndpoints(deps: {
  store: CloudStore;
  clock: Clock;
  configChanged: ConfigChanged;
}): Endpoint[] {
  const { store, clock, configChanged } = deps;
  const find = ({ caller, ids }: { caller: Parameters<typeof visibleRow>[2]['caller']; ids: { id: number } }) =>
    visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id });
  const shown = async (gateway: Gateway, wishes: GatewayUpdateWishes) =>
    representGatewayUpdate({
      gateway,
      wishes,
      update_hours: gateway.lot_id === null ? null : await findUpdateHours(store.reader, gateway.lot_id),
      report: (await findGatewayHealth(store.reader, gateway.id))?.health.update,
      releases: await findReleases(store.reader),
    });

  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/gateways/{id}/update',
      summary: 'Which software a gateway has and shall have, and how far its update is',
      isRecord: true,
      moving: MOVING,
      tag: TAG,
      roles: ALL_ROLES,
      answer: gatewayUpdateSchema,
      find,
      handle: async ({ found }) => shown(found, await findUpdateWishes(store.reader, found.id)),
    }),
    protectedEndpoint({
      method: 'patch',
      path: '/v2/gateways/{id}/update',
      summary: 'Pause the updates of a gateway, or let them go on',
      tag: TAG,
      roles: MANAGERS,
      body: pauseBody,
      auditValues: ['is_paused'],
      answer: gatewayUpdateSchema,
      find,
      async handle({ found, body, change }) {
        return shown(found, await said(found, { is_paused: body.is_paused === 1 ? 1 : 0 }, change));
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/gateways/{id}/update/now',
      summary: 'Update a gateway without waiting for the hours of its lot, and try again what failed',
      tag: TAG,
      roles: MANAGERS,
      answer: askedSchema,
      find,
      async handle({ found, change }) {
        const now = clock.now();
        await said(found, { asked_at: now, is_paused: 0 }, change);
        return { asked_at: iso(now) };
      },
    }),
  ];

  function said(gateway: Gateway, wish: Partial<GatewayUpdateWishes>, change: CloudStore['change']) {
    return change(async (tx) => {
      const wishes = await saveUpdateWishes(tx, gateway.id, wish);
      tx.onCommit(() => configChanged({ lot_id: gateway.lot_id }, ['gateway']));
      return wishes;
    });
  }
}
