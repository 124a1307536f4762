/** What a product does with a command while it moves: operation x kind x state of movement x outcome. */
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { PRODUCT_TYPES, type ProductType } from '../../../shared/ids.js';
import type { CommandName, ProtocolCommand } from '../../../shared/product-protocol/commands.js';
import { runs } from '../../depth.js';
import {
  beginOnLink,
  blockOf,
  createWorld,
  give,
  pass,
  resultOf,
  type RunningExchange,
  run,
  type World,
} from './exchange-world.js';

const AUTO = { on: true, seconds: 10 };

const COMMANDS = {
  open: { name: 'open' },
  stay_open: { name: 'stay_open' },
  close: { name: 'close' },
  force_close: { name: 'force_close' },
  stay_close: { name: 'stay_close' },
  clear_stay_open: { name: 'clear_stay_open' },
  clear_stay_close: { name: 'clear_stay_close' },
  autoclose: { name: 'autoclose', on: false, seconds: 30 },
  status: { name: 'status' },
} as const satisfies Partial<Record<CommandName, ProtocolCommand>>;
type Tried = keyof typeof COMMANDS;

/** How a product comes into each state of movement. */
const MOVEMENTS = {
  opening: (type: ProductType) => {
    const world = createWorld({ memory: { type } });
    return { world, first: begin(world, { name: 'open' }, '0000000a') };
  },
  closing: (type: ProductType) => {
    const world = createWorld({ memory: { type, position: 'opened' } });
    return { world, first: begin(world, { name: 'close' }, '0000000a') };
  },
  'going back from a car': (type: ProductType) => {
    const { world, first } = MOVEMENTS.closing(type);
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: false } });
    return { world, first };
  },
  'closing by itself': (type: ProductType) => {
    const world = createWorld({ memory: { type, position: 'opened', autoClose: AUTO } });
    pass(world, 0);
    pass(world, 10_000);
    return { world, first: null };
  },
};
type MovementState = keyof typeof MOVEMENTS;

/** Begins a command on the one link that the product serves. Other exchanges on it hear the product's answers, too. */
function begin(world: World, command: ProtocolCommand, eventId: string, others: (RunningExchange | null)[] = []) {
  if (world.product.link === null) give(world, { type: 'linkOpened' });
  return beginOnLink(world, { command, eventId }, (sent) => {
    for (const other of others) other?.hear(sent);
  });
}

function arrive(world: World, exchanges: (RunningExchange | null)[]): void {
  const sent = give(world, { type: 'movementDone' });
  for (const exchange of exchanges) exchange?.hear(sent);
}

const told = (exchange: RunningExchange | null): string => {
  if (exchange === null) return 'none';
  const result = exchange.result();
  return result === null ? 'waits' : resultOf(result);
};

interface Outcome {
  /** What the command has been answered before anything arrived; `waits`: it shares the movement. */
  atOnce: string;
  atEnd: string;
  /** What became of the command that moved the product before. */
  earlier: string;
  motor: string;
  position: string;
}

/** What the rules of the protocol say; it does not depend on the kind of product. */
function expected(tried: Tried, moving: MovementState, type: ProductType): Outcome {
  const isOpeningNow = moving === 'opening' || moving === 'going back from a car';
  const before = { opening: 'opened', closing: 'closed', 'going back from a car': 'closed,reverse' };
  const motorBefore = moving === 'closing by itself' ? 'closed' : before[moving];
  const undisturbed = {
    earlier: moving === 'closing by itself' ? 'none' : moving === 'going back from a car' ? 'error 6' : 'ok',
    motor: motorBefore,
    position: isOpeningNow ? 'opened' : 'closed',
  };
  if (tried === 'open' || tried === 'stay_open') {
    const joined = { atOnce: 'waits', atEnd: 'ok', ...undisturbed };
    if (isOpeningNow) return joined;
    const earlier = moving === 'closing' ? 'error 10' : 'none';
    return { ...joined, earlier, motor: `${motorBefore},reverse`, position: 'opened' };
  }
  const isClosing = tried === 'close' || tried === 'force_close' || tried === 'stay_close';
  const isNotOfThisKind = tried === 'autoclose' && type !== 'barrier';
  const answer = isClosing ? 'error 10' : isNotOfThisKind ? 'error 1' : 'ok';
  return { atOnce: answer, atEnd: answer, ...undisturbed };
}

