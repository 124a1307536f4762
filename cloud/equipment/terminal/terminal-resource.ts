/** Terminals: pay stations and entry columns of a zone. Over REST a terminal is created by its registration (`terminal-routes.ts`). */
import { defineResource, integerField, listTable, representationOf } from '../../rest/entry.js';
import { TERMINAL_FIELDS } from './terminal-fields.js';
import { terminalsByIds, terminalsWithZones } from './terminal-queries.js';

const list = listTable({
  from: terminalsWithZones,
  id: 'terminals.id',
  scope: { account_id: 'terminals.account_id', lot_id: 'zones.lot_id', lotless: true },
  fields: TERMINAL_FIELDS,
  filters: { lot_id: integerField('zones.lot_id') },
  rows: terminalsByIds,
});

export const TERMINAL_ANSWER = representationOf('Terminal', TERMINAL_FIELDS);

export const TERMINAL = defineResource({
  table: 'terminals',
  one: 'terminal',
  many: 'terminals',
  fields: TERMINAL_FIELDS,
  initially: () => ({ status: 'offline' }),
  unique: [{ field: 'device_id', within: 'account', column: 'device_id' }],
  rest: {
    path: '/v2/terminals',
    isMadeElsewhere: true,
    tag: 'Terminals',
    list,
    item: TERMINAL_ANSWER.schema,
    items: (rows) => rows.map((row) => TERMINAL_ANSWER.of(row)),
    // Gateways do not know terminals.
    gatewaysOf: () => [],
  },
  file: { at: ['lots', 'zones', 'terminals'] },
});
