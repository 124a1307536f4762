import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decodeChallenge, isRequest } from '../../../shared/product-protocol/message-codec.js';
import { powerUpProduct } from '../../../scripts/sim/products/firmware/product-state.js';
import {
  blockOf,
  createWorld,
  give,
  giveMessage,
  pass,
  resultOf,
  run,
  runOnLink,
  SENSORS_FREE,
  type World,
} from './exchange-world.js';
import { crypto, mint } from './protocol-fixture.js';
import { runs } from '../../depth.js';

function losePower(world: World): void {
  const { memory, rtc } = world.product;
  world.product = powerUpProduct(crypto, { memory, rtc, sensors: SENSORS_FREE, nowMs: world.nowMs });
}

const opensOf = (world: World) => world.motor.filter((target) => target === 'opened').length;

describe('one command', () => {
  it('moves once, through whatever retries, losses, gateways and losses of power', () => {
    const attempt = fc.record({
      slot: fc.integer({ min: 0, max: 15 }),
      lost: fc.constantFrom('nothing', 'request', 'progress', 'final', 'power'),
      during: fc.constantFrom('arrives' as const, 'jams' as const, 'nothing' as const),
      mtu: fc.constantFrom(23, 247),
    });
    fc.assert(
      fc.property(fc.array(attempt, { minLength: 1, maxLength: 6 }), (attempts) => {
        const world = createWorld();
        const answers = new Set<string>();
        for (const { slot, lost, during, mtu } of attempts) {
          world.mtu = mtu;
          let statuses = 0;
          const tamper = (message: Uint8Array) => {
            if (lost === 'request' && isRequest(message)) return null;
            if (message[0] === 0x82) statuses++;
            if (lost === 'progress' && statuses === 1) return null;
            return lost === 'final' && (message[1]! & 0x80) !== 0 && message[0] === 0x82 ? null : message;
          };
          const result = run(world, {
            command: { name: 'open' },
            credential: mint({ slot }),
            eventId: '0be70be7',
            during,
            tamper,
          });
          if (result.outcome.kind === 'answered') answers.add(resultOf(result));
          if (lost === 'power') losePower(world);
          else if (world.product.movement !== null) give(world, { type: 'movementDone' });
          // In between somebody closes, so that a second opening would be seen.
          const opensBefore = opensOf(world);
          expect(resultOf(run(world, { command: { name: 'close' }, eventId: '000c105e' }))).toBe('ok');
          expect(opensOf(world)).toBe(opensBefore);
          world.product = {
            ...world.product,
            memory: {
              ...world.product.memory,
              remembered: world.product.memory.remembered.filter(({ key }) => !key.startsWith('000c105e')),
            },
          };
        }
        expect(opensOf(world)).toBeLessThanOrEqual(1);
        // Whoever gets an answer gets the same one.
        expect(answers.size).toBeLessThanOrEqual(1);
        if (answers.size > 0) expect(opensOf(world)).toBe(1);
      }),
      { numRuns: runs(200) },
    );
  });

  it('is joined by a second gateway while it moves', () => {
    const world = createWorld();
    const first = run(world, { command: { name: 'open' }, credential: mint({ slot: 1 }), during: 'nothing' });
    expect(resultOf(first)).toBe('failed 3');
    const second = run(world, { command: { name: 'open' }, credential: mint({ slot: 2 }) });
    expect(second.progress).toHaveLength(1);
    expect(resultOf(second)).toBe('ok');
    const third = run(world, { command: { name: 'open' }, credential: mint({ slot: 0 }) });
    expect(third.progress).toHaveLength(0);
    expect(resultOf(third)).toBe('ok');
    expect(world.motor).toEqual(['opened']);
  });

  it('is another one with other parameters, another event_id, or from another class of slots', () => {
    const world = createWorld({ memory: { position: 'opened' } });
    const close = (eventId: string, slot: number) =>
      run(world, { command: { name: 'close' }, eventId, credential: mint({ op: 'close', slot }) });
    const open = (eventId: string) => run(world, { command: { name: 'open' }, eventId });
    close('00000001', 0);
    open('00000002');
    close('00000001', 15);
    expect(world.motor).toEqual(['closed', 'opened']);
    // A guest who overheard the event_id gets no answer that is not his: he moves it himself.
    close('00000001', 16);
    open('00000003');
    close('00000004', 0);
    expect(world.motor).toEqual(['closed', 'opened', 'closed', 'opened', 'closed']);

    const autoclose = (seconds: number) =>
      run(world, { command: { name: 'autoclose', on: true, seconds }, eventId: '00000005' });
    expect(blockOf(autoclose(20)).autocloseS).toBe(20);
    expect(blockOf(autoclose(30)).autocloseS).toBe(30);
  });

  it('is answered with its result and the present state', () => {
    const world = createWorld();
    run(world, { command: { name: 'open' }, eventId: '00000001' });
    run(world, { command: { name: 'close' }, eventId: '00000002' });
    const again = run(world, { command: { name: 'open' }, eventId: '00000001' });
    expect(blockOf(again)).toMatchObject({ result: { kind: 'ok' }, state: 'closed' });
  });

  it('is forgotten after eight others were executed; refusals, status and set_time do not count', () => {
    const world = createWorld();
    const open = () => run(world, { command: { name: 'open' }, eventId: '000000ff' });
    open();
    for (let index = 0; index < 7; index++) {
      run(world, { command: { name: index % 2 === 0 ? 'close' : 'open' }, eventId: `0000000${index}` });
    }
    for (let index = 0; index < 9; index++) {
      run(world, { command: { name: 'status' }, eventId: `1000000${index}` });
      run(world, { command: { name: 'set_time', timeS: 1_760_003_601 }, eventId: `2000000${index}` });
      give(world, { type: 'sensorsChanged', sensors: { carOnTop: true } });
      expect(resultOf(run(world, { command: { name: 'close' }, eventId: `3000000${index}` }))).toBe('error 6');
      give(world, { type: 'sensorsChanged', sensors: { carOnTop: false } });
    }
    expect(world.motor).toHaveLength(8);
    open();
    expect(world.motor).toHaveLength(8);
    // The eighth other: there was nothing to move, but it was executed.
    run(world, { command: { name: 'close' }, eventId: '00000008' });
    expect(world.motor).toHaveLength(8);
    open();
    expect(world.motor).toHaveLength(9);
  });

  it('ends as unknown when a loss of power interrupted it, and is not tried again', () => {
    const world = createWorld();
    run(world, { command: { name: 'open' }, during: 'nothing' });
    losePower(world);
    expect(world.product.memory.position).toBe('unknown');
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('error 11');
    expect(world.motor).toEqual(['opened']);
  });
});

