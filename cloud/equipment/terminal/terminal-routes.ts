/** POST /v2/terminals */
import { z } from '@hono/zod-openapi';
import { ApiError, DEVICE_TIMED_OUT, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { insertRow } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import {
  type Endpoint,
  macValue,
  MANAGERS,
  protectedEndpoint,
  refusingConflicts,
  type ResourceDeps,
} from '../../rest/entry.js';
import type { TerminalLink } from './terminal-link.js';
import { TERMINAL_FIELDS, terminalKeyValue } from './terminal-fields.js';
import { isTerminalKnown, isTerminalOfAnother, terminalsByIds } from './terminal-queries.js';
import type { TerminalRegistrations } from './terminal-registrations.js';
import { TERMINAL, TERMINAL_ANSWER } from './terminal-resource.js';

const registrationBody = z.strictObject({
  device_id: TERMINAL_FIELDS.device_id.value,
  mac: macValue,
  /** Raw Ed25519 key. */
  public_key: terminalKeyValue,
  type: TERMINAL_FIELDS.type.value,
  is_master: TERMINAL_FIELDS.is_master.value,
});

export interface TerminalDeps extends ResourceDeps {
  terminals: Pick<TerminalRegistrations, 'confirm'>;
  /** Asks by public key. */
  isTerminalConnected: TerminalLink['isConnected'];
}

export function terminalRegistrationEndpoint(deps: TerminalDeps): Endpoint {
  const { store, clock, terminals, isTerminalConnected } = deps;
  return protectedEndpoint({
    method: 'post',
    path: '/v2/terminals',
    summary: 'Register a terminal',
    tag: 'Terminals',
    roles: MANAGERS,
    body: registrationBody,
    auditValues: ['device_id', 'type'],
    answer: TERMINAL_ANSWER.schema,
    errors: [DEVICE_TIMED_OUT],
    async handle({ caller: { account_id }, body: { public_key, ...identity }, change }) {
      const { device_id, is_master, ...columns } = identity;
      if (await isTerminalKnown(store.reader, { account_id, device_id })) {
        throw new ApiError(VALIDATION, { field: 'device_id', message: 'Another one has this already' });
      }
      const statement = await terminals.confirm(public_key, identity);
      if (statement === null) throw new ApiError(DEVICE_TIMED_OUT);
      const now = clock.now();
      const row = await refusingConflicts(TERMINAL, () =>
        change(async (tx) => {
          // It answers as if the terminal had not, so that nobody is told of another account's.
          if (await isTerminalOfAnother(tx, { account_id, public_key })) throw new ApiError(DEVICE_TIMED_OUT);
          const id = await insertRow(tx, 'terminals', {
            ...columns,
            ...statement,
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
          noteAudit(tx, { made: id });
          return (await terminalsByIds(tx, [id]))[0];
        }),
      );
      if (row === undefined) throw new ApiError(NOT_FOUND);
      return TERMINAL_ANSWER.of(row);
    },
  });
}
