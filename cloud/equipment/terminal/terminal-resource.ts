/**
 * Terminals: pay stations and entry columns of a zone. Over REST a terminal is created by its registration (`terminal-routes.ts`). PATCH does
 * not change what the terminal itself reports: device_id, mac, version, status.
 */
import { z } from 'zod';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';
import { isCurrency } from '../../../shared/currencies.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import {
  choiceField,
  defineResource,
  flagValue,
  integerField,
  listTable,
  macValue,
  nameValue,
  nameValueOf,
  referenceTo,
  required,
  textField,
  withDefault,
} from '../../rest/entry.js';
import { TERMINAL_TYPES, representTerminal, terminalSchema } from './terminal-payload.js';
import { terminalsByIds, terminalsWithZones } from './terminal-queries.js';

const KEY_BYTES = 32;

/** A raw Ed25519 key. */
export const terminalKeyValue = z
  .string()
  .refine((text) => decodeBase64url(text)?.length === KEY_BYTES, `must be ${KEY_BYTES} bytes as base64url`);

const list = listTable({
  from: terminalsWithZones,
  id: 'terminals.id',
  scope: { account_id: 'terminals.account_id', lot_id: 'zones.lot_id', lotless: true },
  filters: {
    lot_id: integerField('zones.lot_id'),
    zone_id: integerField('terminals.zone_id'),
    status: choiceField('terminals.status', PRESENCE_STATES),
    device_id: textField('terminals.device_id'),
    name: textField('terminals.name'),
  },
  sorts: { name: 'terminals.name' },
  rows: terminalsByIds,
});

export const TERMINAL = defineResource({
  table: 'terminals',
  one: 'terminal',
  many: 'terminals',
  fields: {
    name: required(nameValue),
    type: required(z.enum(TERMINAL_TYPES)),
  },
  restFields: {
    /** null: in no zone yet. */
    zone: referenceTo('zones', { id: 'zone_id', isNullable: true }),
    is_master: required(z.boolean(), { columns: { is_master: { from: Number } } }),
    pos_serial_number: required(nameValueOf(200).nullable()),
    electronic_device_id: required(nameValueOf(200).nullable()),
    system_currency: required(z.string().refine(isCurrency, 'must be a currency such as EUR').nullable()),
  },
  fileFields: {
    device_id: required(cameraDeviceIdSchema),
    is_master: withDefault(flagValue, 0),
    mac: withDefault(z.union([z.literal(''), macValue], 'must be an address such as "02:00:00:00:00:01"'), ''),
    public_key: withDefault(terminalKeyValue.nullable(), null),
  },
  initially: () => ({ status: 'offline' }),
  unique: [{ field: 'device_id', within: 'account', column: 'device_id' }],
  rest: {
    path: '/v2/terminals',
    isMadeElsewhere: true,
    tag: 'Terminals',
    list,
    item: terminalSchema,
    items: (rows) => rows.map(representTerminal),
    // Gateways do not know terminals.
    gatewaysOf: () => [],
  },
  file: { at: ['lots', 'zones', 'terminals'] },
});
