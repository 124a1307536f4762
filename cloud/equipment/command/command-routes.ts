import { z } from '@hono/zod-openapi';
import { PERMANENT_POSITIONS } from '../../../shared/events/event-schemas.js';
import { productTypeOf } from '../../../shared/ids.js';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink-orders.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  type Endpoint,
  givenFlag,
  idValue,
  MANAGERS,
  protectedEndpoint,
  reasonValue,
  visibleTo,
} from '../../rest/entry.js';
import { findProductDetails, type ProductDetails } from '../product/product-detail-queries.js';
import { representCommand, commandSchema } from './command-payload.js';
import { findCommandDetails } from './command-queries.js';
import type { AnsweredVehicle, Commands, DuringRelease, ProductSettings } from './commands.js';

/** Confirms a command that closes while the lot is released. */
export const duringReleaseValue = z.literal(true, 'Must be true, or left out').optional();

const stateSchema = z.strictObject({
  operation: z.enum(PRODUCT_OPERATIONS),
  reason: reasonValue
    .optional()
    .describe('Why it is moved, in words for the audit log; may be left out. It changes nothing about the command.'),
  during_release: duringReleaseValue,
  plate_reading_id: idValue
    .optional()
    .describe(
      'The read vehicle for which it is moved; may be left out. When the product has opened, the reading is handled: `let_in`. One that was read more than 10 minutes ago is refused.',
    ),
  plate_sighting_id: idValue
    .optional()
    .describe(
      'The vehicle without a readable plate for which it is moved; may be left out. When the product has opened, the sighting is handled: `let_in`. One that was seen more than 10 minutes ago is refused.',
    ),
});

const barrierSettings = {
  is_autoclose: givenFlag.optional(),
  /** Seconds. */
  autoclose_time: z.number().int().min(1).max(255).optional(),
};
const positionSettings = {
  permanent_position: z.enum(PERMANENT_POSITIONS).optional(),
  during_release: duringReleaseValue,
};
const atLeastOne = (settings: object) => Object.keys(settings).some((key) => key !== 'during_release');
/** This problem is answered alone, because an unknown key was probably meant as a setting. */
const NO_SETTING = {
  error: 'must hold at least one setting',
  when: ({ issues }: { issues: unknown[] }) => issues.length === 0,
};
const settingsSchema = z.strictObject({ ...barrierSettings, ...positionSettings }).refine(atLeastOne, NO_SETTING);

type GivenSettings = ProductSettings & DuringRelease;

/** A setting of another kind of product counts as an unknown key. */
function settingsSchemaOf({ product }: ProductDetails): z.ZodType<GivenSettings> {
  const isBarrier = productTypeOf(product.product_type_id) === 'barrier';
  return z.strictObject(isBarrier ? barrierSettings : positionSettings).refine(atLeastOne, NO_SETTING);
}

const pairSchema = z.strictObject({
  /** 16 bytes, printed on the product. */
  label_secret: z
    .string()
    .regex(/^[0-9a-fA-F]{32}$/, 'Must be 32 hex digits')
    .describe('The secret on the label of the product: 32 hexadecimal digits. It is not kept.'),
});

const acceptedSchema = z.strictObject({ event_id: z.string() });
/** A command to one product. */
const COMMAND = {
  method: 'post',
  isCommand: true,
  tag: 'Commands',
  answer: acceptedSchema,
  errors: [214, 704, 30, 429],
} as const;

/** POST /v2/products/{id}/state, /settings and /pair, GET /v2/commands/{event_id} */
export function commandEndpoints({
  store,
  commands,
  requireLiveVehicle,
}: {
  store: CloudStore;
  commands: Commands;
  /** Refuses, by an ApiError, to answer a vehicle that is not one of the lot, or was there too long ago. */
  requireLiveVehicle: (of: AnsweredVehicle & { lot_id: number | null }) => Promise<void>;
}): Endpoint[] {
  return [
    protectedEndpoint({
      ...COMMAND,
      path: '/v2/products/{id}/state',
      summary: 'Open, close or hold a product',
      roles: ALL_ROLES,
      body: stateSchema,
      auditValues: ['operation', 'reason', 'during_release', 'plate_reading_id', 'plate_sighting_id'],
      find: async ({ caller, ids }) => visibleTo(caller, await findProductDetails(store.reader, ids.id)),
      async handle({ caller, found, body, requestId, change }) {
        await requireLiveVehicle({ lot_id: found.lot_id, ...body });
        return { event_id: await commands.operate(change, found, { ...body, by: caller }, requestId) };
      },
    }),
    protectedEndpoint({
      ...COMMAND,
      path: '/v2/products/{id}/settings',
      summary: 'Change what a product does by itself',
      roles: MANAGERS,
      body: settingsSchema as z.ZodType<GivenSettings>,
      bodyFor: settingsSchemaOf,
      auditValues: ['is_autoclose', 'autoclose_time', 'permanent_position', 'during_release'],
      find: async ({ caller, ids }) => visibleTo(caller, await findProductDetails(store.reader, ids.id)),
      handle: async ({ caller, found, body, requestId, change }) => ({
        event_id: await commands.changeSettings(change, found, { ...body, by: caller }, requestId),
      }),
    }),
    protectedEndpoint({
      ...COMMAND,
      path: '/v2/products/{id}/pair',
      summary: 'Give a product a new master key over the air',
      roles: MANAGERS,
      body: pairSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findProductDetails(store.reader, ids.id)),
      handle: async ({ found: { product }, body, requestId, change }) => ({
        event_id: await commands.pair(change, product, Buffer.from(body.label_secret, 'hex'), requestId),
      }),
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/commands/{event_id}',
      summary: 'What became of a command',
      tag: 'Commands',
      roles: ALL_ROLES,
      answer: commandSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findCommandDetails(store.reader, ids.event_id)),
      handle: async ({ found }) => representCommand(found),
    }),
  ];
}
