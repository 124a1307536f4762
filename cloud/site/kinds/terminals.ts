/** Terminals: pay stations and entry columns of a zone. */
import { z } from 'zod';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import type { SiteAccount, SiteLot, SitePath, SiteZone } from '../site-schema.js';
import { declare, type DeclaredThing, thingNames } from '../site-things.js';
import { flag, mac, mapping, name } from '../site-values.js';

const KEY_BYTES = 32;
export const TERMINAL_TYPES = ['entry', 'exit', 'pof', 'lp_pof', 'lp_exit'] as const;

export function isTerminalKey(text: string): boolean {
  return decodeBase64url(text)?.length === KEY_BYTES;
}

export const terminalSchema = mapping({
  device_id: cameraDeviceIdSchema,
  name,
  type: z.enum(TERMINAL_TYPES),
  is_master: flag.default(0),
  mac: z.union([z.literal(''), mac], 'must be an address such as "02:00:00:00:00:01"').default(''),
  public_key: z.string().refine(isTerminalKey, `must be ${KEY_BYTES} bytes as base64url`).nullable().default(null),
});

export function declareTerminals(place: {
  account: SiteAccount;
  lot: SiteLot;
  zone: SiteZone;
  path: SitePath;
}): DeclaredThing[] {
  const { account, lot, zone, path } = place;
  return zone.terminals.map((terminal, index) =>
    declare({
      table: 'terminals',
      ...thingNames.terminals(terminal.device_id),
      path: [...path, 'terminals', index],
      values: terminal,
      initially: { status: 'offline' },
      references: {
        account_id: thingNames.accounts(account.name).key,
        zone_id: thingNames.zones(account.name, lot.name, zone.name).key,
      },
    }),
  );
}
