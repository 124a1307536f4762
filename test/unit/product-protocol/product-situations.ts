/** Every command of a product, and every state of movement in which one can come to it. */
import type { ProductType } from '../../../shared/ids.js';
import { encodeAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import type { CommandName, ProtocolCommand } from '../../../shared/product-protocol/commands.js';
import { NO_EXPIRY_S } from '../../../shared/product-protocol/token-codec.js';
import type { ProductMemory, ProductSensors } from '../../../scripts/sim/products/firmware/product-state.js';
import { beginOnLink, createWorld, give, pass, resultOf, type RunningExchange, type World } from './exchange-world.js';
import { crypto, IDENTITY, KEYS, NOW_S } from './protocol-fixture.js';

export const AUTO = { on: true, seconds: 10 };

const DENIAL = encodeAdminRecord(crypto, {
  adminKey: KEYS.admin,
  identity: IDENTITY,
  record: { serial: 1, action: { kind: 'deny', id: 4_711, expiresS: NO_EXPIRY_S } },
});

export const COMMANDS = {
  open: { name: 'open' },
  stay_open: { name: 'stay_open' },
  close: { name: 'close' },
  force_close: { name: 'force_close' },
  stay_close: { name: 'stay_close' },
  clear_stay_open: { name: 'clear_stay_open' },
  clear_stay_close: { name: 'clear_stay_close' },
  autoclose: { name: 'autoclose', on: false, seconds: 30 },
  status: { name: 'status' },
  set_time: { name: 'set_time', timeS: NOW_S + 60 },
  admin: { name: 'admin', record: DENIAL },
} as const satisfies Record<CommandName, ProtocolCommand>;

/** A product, and the command that moves it; null: none does. */
export interface Situation {
  world: World;
  first: RunningExchange | null;
}

function atRest(type: ProductType, memory: Partial<ProductMemory>, sensors: Partial<ProductSensors> = {}): Situation {
  return { world: createWorld({ memory: { type, ...memory }, sensors }), first: null };
}

/** How a product comes into each state of rest. */
export const RESTS = {
  closed: (type: ProductType) => atRest(type, { position: 'closed' }),
  opened: (type: ProductType) => atRest(type, { position: 'opened' }),
  'opened, a car under it': (type: ProductType) => atRest(type, { position: 'opened' }, { carOnTop: true }),
  'opened, its sensor dirty': (type: ProductType) => atRest(type, { position: 'opened' }, { dirty: true }),
  'jammed half-way': (type: ProductType) => atRest(type, { position: 'error' }, { jammed: true }),
  'half-way after a power cut': (type: ProductType) => atRest(type, { position: 'unknown' }),
  'held open': (type: ProductType) => atRest(type, { position: 'opened', permanentPosition: 'stay_open' }),
  'held closed': (type: ProductType) => atRest(type, { position: 'closed', permanentPosition: 'stay_close' }),
};

/** How a product comes into each state of movement. */
export const MOVEMENTS = {
  opening(type: ProductType): Situation {
    const world = createWorld({ memory: { type } });
    return { world, first: begin(world, { name: 'open' }, '0000000a') };
  },
  closing(type: ProductType): Situation {
    const world = createWorld({ memory: { type, position: 'opened' } });
    return { world, first: begin(world, { name: 'close' }, '0000000a') };
  },
  'going back from a car': (type: ProductType): Situation => {
    const { world, first } = MOVEMENTS.closing(type);
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: false } });
    return { world, first };
  },
  'closing by itself': (type: ProductType): Situation => {
    const world = createWorld({ memory: { type, position: 'opened', autoClose: AUTO } });
    pass(world, 0);
    pass(world, 10_000);
    return { world, first: null };
  },
};

/** Begins a command on the one link that the product serves. Other exchanges on it hear the product's answers, too. */
export function begin(
  world: World,
  command: ProtocolCommand,
  eventId: string,
  others: (RunningExchange | null)[] = [],
) {
  if (world.product.link === null) give(world, { type: 'linkOpened' });
  return beginOnLink(world, { command, eventId }, (sent) => {
    for (const other of others) other?.hear(sent);
  });
}

/** The movement ends where it goes, and those on the link hear of it. */
export function arrive(world: World, exchanges: (RunningExchange | null)[]): void {
  const sent = give(world, { type: 'movementDone' });
  for (const exchange of exchanges) exchange?.hear(sent);
}

/** What an exchange has been answered; `waits`: nothing yet. */
export function outcomeText(exchange: RunningExchange | null): string {
  if (exchange === null) return 'none';
  const result = exchange.result();
  return result === null ? 'waits' : resultOf(result);
}
