import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { PRODUCT_TYPES } from '../../../shared/ids.js';
import { decodeAdvertisement, isAdvertisementGenuine } from '../../../shared/product-protocol/advertisement-codec.js';
import { concatBytes } from '../../../shared/product-protocol/bytes.js';
import { CLIENT_IDLE, nextClient } from '../../../shared/product-protocol/client-machine.js';
import { decodeChallenge, decodeRefuse, decodeStatus } from '../../../shared/product-protocol/message-codec.js';
import { advertiseProduct } from '../../../scripts/sim/products/firmware/product-advertisement.js';
import { nextProductDeadlineMs } from '../../../scripts/sim/products/firmware/product-machine.js';
import { powerUpProduct } from '../../../scripts/sim/products/firmware/product-state.js';
import { createWorld, give, giveMessage, pass, run, SENSORS_FREE } from './exchange-world.js';
import { CLIENT_NONCE, crypto, EVENT_ID, KEYS, mint } from './protocol-fixture.js';
import { runs } from '../../depth.js';

const anyMessage = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  fc
    .tuple(fc.constantFrom(0x01, 0x02, 0x81, 0x82, 0x83), fc.uint8Array({ maxLength: 99 }))
    .map(([type, rest]) => concatBytes(Uint8Array.of(type), rest)),
);

const COMMANDS = ['open', 'close', 'force_close', 'stay_open', 'stay_close', 'clear_stay_open', 'status'] as const;

const step = fc.oneof(
  fc.record({ do: fc.constant('message' as const), bytes: anyMessage }),
  fc.record({ do: fc.constant('link' as const), type: fc.constantFrom('linkOpened' as const, 'linkClosed' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 200_000 }) }),
  fc.record({ do: fc.constant('car' as const), carOnTop: fc.boolean() }),
  fc.record({ do: fc.constant('dirt' as const), dirty: fc.boolean() }),
  fc.record({ do: fc.constant('clock' as const), timeS: fc.option(fc.integer({ min: 0, max: 0xffffffff })) }),
  fc.record({
    do: fc.constant('motor' as const),
    type: fc.constantFrom('movementDone' as const, 'movementJammed' as const),
  }),
  fc.record({
    do: fc.constant('command' as const),
    name: fc.constantFrom(...COMMANDS),
    eventId: fc.constantFrom('00000001', '00000002', '00000003'),
    during: fc.constantFrom('arrives' as const, 'jams' as const, 'car appears' as const, 'nothing' as const),
  }),
  fc.record({ do: fc.constant('power' as const) }),
);

describe('whatever happens', () => {
  it('a product never throws, never closes onto a car, and says only what its clients understand', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.constantFrom(...PRODUCT_TYPES),
        fc.boolean(),
        fc.boolean(),
        (steps, type, on, paired) => {
          const world = createWorld({ paired, memory: { type, autoClose: { on, seconds: 10 } } });
          for (const each of steps) {
            const movesBefore = world.motor.length;
            const wasCarOnTop = world.product.sensors.carOnTop;
            const sent: Uint8Array[] = [];
            switch (each.do) {
              case 'message':
                sent.push(...giveMessage(world, each.bytes));
                break;
              case 'link':
                give(world, { type: each.type });
                break;
              case 'wait':
                sent.push(...pass(world, each.ms));
                break;
              case 'car':
                give(world, { type: 'sensorsChanged', sensors: { carOnTop: each.carOnTop } });
                break;
              case 'dirt':
                give(world, { type: 'sensorsChanged', sensors: { dirty: each.dirty } });
                break;
              case 'clock':
                give(world, { type: 'rtcChanged', timeS: each.timeS });
                break;
              case 'motor':
                if (world.product.movement !== null) sent.push(...give(world, { type: each.type }));
                break;
              case 'command':
                run(world, { command: { name: each.name }, eventId: each.eventId, during: each.during });
                break;
              case 'power':
                world.product = powerUpProduct(crypto, {
                  memory: world.product.memory,
                  rtc: world.product.rtc,
                  nowMs: world.nowMs,
                  sensors: SENSORS_FREE,
                });
                break;
            }
            if (wasCarOnTop) expect(world.motor.slice(movesBefore)).not.toContain('closed');
            const { movement, sensors } = world.product;
            expect(movement?.target === 'closed' && sensors.carOnTop).toBe(false);
            for (const message of sent) {
              const known = decodeChallenge(message) ?? decodeStatus(message) ?? decodeRefuse(message);
              expect(known).not.toBeNull();
            }
            const deadlineMs = nextProductDeadlineMs(world.product);
            // A tick at its deadline always settles what was due: a shell cannot spin.
            if (deadlineMs !== null) {
              world.nowMs = Math.max(world.nowMs, deadlineMs);
              pass(world, 0);
              expect(nextProductDeadlineMs(world.product) ?? Infinity).toBeGreaterThan(world.nowMs);
            }
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('a client never throws on what it hears, and believes none of it', () => {
    const exchange = {
      credential: mint({}),
      command: { name: 'open' },
      eventId: EVENT_ID,
      clientNonce: CLIENT_NONCE,
    } as const;
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 20 }), (messages) => {
        let { state } = nextClient(crypto, CLIENT_IDLE, { type: 'started', exchange });
        for (const bytes of messages) {
          const next = nextClient(crypto, state, { type: 'message', bytes });
          state = next.state;
          for (const effect of next.effects) {
            expect(effect.type).not.toBe('progress');
            if (effect.type === 'finish') expect(effect.outcome.kind).toBe('refused');
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('what a product advertises', () => {
  it('is genuine, tells its condition, and has a number that never goes back, not even through a loss of power', () => {
    const world = createWorld({ sensors: { carOnTop: true } });
    let highest = -1;
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 1_500; index++) {
        const { state, manufacturerData } = advertiseProduct(crypto, world.product);
        world.product = state;
        const advertisement = decodeAdvertisement(manufacturerData);
        if (advertisement === null) throw new Error('not an advertisement of ours');
        expect(advertisement.advSeq).toBeGreaterThan(highest);
        highest = advertisement.advSeq;
        expect(advertisement).toMatchObject({ type: 'barrier', state: 'closed', carOnTop: true, pairingEpochLow: 1 });
        expect(isAdvertisementGenuine(crypto, { advertisementKey: KEYS.adv, bytes: manufacturerData })).toBe(true);
      }
      world.product = powerUpProduct(crypto, { ...world.product, nowMs: 0 });
    }
  });

  it('says when the product is not paired, and is then worth nothing', () => {
    const { manufacturerData } = advertiseProduct(crypto, createWorld({ paired: false }).product);
    expect(decodeAdvertisement(manufacturerData)).toMatchObject({ errors: 0x20, pairingEpochLow: 0 });
    expect(isAdvertisementGenuine(crypto, { advertisementKey: KEYS.adv, bytes: manufacturerData })).toBe(false);
  });
});
