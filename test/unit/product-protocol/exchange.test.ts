import { describe, expect, it } from 'vitest';
import { PRODUCT_TYPES } from '../../../shared/ids.js';
import { encodeAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { isCommandAllowed, MOVEMENTS, type ProtocolCommand } from '../../../shared/product-protocol/commands.js';
import { blockOf, createWorld, resultOf, run } from './exchange-world.js';
import { crypto, IDENTITY, KEYS, NOW_S } from './protocol-fixture.js';

const ADMIN_RECORD = encodeAdminRecord(crypto, {
  adminKey: KEYS.admin,
  identity: IDENTITY,
  record: { serial: 1, action: { kind: 'deny', id: 4711, expiresS: NOW_S + 60 } },
});

/** Every command, and what it leaves behind on a product that was closed, or opened for closing ones. */
const COMMANDS: { command: ProtocolCommand; state: string; permanentPosition: string }[] = [
  { command: { name: 'open' }, state: 'opened', permanentPosition: 'disabled' },
  { command: { name: 'close' }, state: 'closed', permanentPosition: 'disabled' },
  { command: { name: 'status' }, state: 'closed', permanentPosition: 'disabled' },
  { command: { name: 'force_close' }, state: 'closed', permanentPosition: 'disabled' },
  { command: { name: 'stay_open' }, state: 'opened', permanentPosition: 'stay_open' },
  { command: { name: 'stay_close' }, state: 'closed', permanentPosition: 'stay_close' },
  { command: { name: 'clear_stay_open' }, state: 'closed', permanentPosition: 'disabled' },
  { command: { name: 'clear_stay_close' }, state: 'closed', permanentPosition: 'disabled' },
  { command: { name: 'set_time', timeS: NOW_S + 5 }, state: 'closed', permanentPosition: 'disabled' },
  { command: { name: 'autoclose', on: true, seconds: 30 }, state: 'closed', permanentPosition: 'disabled' },
  { command: { name: 'admin', record: ADMIN_RECORD }, state: 'closed', permanentPosition: 'disabled' },
];

function movementOf({ name }: ProtocolCommand) {
  return name in MOVEMENTS ? MOVEMENTS[name as keyof typeof MOVEMENTS] : null;
}

for (const mtu of [23, 247]) {
  for (const type of PRODUCT_TYPES) {
    describe(`${type} at MTU ${mtu}`, () => {
      it.each(COMMANDS)('$command.name', ({ command, state, permanentPosition }) => {
        const movement = movementOf(command);
        const position = movement?.target === 'closed' ? 'opened' : 'closed';
        const world = createWorld({ mtu, memory: { type, position } });

        const result = run(world, { command });

        if (command.name === 'autoclose' && type !== 'barrier') {
          expect(resultOf(result)).toBe('error 1');
          return;
        }
        expect(resultOf(result)).toBe('ok');
        expect(blockOf(result)).toMatchObject({ state, permanentPosition, battery: 87, carOnTop: false });
        expect(world.motor).toEqual(movement === null ? [] : [movement.target]);
        expect(result.progress.map((block) => [block.result.kind, block.state])).toEqual(
          movement === null ? [] : [['in_progress', 'moving']],
        );
      });
    });
  }
}

describe('who may send what', () => {
  const slots = { cloud: 0, gateway: 7, guest: 16, installer: 17, unknown: 18 };
  it('guests open, close and ask; the installer also sets the time', () => {
    const allowed = Object.fromEntries(
      Object.entries(slots).map(([who, slot]) => [
        who,
        COMMANDS.filter(({ command: { name } }) =>
          (['open', 'close', 'status'] as const).some((op) => isCommandAllowed(name, { op, slot })),
        ).map(({ command }) => command.name),
      ]),
    );
    const all = COMMANDS.map(({ command }) => command.name);
    expect(allowed).toEqual({
      cloud: all,
      gateway: all,
      guest: ['open', 'close', 'status'],
      installer: ['open', 'close', 'status', 'set_time'],
      unknown: [],
    });
  });
});
