/** What products do that are asked to open, or something else, while they move. What each command does in each state: `product-operations.test.ts`. */
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { runs } from '../../depth.js';
import { blockOf, createWorld, give, pass, resultOf, type RunningExchange, run } from './exchange-world.js';
import { arrive, AUTO, begin, COMMANDS, MOVEMENTS, outcomeText } from './product-situations.js';

describe('an opening while it closes', () => {
  it.each(['open', 'stay_open'] as const)(
    '%s: the closing command ends at once, and its repeat is answered the same',
    (name) => {
      const { world, first } = MOVEMENTS.closing('barrier');
      const opening = begin(world, { name }, '0000000b', [first]);
      expect([outcomeText(first), outcomeText(opening)]).toEqual(['error 10', 'waits']);
      const again = begin(world, { name: 'close' }, '0000000a', [opening]);
      expect(outcomeText(again)).toBe('error 10');
      arrive(world, [opening]);
      expect(outcomeText(opening)).toBe('ok');
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
    expect(outcomeText(opening)).toBe('ok');
    expect(resultOf(run(world, { command: { name: 'close' }, eventId: '0000000a' }))).toBe('error 10');
    expect(world.motor).toEqual(['closed', 'reverse']);
  });

  it('a stay_close that is turned back sets nothing', () => {
    const world = createWorld({ memory: { position: 'opened' } });
    const closing = begin(world, { name: 'stay_close' }, '0000000a');
    const opening = begin(world, { name: 'open' }, '0000000b', [closing]);
    arrive(world, [closing, opening]);
    expect([outcomeText(closing), outcomeText(opening)]).toEqual(['error 10', 'ok']);
    expect(world.product.memory.permanentPosition).toBe('disabled');
  });

  it('is jammed like any other, and a movement that never ends is, too', () => {
    const { world, first } = MOVEMENTS.closing('barrier');
    pass(world, 100_000);
    const opening = begin(world, { name: 'open' }, '0000000b', [first]);
    pass(world, 119_999);
    expect(outcomeText(opening)).toBe('waits');
    opening.hear(pass(world, 1));
    expect(outcomeText(opening)).toBe('error 5');
  });
});

describe('an opening while it opens', () => {
  it('is one movement, with an answer each; the last position that was asked for stays', () => {
    const { world, first } = MOVEMENTS.opening('barrier');
    const second = begin(world, { name: 'stay_open' }, '0000000b', [first]);
    const third = begin(world, { name: 'open' }, '0000000c', [first, second]);
    arrive(world, [first, second, third]);
    expect([outcomeText(first), outcomeText(second), outcomeText(third)]).toEqual(['ok', 'ok', 'ok']);
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
    expect([outcomeText(first), outcomeText(second)]).toEqual(['error 5', 'error 5']);
    expect(world.product.memory.permanentPosition).toBe('disabled');
  });

  it('does not stay when it was to stay open and that was cleared on the way', () => {
    const world = createWorld();
    const staying = begin(world, { name: 'stay_open' }, '0000000a');
    expect(outcomeText(begin(world, { name: 'clear_stay_open' }, '0000000b', [staying]))).toBe('ok');
    arrive(world, [staying]);
    expect([outcomeText(staying), world.product.memory.permanentPosition]).toEqual(['ok', 'disabled']);
  });
});

describe('whatever comes while it moves', () => {
  it('it never closes onto a car, never goes on closing under an opening, and answers each command once', () => {
    const names = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];
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
