import { describe, expect, it } from 'vitest';
import { PRODUCT_TYPES } from '../../../shared/ids.js';
import { nextProductDeadlineMs } from '../../../scripts/sim/products/firmware/product-machine.js';
import { errorBits } from '../../../shared/product-protocol/status-block.js';
import { blockOf, createWorld, give, pass, resultOf, run, type World } from './exchange-world.js';

const AUTO = { on: true, seconds: 10 };

/** A product that was opened just now. */
function opened(memory: Parameters<typeof createWorld>[0] = {}): World {
  const world = createWorld({ ...memory, memory: { autoClose: AUTO, ...memory.memory } });
  expect(resultOf(run(world, { command: { name: 'open' }, eventId: 'aaaaaaaa' }))).toBe('ok');
  world.motor.length = 0;
  return world;
}

describe('opening', () => {
  it.each(PRODUCT_TYPES)('is never refused to a %s for a car, a dirty sensor or an old jam', (type) => {
    for (const name of ['open', 'stay_open'] as const) {
      const world = createWorld({ memory: { type }, sensors: { carOnTop: true, dirty: true, jammed: true } });
      const result = run(world, { command: { name } });
      expect(resultOf(result)).toBe('ok');
      expect(world.motor).toEqual(['opened']);
      expect(errorBits(blockOf(result).errors)).toMatchObject({ jammed: false, sensor_dirty: true });
    }
  });

  it('moves nothing when it is open already, and succeeds', () => {
    const world = createWorld({ memory: { position: 'opened' } });
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('ok');
    expect(world.motor).toEqual([]);
  });
});

describe('jammed', () => {
  it('is the outcome of an attempt, told until one succeeds', () => {
    const world = createWorld();
    const first = run(world, { command: { name: 'open' }, during: 'jams' });
    expect(resultOf(first)).toBe('error 5');
    expect(blockOf(first).state).toBe('error');
    expect(errorBits(blockOf(first).errors).jammed).toBe(true);

    const again = run(world, { command: { name: 'open' }, eventId: '00000002' });
    expect(resultOf(again)).toBe('ok');
    expect(errorBits(blockOf(again).errors).jammed).toBe(false);
    expect(world.motor).toEqual(['opened', 'opened']);
  });

  it('is tried again also where the product stands already', () => {
    const world = createWorld({ memory: { position: 'opened' }, sensors: { jammed: true } });
    expect(resultOf(run(world, { command: { name: 'open' }, during: 'jams' }))).toBe('error 5');
    expect(world.motor).toEqual(['opened']);
  });

  it('is what a movement ends as that does not end', () => {
    const world = createWorld();
    run(world, { command: { name: 'open' }, during: 'nothing' });
    pass(world, 120_000);
    expect(world.product.movement).toBeNull();
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('error 5');
    expect(world.motor).toEqual(['opened']);
  });

  it('while going back from a car, the result is still the car', () => {
    const world = createWorld({ memory: { position: 'opened' } });
    const result = run(world, { command: { name: 'close' }, during: 'car appears, then jams' });
    expect(resultOf(result)).toBe('error 6');
    expect(blockOf(result).state).toBe('error');
    expect(errorBits(blockOf(result).errors).jammed).toBe(true);
  });

  it('is an impossible input when nothing moves', () => {
    const world = createWorld();
    expect(() => give(world, { type: 'movementDone' })).toThrow('nothing moved');
    expect(() => give(world, { type: 'movementJammed' })).toThrow('nothing moved');
  });
});

