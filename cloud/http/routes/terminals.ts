import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';
import { isCurrency } from '../../../shared/money.js';
import { isTerminalKey, TERMINAL_TYPES } from '../../site/kinds/terminals.js';
import { mac } from '../../site/site-values.js';
import { noteAudit } from '../../store/audit-scope.js';
import { ZONE_LIST } from '../../store/lists/lot-lists.js';
import { TERMINAL_LIST } from '../../store/lists/record-lists.js';
import { terminalsByIds } from '../../store/queries/records.js';
import { insertRow, updateRow } from '../../store/queries/rows.js';
import { isTerminalKnown } from '../../store/queries/terminals.js';
import type { TerminalLink } from '../../terminal/terminal-link.js';
import type { TerminalRegistrations } from '../../terminal/terminal-registrations.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { idField, nameField, shortTextField } from '../fields.js';
import { terminalRecord, terminalSchema } from '../record-resources.js';
import { changing, existingEndpoints, MANAGERS, type ResourceDeps } from '../resource-endpoints.js';

const PATH = '/v2/terminals';
const TAG = 'Terminals';

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

export interface TerminalDeps extends ResourceDeps {
  terminals: Pick<TerminalRegistrations, 'confirm'>;
  /** By its public key. */
  isTerminalConnected: TerminalLink['isConnected'];
}

/** /v2/terminals. What a terminal tells of itself (its device_id, mac, version, status) is not changed by PATCH. */
export function terminalEndpoints(deps: TerminalDeps): Endpoint[] {
  return [registerEndpoint(deps), ...existingTerminals(deps)];
}

function registerEndpoint({ store, clock, terminals, isTerminalConnected }: TerminalDeps): Endpoint {
  return protectedEndpoint({
    method: 'post',
    path: PATH,
    summary: 'Register a terminal: it is asked over MQTT, and has to confirm with its signature',
    tag: TAG,
    roles: MANAGERS,
    body: z.strictObject({
      device_id: cameraDeviceIdSchema,
      mac,
      /** Raw Ed25519 key. */
      public_key: z.string().refine(isTerminalKey, 'Must be 32 bytes as base64url'),
      type: fields.type,
      is_master: fields.is_master,
    }),
    auditValues: ['device_id', 'type'],
    answer: terminalSchema,
    errors: [40],
    async handle({ caller: { account_id }, body: { public_key, ...identity } }) {
      const { device_id, is_master, ...columns } = identity;
      if (await isTerminalKnown(store.reader, device_id)) {
        throw new ApiError(23, { field: 'device_id', message: 'Another one has this already' });
      }
      const told = await terminals.confirm(public_key, identity);
      if (told === null) throw new ApiError(40);
      const now = clock.now();
      const row = await changing({ uniqueField: 'device_id' }, () =>
        store.change(async (tx) => {
          const id = await insertRow(tx, 'terminals', {
            ...columns,
            ...told,
            account_id,
            zone_id: null,
            device_id,
            name: device_id,
            public_key,
            is_master: Number(is_master),
            status: isTerminalConnected(public_key) ? 'online' : 'offline',
            last_seen: now,
            created_at: now,
            updated_at: now,
          });
          noteAudit({ made: id });
          return (await terminalsByIds(tx, [id]))[0];
        }),
      );
      if (row === undefined) throw new ApiError(6);
      return terminalRecord(row);
    },
  });
}

function existingTerminals(deps: ResourceDeps): Endpoint[] {
  return existingEndpoints(deps, {
    path: PATH,
    one: 'a terminal',
    many: 'terminals',
    tag: TAG,
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