function seen(tried: Tried, moving: MovementState, type: ProductType): Outcome {
  const { world, first } = MOVEMENTS[moving](type);
  const second = begin(world, COMMANDS[tried], '0000000b', [first]);
  const atOnce = told(second);
  arrive(world, [first, second]);
  return {
    atOnce,
    atEnd: told(second),
    earlier: told(first),
    motor: world.motor.join(),
    position: world.product.memory.position,
  };
}

describe('a command while the product moves', () => {
  const rows: string[] = [];

  it.each(Object.keys(MOVEMENTS) as MovementState[])('%s', (moving) => {
    for (const tried of Object.keys(COMMANDS) as Tried[]) {
      const outcomes = PRODUCT_TYPES.map((type) => ({ type, outcome: seen(tried, moving, type) }));
      for (const { type, outcome } of outcomes)
        expect({ type, outcome }).toEqual({ type, outcome: expected(tried, moving, type) });
      for (const { outcome } of outcomes.slice(0, 2)) {
        const kind = outcome === outcomes[0]?.outcome ? 'barrier' : 'others';
        rows.push(
          [
            tried.padEnd(16),
            kind.padEnd(8),
            moving.padEnd(22),
            outcome.atEnd.padEnd(9),
            outcome.earlier.padEnd(9),
            outcome.motor,
          ].join('  '),
        );
      }
    }
  });

  afterAll(() => {
    const head = 'operation         kind      state of movement       outcome    earlier    motor';
    process.stdout.write(`\nCommands while a product moves\n${[head, ...rows].map((row) => `  ${row}\n`).join('')}`);
  });
});

describe('an opening while it closes', () => {
  it.each(['open', 'stay_open'] as const)(
    '%s: the closing command ends at once, and its repeat is answered the same',
    (name) => {
      const { world, first } = MOVEMENTS.closing('barrier');
      const opening = begin(world, { name }, '0000000b', [first]);
      expect([told(first), told(opening)]).toEqual(['error 10', 'waits']);
      const again = begin(world, { name: 'close' }, '0000000a', [opening]);
      expect(told(again)).toBe('error 10');
      arrive(world, [opening]);
      expect(told(opening)).toBe('ok');
      const late = run(world, { command: { name: 'close' }, eventId: '0000000a' });
      expect([resultOf(late), blockOf(late).state]).toEqual(['error 10', 'opened']);
      expect(world.product.memory.permanentPosition).toBe(name === 'stay_open' ? 'stay_open' : 'disabled');
      expect(world.motor).toEqual(['closed', 'reverse']);
    },
  );

  it('over another link: the closing command is told when it is asked again', () => {
    const { world } = MOVEMENTS.closing('gate');
    give(world, { type: 'linkClosed' });
    const opening = begin(world, { name: 'open' }, '0000000b');
    arrive(world, [opening]);
    expect(told(opening)).toBe('ok');
    expect(resultOf(run(world, { command: { name: 'close' }, eventId: '0000000a' }))).toBe('error 10');
    expect(world.motor).toEqual(['closed', 'reverse']);
  });

  it('a stay_close that is turned back sets nothing', () => {
    const world = createWorld({ memory: { position: 'opened' } });
    const closing = begin(world, { name: 'stay_close' }, '0000000a');
    const opening = begin(world, { name: 'open' }, '0000000b', [closing]);
    arrive(world, [closing, opening]);
    expect([told(closing), told(opening)]).toEqual(['error 10', 'ok']);
    expect(world.product.memory.permanentPosition).toBe('disabled');
  });

  it('is jammed like any other, and a movement that never ends is, too', () => {
    const { world, first } = MOVEMENTS.closing('barrier');
    pass(world, 100_000);
    const opening = begin(world, { name: 'open' }, '0000000b', [first]);
    pass(world, 119_999);
    expect(told(opening)).toBe('waits');
    opening.hear(pass(world, 1));
    expect(told(opening)).toBe('error 5');
  });
});

