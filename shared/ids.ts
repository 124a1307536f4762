/** Identifiers that agent, cloud and products exchange, and how they are written. */
import { z } from 'zod';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A gateway's uuid; also its MQTT user name and client id. Lower case. */
export const gatewayUuidSchema = z.string().regex(UUID_PATTERN, 'must be a lower-case uuid').brand<'GatewayUuid'>();
export type GatewayUuid = z.infer<typeof gatewayUuidSchema>;

/** The uid of a record, a session or an image. The gateway generates it once and sends it again unchanged. */
export const uidSchema = z.string().regex(UUID_PATTERN, 'must be a lower-case uuid').brand<'Uid'>();
export type Uid = z.infer<typeof uidSchema>;

/** A product's device_id: its six address bytes as twelve lower-case hex digits. */
export const productDeviceIdSchema = z
  .string()
  .regex(/^[0-9a-f]{12}$/, 'must be 12 lower-case hex digits')
  .brand<'ProductDeviceId'>();
export type ProductDeviceId = z.infer<typeof productDeviceIdSchema>;

/** A camera's device_id: the part of its push address that identifies it. */
export const cameraDeviceIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores');

/** The event_id of a command: 8 hex characters. */
export const eventIdSchema = z
  .string()
  .regex(/^[0-9a-f]{8}$/, 'must be 8 lower-case hex digits')
  .brand<'EventId'>();
export type EventId = z.infer<typeof eventIdSchema>;

/** Type -> product_type_id (REST contract, "Allowed values"). */
export const PRODUCT_TYPE_IDS = { barrier: 1, gate: 2, chain: 3, bollard: 4, brain: 5 } as const;
export type ProductType = keyof typeof PRODUCT_TYPE_IDS;
export const PRODUCT_TYPES = Object.keys(PRODUCT_TYPE_IDS) as [ProductType, ...ProductType[]];

/** The product type of a product_type_id; undefined for any other number. */
export function productTypeOf(id: number): ProductType | undefined {
  return PRODUCT_TYPES.find((type) => PRODUCT_TYPE_IDS[type] === id);
}
