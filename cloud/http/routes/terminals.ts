import { z } from '@hono/zod-openapi';
import { isCurrency } from '../../../shared/money.js';
import { TERMINAL_TYPES } from '../../site/kinds/terminals.js';
import { ZONE_LIST } from '../../store/lists/lot-lists.js';
import { TERMINAL_LIST } from '../../store/lists/record-lists.js';
import { updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { idField, nameField, shortTextField } from '../fields.js';
import { terminalRecord, terminalSchema } from '../record-resources.js';
import { existingEndpoints, type ResourceDeps } from '../resource-endpoints.js';

const fields = {
  name: nameField,
  /** null: in no zone yet. */
  zone_id: idField.nullable(),
  type: z.enum(TERMINAL_TYPES),
  is_master: z.boolean(),
  pos_serial_number: shortTextField.nullable(),
  electronic_device_id: shortTextField.nullable(),
  system_currency: z.string().refine(isCurrency, 'Must be a currency such as EUR').nullable(),
};

/** /v2/terminals. What a terminal tells of itself (its device_id, mac, version, status) is not changed here. */
export function terminalEndpoints(deps: ResourceDeps): Endpoint[] {
  return existingEndpoints(deps, {
    path: '/v2/terminals',
    one: 'a terminal',
    many: 'terminals',
    tag: 'Terminals',
    table: TERMINAL_LIST,
    item: terminalSchema,
    items: (rows) => rows.map(terminalRecord),
    changeBody: z.strictObject(fields).partial(),
    references: { zone_id: ZONE_LIST },
    async update(tx, { row: { id }, body: { is_master, ...columns }, now }) {
      const flag = is_master === undefined ? undefined : Number(is_master);
      await updateRow(tx, 'terminals', { id, set: { ...columns, is_master: flag, updated_at: now } });
    },
    managed: 'terminals',
    // Gateways know no terminals.
    lots: () => [],
  });
}