describe.each(PRODUCT_TYPES)('closing a %s', (type) => {
  const closing = ['close', 'force_close', 'stay_close'] as const;

  it.each(closing)('%s: refused with a car on top', (name) => {
    const world = createWorld({ memory: { type, position: 'opened' }, sensors: { carOnTop: true } });
    const result = run(world, { command: { name } });
    expect(resultOf(result)).toBe('error 6');
    expect(blockOf(result)).toMatchObject({ state: 'opened', carOnTop: true, permanentPosition: 'disabled' });
    expect(world.motor).toEqual([]);
  });

  it.each(closing)('%s: refused with a dirty sensor, unless forced', (name) => {
    const world = createWorld({ memory: { type, position: 'opened' }, sensors: { dirty: true } });
    expect(resultOf(run(world, { command: { name } }))).toBe(name === 'force_close' ? 'ok' : 'error 7');
    expect(world.motor).toEqual(name === 'force_close' ? ['closed'] : []);
  });

  it.each(closing)('%s: a car that appears stops and reverses it', (name) => {
    const world = createWorld({ memory: { type, position: 'opened' } });
    const result = run(world, { command: { name }, during: 'car appears' });
    expect(resultOf(result)).toBe('error 6');
    expect(blockOf(result)).toMatchObject({ state: 'opened', carOnTop: true, permanentPosition: 'disabled' });
    expect(world.motor).toEqual(['closed', 'reverse']);
    // It was executed: the same command again is answered, not tried.
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: false } });
    expect(resultOf(run(world, { command: { name } }))).toBe('error 6');
    expect(world.motor).toEqual(['closed', 'reverse']);
  });
});

describe('a car', () => {
  it('reverses once, however often the sensor says so, and never an opening', () => {
    const world = createWorld({ memory: { position: 'opened' } });
    run(world, { command: { name: 'close' }, during: 'nothing' });
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: false } });
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
    expect(world.motor).toEqual(['closed', 'reverse']);

    const opening = createWorld();
    run(opening, { command: { name: 'open' }, during: 'nothing' });
    give(opening, { type: 'sensorsChanged', sensors: { carOnTop: true } });
    expect(opening.motor).toEqual(['opened']);
  });
});

describe('auto-close', () => {
  it('closes so long after the opening, and counts as a movement', () => {
    const world = opened();
    pass(world, 9_999);
    expect(world.motor).toEqual([]);
    expect(nextProductDeadlineMs(world.product)).toBe(world.nowMs + 1);
    pass(world, 1);
    expect(world.motor).toEqual(['closed']);
    give(world, { type: 'movementDone' });
    expect(world.product.memory.position).toBe('closed');
    pass(world, 60_000);
    expect(world.motor).toEqual(['closed']);
  });

  it('begins also after a loss of power, with the first tick', () => {
    const world = createWorld({ memory: { position: 'opened', autoClose: AUTO } });
    pass(world, 0);
    pass(world, 10_000);
    expect(world.motor).toEqual(['closed']);
  });

  it.each([
    { what: 'a car', blocked: { carOnTop: true }, free: { carOnTop: false } },
    { what: 'a dirty sensor', blocked: { dirty: true }, free: { dirty: false } },
  ])('never under $what; when it is gone it waits its whole time', ({ blocked, free }) => {
    const world = opened();
    pass(world, 5_000);
    give(world, { type: 'sensorsChanged', sensors: blocked });
    pass(world, 600_000);
    expect(world.motor).toEqual([]);
    give(world, { type: 'sensorsChanged', sensors: free });
    pass(world, 9_999);
    expect(world.motor).toEqual([]);
    pass(world, 1);
    expect(world.motor).toEqual(['closed']);
  });

  it('is reversed by a car that appears, and tried again once the car is gone', () => {
    const world = opened();
    pass(world, 10_000);
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
    give(world, { type: 'movementDone' });
    expect(world.product.memory.position).toBe('opened');
    pass(world, 60_000);
    expect(world.motor).toEqual(['closed', 'reverse']);
    give(world, { type: 'sensorsChanged', sensors: { carOnTop: false } });
    pass(world, 10_000);
    expect(world.motor).toEqual(['closed', 'reverse', 'closed']);
  });

  it('waits its whole time again when the product is opened once more', () => {
    const world = opened();
    pass(world, 9_000);
    run(world, { command: { name: 'open' }, eventId: '00000002' });
    pass(world, 9_000);
    expect(world.motor).toEqual([]);
    pass(world, 1_000);
    expect(world.motor).toEqual(['closed']);
  });

  it('is not disturbed by what does not concern it', () => {
    const world = opened();
    pass(world, 9_000);
    run(world, { command: { name: 'status' } });
    give(world, { type: 'sensorsChanged', sensors: { battery: 50 } });
    pass(world, 1_000);
    expect(world.motor).toEqual(['closed']);
  });

  it('is off under stay_open until that is cleared, and the clearing moves nothing', () => {
    const world = opened();
    const stay = run(world, { command: { name: 'stay_open' }, eventId: '00000002' });
    expect(blockOf(stay)).toMatchObject({ autoClose: false, permanentPosition: 'stay_open', state: 'opened' });
    pass(world, 600_000);
    expect(world.motor).toEqual([]);
    const clear = run(world, { command: { name: 'clear_stay_open' }, eventId: '00000003' });
    expect(blockOf(clear)).toMatchObject({ autoClose: true, permanentPosition: 'disabled', state: 'opened' });
    expect(world.motor).toEqual([]);
    pass(world, 10_000);
    expect(world.motor).toEqual(['closed']);
  });

  it('is set by command on a barrier, with its time', () => {
    const world = createWorld();
    const on = run(world, { command: { name: 'autoclose', on: true, seconds: 30 } });
    expect(blockOf(on)).toMatchObject({ autoClose: true, autocloseS: 30 });
    run(world, { command: { name: 'open' } });
    pass(world, 29_999);
    expect(world.motor).toEqual(['opened']);
    run(world, { command: { name: 'autoclose', on: false, seconds: 40 }, eventId: '00000002' });
    pass(world, 600_000);
    expect(world.motor).toEqual(['opened']);
    expect(world.product.memory.autoClose).toEqual({ on: false, seconds: 40 });
  });
});