describe('an opening while it opens', () => {
  it('is one movement, with an answer each; the last position that was asked for stays', () => {
    const { world, first } = MOVEMENTS.opening('barrier');
    const second = begin(world, { name: 'stay_open' }, '0000000b', [first]);
    const third = begin(world, { name: 'open' }, '0000000c', [first, second]);
    arrive(world, [first, second, third]);
    expect([told(first), told(second), told(third)]).toEqual(['ok', 'ok', 'ok']);
    expect([world.motor, world.product.memory.permanentPosition]).toEqual([['opened'], 'stay_open']);
    for (const [eventId, name] of [
      ['0000000b', 'stay_open'],
      ['0000000c', 'open'],
    ] as const) {
      expect(resultOf(run(world, { command: { name }, eventId }))).toBe('ok');
    }
    expect(world.motor).toEqual(['opened']);
  });

  it('has the same end as the one that it joined', () => {
    const { world, first } = MOVEMENTS.opening('barrier');
    const second = begin(world, { name: 'stay_open' }, '0000000b', [first]);
    const sent = give(world, { type: 'movementJammed' });
    for (const exchange of [first, second]) exchange?.hear(sent);
    expect([told(first), told(second)]).toEqual(['error 5', 'error 5']);
    expect(world.product.memory.permanentPosition).toBe('disabled');
  });

  it('that is to stay open does not, once that was cleared on the way', () => {
    const world = createWorld();
    const staying = begin(world, { name: 'stay_open' }, '0000000a');
    expect(told(begin(world, { name: 'clear_stay_open' }, '0000000b', [staying]))).toBe('ok');
    arrive(world, [staying]);
    expect([told(staying), world.product.memory.permanentPosition]).toEqual(['ok', 'disabled']);
  });
});

describe('whatever comes while it moves', () => {
  it('it never closes onto a car, never goes on closing under an opening, and answers each command once', () => {
    const names = Object.keys(COMMANDS) as Tried[];
    const step = fc.oneof(
      fc.record({ kind: fc.constant('command' as const), name: fc.constantFrom(...names) }),
      fc.record({ kind: fc.constant('car' as const), on: fc.boolean() }),
      fc.record({ kind: fc.constantFrom('arrived' as const, 'jammed' as const, 'linkLost' as const) }),
      fc.record({ kind: fc.constant('time' as const), ms: fc.nat(12_000) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.boolean(), (steps, isOpened) => {
        const world = createWorld({ memory: { position: isOpened ? 'opened' : 'closed', autoClose: AUTO } });
        let open: RunningExchange[] = [];
        let events = 0;
        const hear = (sent: Uint8Array[]) => open.forEach((exchange) => exchange.hear(sent));
        for (const each of steps) {
          if (each.kind === 'command') {
            events += 1;
            open.push(begin(world, COMMANDS[each.name], events.toString(16).padStart(8, '0'), open));
          } else if (each.kind === 'car') hear(give(world, { type: 'sensorsChanged', sensors: { carOnTop: each.on } }));
          else if (each.kind === 'time') hear(pass(world, each.ms));
          else if (each.kind === 'linkLost') {
            give(world, { type: 'linkClosed' });
            open = [];
          } else if (world.product.movement !== null) {
            hear(give(world, { type: each.kind === 'arrived' ? 'movementDone' : 'movementJammed' }));
          }
          const { movement, sensors, link } = world.product;
          if (movement?.target === 'closed') expect(sensors.carOnTop).toBe(false);
          const waiting = open.filter((exchange) => exchange.result() === null).length;
          // Only a movement is waited for, and by no more than the product remembers.
          if (link !== null) expect(link.awaiting.length).toBe(Math.min(8, waiting));
          if (movement === null) expect(waiting).toBe(0);
          open = open.filter((exchange) => exchange.result() === null && link !== null);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