describe('a link', () => {
  it('is dropped 5 s after connecting without a right REQUEST, whatever else comes', () => {
    const world = createWorld();
    give(world, { type: 'linkOpened' });
    for (let second = 0; second < 4; second++) {
      pass(world, 1_000);
      giveMessage(world, Uint8Array.of(1, 1, 1));
    }
    expect(world.drops).toBe(0);
    pass(world, 999);
    expect(world.drops).toBe(0);
    pass(world, 1);
    expect(world.drops).toBe(1);
    // What is still under way on it is not answered; its end is no surprise.
    expect(giveMessage(world, Uint8Array.of(1, 1, 1))).toEqual([]);
    give(world, { type: 'linkClosed' });
  });

  it('is dropped after 2 s of silence, but not while its client waits for a movement', () => {
    const world = createWorld();
    give(world, { type: 'linkOpened' });
    runOnLink(world, { command: { name: 'open' }, during: 'nothing' });
    pass(world, 60_000);
    expect(world.drops).toBe(0);
    give(world, { type: 'movementDone' });
    pass(world, 1_999);
    expect(world.drops).toBe(0);
    pass(world, 1);
    expect(world.drops).toBe(1);
  });

  it('lives as long as something happens on it', () => {
    const world = createWorld();
    give(world, { type: 'linkOpened' });
    runOnLink(world, { command: { name: 'status' } });
    pass(world, 1_999);
    runOnLink(world, { command: { name: 'status' } });
    pass(world, 1_999);
    expect(world.drops).toBe(0);
    pass(world, 1);
    expect(world.drops).toBe(1);
  });

  it('carries several exchanges, each with a nonce of its own', () => {
    const world = createWorld({ mtu: 23 });
    give(world, { type: 'linkOpened' });
    expect(resultOf(runOnLink(world, { command: { name: 'open' }, eventId: '00000001' }))).toBe('ok');
    expect(resultOf(runOnLink(world, { command: { name: 'close' }, eventId: '00000002' }))).toBe('ok');
    const challenges = world.traffic.flatMap((message) => decodeChallenge(message)?.productNonce ?? []);
    expect(challenges).toHaveLength(2);
    expect(challenges[0]).not.toEqual(challenges[1]);
  });
});
