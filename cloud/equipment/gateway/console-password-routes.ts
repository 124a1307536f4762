/**
 * GET and POST /v2/gateways/{id}/console-password: shows the password of the device, by which people sign in at its local console, or makes a new
 * one. It opens barriers, so the audit log has an entry of each time.
 */
import { z } from '@hono/zod-openapi';
import { updateRow } from '../../kernel/store/entry.js';
import {
  datetime,
  type Endpoint,
  isoOrNull,
  MANAGERS,
  protectedEndpoint,
  type ResourceDeps,
  visibleRow,
} from '../../rest/entry.js';
import { consolePasswordColumns, newConsolePassword } from './console-password.js';
import { GATEWAY_LIST } from './gateway-resource.js';

const PATH = '/v2/gateways/{id}/console-password';

const consolePasswordSchema = z
  .strictObject({
    password: z
      .string()
      .nullable()
      .describe('The password of the device; null: it has none yet, or the answer is repeated.'),
    set_at: datetime.nullable().describe('When the password was made.'),
  })
  .openapi('ConsolePassword');

export function consolePasswordEndpoints({ store, clock, secrets, configChanged }: ResourceDeps): Endpoint[] {
  const common = { path: PATH, tag: 'Gateways', roles: MANAGERS, answer: consolePasswordSchema } as const;
  return [
    protectedEndpoint({
      ...common,
      method: 'get',
      summary: 'Show the password of the device, for its local console',
      auditAs: 'gateway.console_password.show',
      isAuditedEachTime: true,
      find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
      async handle({ found: { console_password_sealed: sealed, console_password_set_at } }) {
        const password = sealed === null ? null : secrets.open('console_password', sealed).toString();
        return { password, set_at: isoOrNull(console_password_set_at) };
      },
    }),
    protectedEndpoint({
      ...common,
      method: 'post',
      summary: 'Make a new password of the device, which ends the sessions at its local console',
      shownOnce: ['password'],
      find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
      async handle({ found: { id, lot_id }, change }) {
        const now = clock.now();
        const made = await newConsolePassword();
        await change(async (tx) => {
          await updateRow(tx, 'gateways', { id, set: consolePasswordColumns(made, { secrets, now }) });
          tx.onCommit(() => configChanged({ lot_id }, ['gateway']));
        });
        return { password: made.password, set_at: isoOrNull(now) };
      },
    }),
  ];
}