describe('a permanent position', () => {
  it('stays through single commands: each acts once', () => {
    const world = createWorld({ memory: { autoClose: AUTO } });
    run(world, { command: { name: 'stay_close' }, eventId: '00000001' });
    const open = run(world, { command: { name: 'open' }, eventId: '00000002' });
    expect(blockOf(open)).toMatchObject({ state: 'opened', permanentPosition: 'stay_close' });
    run(world, { command: { name: 'close' }, eventId: '00000003' });
    run(world, { command: { name: 'stay_open' }, eventId: '00000004' });
    const close = run(world, { command: { name: 'close' }, eventId: '00000005' });
    expect(blockOf(close)).toMatchObject({ state: 'closed', permanentPosition: 'stay_open' });
    expect(world.motor).toEqual(['opened', 'closed', 'opened', 'closed']);
  });

  it('is cleared by its own clear only', () => {
    const world = createWorld({ memory: { permanentPosition: 'stay_close' } });
    const other = run(world, { command: { name: 'clear_stay_open' }, eventId: '00000001' });
    expect(resultOf(other)).toBe('ok');
    expect(blockOf(other).permanentPosition).toBe('stay_close');
    const own = run(world, { command: { name: 'clear_stay_close' }, eventId: '00000002' });
    expect(blockOf(own).permanentPosition).toBe('disabled');
  });

  it('is not set by an attempt that failed', () => {
    const world = createWorld();
    const result = run(world, { command: { name: 'stay_open' }, during: 'jams' });
    expect(blockOf(result).permanentPosition).toBe('disabled');
  });
});

describe('the change counter', () => {
  it('changes with what is reported, and with nothing else', () => {
    const world = createWorld({ memory: { changeCounter: 0xffff } });
    const counter = () => world.product.memory.changeCounter;
    run(world, { command: { name: 'status' } });
    expect(counter()).toBe(0xffff);
    give(world, { type: 'sensorsChanged', sensors: { battery: 50 } });
    expect(counter()).toBe(0);
    give(world, { type: 'sensorsChanged', sensors: { battery: 50 } });
    expect(counter()).toBe(0);
    // Moving, then opened; the STATUS tells the counter as it is then.
    const open = run(world, { command: { name: 'open' } });
    expect(open.progress.map((block) => block.changeCounter)).toEqual([1]);
    expect(blockOf(open).changeCounter).toBe(2);
    expect(counter()).toBe(2);
  });

  it('reports the battery and the clock among the errors', () => {
    const world = createWorld({ rtcS: null, sensors: { battery: 5, pinBroken: true } });
    const block = blockOf(run(world, { command: { name: 'status' } }));
    expect(errorBits(block.errors)).toEqual({
      jammed: false,
      sensor_dirty: false,
      pin_broken: true,
      rtcc_invalid: true,
      battery_empty: true,
      master_key_not_set: false,
    });
  });
});
