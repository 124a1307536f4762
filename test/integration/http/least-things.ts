/** One of everything: the least that each kind of thing is made of over REST. */

/** The path of a list: `/v2/zones`. */
export type Kind = string;

export interface LeastThing {
  /** @param number differs where values must be unique */
  values(number: number): Record<string, unknown>;
  /** The fields that name another thing, and of which kind it is. */
  names?: Readonly<Record<string, Kind>>;
}

const START = '2026-01-01T00:00:00.000Z';
const IN_LOT = { lot_id: '/v2/lots' };
const IN_ZONE = { zone_id: '/v2/zones' };
const OF_PRODUCT = { product_id: '/v2/products' };

/** What is named stands before what names it. */
export const LEAST_THINGS: ReadonlyMap<Kind, LeastThing> = new Map<Kind, LeastThing>([
  ['/v2/lots', { values: () => ({ name: 'Lot' }) }],
  ['/v2/tariffs', { values: () => ({ name: 'Tariff', currency: 'EUR', price: 1 }) }],
  ['/v2/zones', { values: () => ({ name: 'Zone' }), names: IN_LOT }],
  ['/v2/gateways', { values: () => ({ name: 'Pi' }), names: IN_LOT }],
  ['/v2/parking-gateways', { values: () => ({ name: 'Sensors', driver: 'http' }), names: IN_LOT }],
  ['/v2/parking-places', { values: () => ({ name: 'Place' }), names: IN_ZONE }],
  [
    '/v2/products',
    {
      values: (number) => ({
        device_id: (0xa4_c1_38_00_00_00 + number).toString(16),
        name: 'Barrier',
        product_type_id: 1,
        master_key: 'ab'.repeat(32),
      }),
      names: IN_ZONE,
    },
  ],
  [
    '/v2/lpr-cameras',
    { values: (number) => ({ device_id: `cam-${number}`, name: 'In', driver: 'hikvision' }), names: IN_ZONE },
  ],
  ['/v2/members', { values: () => ({ name: 'Mia' }) }],
  ['/v2/groups', { values: () => ({ name: 'Crew' }) }],
  ['/v2/products/{id}/bound-licenses', { values: () => ({ license_plate: 'ZG1234AB' }) }],
  ['/v2/sessions', { values: (number) => ({ entry_license_plate: `ZG ${number}` }), names: IN_ZONE }],
  ['/v2/api-tokens', { values: () => ({ name: 'reports' }) }],
  [
    '/v2/account-users',
    {
      values: (number) => ({
        email: `user${number}@things.example`,
        name: 'New',
        password: 'a pass phrase',
        role_id: 3,
      }),
    },
  ],
  [
    '/v2/license-plate-alerts',
    {
      values: () => ({
        name: 'Wanted',
        plates: ['ZG1'],
        receivers: [{ name: 'Duty', receiver_email: 'duty@things.example' }],
      }),
    },
  ],
  ['/v2/rgb-displays', { values: () => ({ name: 'Sign' }), names: IN_LOT }],
  [
    '/v2/rgb-display-rules',
    {
      values: () => ({ name: 'Full', operator: 'gt', occupied_value: 5, display_text: '{free}' }),
      names: { rgb_display_id: '/v2/rgb-displays' },
    },
  ],
  ['/v2/webhooks', { values: () => ({ url: 'https://hooks.things.example/in', events: ['session_create'] }) }],
  ['/v2/weblinks', { values: () => ({ start_time: START }), names: OF_PRODUCT }],
  [
    '/v2/key-logs',
    {
      values: () => ({
        name: 'Guest',
        receiver_identifier: 'guest@things.example',
        receiver_identifier_type: 'email',
        start_time: START,
      }),
      names: OF_PRODUCT,
    },
  ],
  ['/v2/member-imports', { values: () => ({ lines: [{ line: 2, name: 'Imported' }] }) }],
]);

/**
 * The body that makes the least of a kind.
 * @param idOf makes what it names, or knows it
 */
export async function leastBody(
  kind: Kind,
  number: number,
  idOf: (kind: Kind) => Promise<number | string> | number | string,
): Promise<Record<string, unknown>> {
  const least = LEAST_THINGS.get(kind);
  if (least === undefined) throw new Error(`least-things.ts has no ${kind}`);
  const body = least.values(number);
  for (const [field, named] of Object.entries(least.names ?? {})) body[field] = await idOf(named);
  return body;
}
