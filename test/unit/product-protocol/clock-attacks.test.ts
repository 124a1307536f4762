import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import type { AdminAction } from '../../../shared/product-protocol/admin-record.js';
import { encodeAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { clockNonceOf } from '../../../shared/product-protocol/clock-limits.js';
import { NO_EXPIRY_S, SLOTS } from '../../../shared/product-protocol/token-codec.js';
import { walkClockBack } from '../../attack/walk-clock-back.js';
import { runs } from '../../depth.js';
import { rtcNowS } from '../../../scripts/sim/products/firmware/product-clock.js';
import { nextProductDeadlineMs } from '../../../scripts/sim/products/firmware/product-machine.js';
import { powerUpProduct } from '../../../scripts/sim/products/firmware/product-state.js';
import { createWorld, give, pass, resultOf, run, SENSORS_FREE, type World } from './exchange-world.js';
import { crypto, IDENTITY, KEYS, mint, NOW_S } from './protocol-fixture.js';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const BUDGET_S = 15 * 60;
/** A record of the cloud is of use for so long. */
const RECORD_AGE_S = 10 * 60;
/** The floor is stored this often: a clock that loses the time may come back so much earlier. */
const FLOOR_AGE_S = HOUR_S;

/** The tokens that the attacker has. None is of the slot of the honest gateway, or of the cloud. */
const ENDS_S = [NOW_S - 1, NOW_S + 2 * HOUR_S, NOW_S + DAY_S, NOW_S + 4 * DAY_S, NO_EXPIRY_S];
const TOKENS = [SLOTS.firstGateway, 2, SLOTS.guests, SLOTS.installer].flatMap((slot, index) =>
  ENDS_S.map((expiresS, end) => ({ slot, id: 100 * (index + 1) + end, notBeforeS: NOW_S - DAY_S, expiresS })),
);
/** So many ids are denied for ever that those of the attacker are forgotten when they can be. */
const DENIED_BEFORE = Array.from({ length: 61 }, (_, index) => ({ id: 9_000 + index, expiresS: NO_EXPIRY_S }));
const anyToken = fc.constantFrom(...TOKENS);

const anyAction: fc.Arbitrary<AdminAction> = fc.oneof(
  { weight: 5, arbitrary: anyToken.map(({ id, expiresS }) => ({ kind: 'deny' as const, id, expiresS })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'raise_gen' as const, slot: 2, gen: 1 }) },
);

/** Back by the whole budget is what an attacker wants most. */
const anyMoveS = fc.oneof(
  { weight: 2, arbitrary: fc.constant(-BUDGET_S) },
  { weight: 1, arbitrary: fc.constant(BUDGET_S) },
  { weight: 1, arbitrary: fc.integer({ min: -5 * DAY_S, max: 5 * DAY_S }) },
);

const anySetTime = fc.record({
  do: fc.constant('set_time' as const),
  token: fc.oneof(anyToken, fc.constantFrom(...TOKENS.filter(({ expiresS }) => expiresS === NO_EXPIRY_S))),
  byS: anyMoveS,
  times: fc.integer({ min: 1, max: 3 }),
});
const anyWait = fc.record({
  do: fc.constant('wait' as const),
  s: fc.constantFrom(60, BUDGET_S, HOUR_S, 5 * HOUR_S, 13 * HOUR_S, DAY_S),
});
const anyPowerCut = fc.record({
  do: fc.constant('power cut' as const),
  forS: fc.constantFrom(0, 1, HOUR_S, DAY_S),
  losesTime: fc.boolean(),
});
const anyOpening = fc.record({ do: fc.constant('open' as const), token: anyToken });
const anyRecord = fc.record({ do: fc.constant('record' as const), action: anyAction });
const anyClockRecord = fc.record({ do: fc.constant('clock record' as const), isKept: fc.boolean() });
const anyReplay = fc.record({ do: fc.constant('replay' as const), index: fc.nat({ max: 3 }) });
const clockFailure = fc.constant({ do: 'clock fails' as const });

/** Each attack by itself, because one hides what another achieves, and then all of them together. */
const anySteps = fc.oneof(
  fc.array(
    fc.oneof(
      anySetTime,
      anyWait,
      anyPowerCut.map((cut) => ({ ...cut, losesTime: false })),
    ),
    { maxLength: 12 },
  ),
  fc.array(fc.oneof(anyWait, anyClockRecord, anyReplay, anySetTime), { maxLength: 12 }),
  fc.array(fc.oneof(anyWait, anySetTime, anyRecord, anyOpening, anyClockRecord), { maxLength: 30 }),
  fc.array(fc.oneof(anyWait, anySetTime, anyPowerCut, clockFailure), { maxLength: 12 }),
  fc.array(fc.oneof(anySetTime, anyWait, anyPowerCut, clockFailure, anyOpening, anyRecord, anyClockRecord, anyReplay), {
    maxLength: 25,
  }),
);
type Step = (typeof anySteps extends fc.Arbitrary<infer AnyStep> ? AnyStep : never)[number];

/** The facts of the world beside the product's own clock. */
interface Truth {
  world: World;
  /** Seconds for which the product had power. */
  uptimeS: number;
  /** By how much the clock may be late without anybody having moved it, since `sinceUptimeS`. */
  lateS: number;
  sinceUptimeS: number;
  /** The highest time that the product is bound to remember. */
  highestS: number;
  /** Since when it has no time; null: it has one. */
  lostAtS: number | null;
  denied: Set<number>;
  records: { bytes: Uint8Array; mintedS: number | null }[];
  serial: number;
  events: number;
}

const trueS = ({ world }: Truth) => NOW_S + Math.floor(world.nowMs / 1_000);
const clockS = ({ world }: Truth) => rtcNowS(world.product, world.nowMs);
const eventId = (truth: Truth) => (truth.events++).toString(16).padStart(8, '0');

/** The product has power for so long, and does what is due. */
function wait(truth: Truth, s: number): void {
  const { world } = truth;
  const endMs = world.nowMs + s * 1_000;
  for (;;) {
    const dueMs = nextProductDeadlineMs(world.product);
    if (dueMs === null || dueMs > endMs) break;
    pass(world, Math.max(0, dueMs - world.nowMs));
  }
  pass(world, endMs - world.nowMs);
  truth.uptimeS += s;
}

function ask(truth: Truth, options: Parameters<typeof run>[1]): string {
  return resultOf(run(truth.world, { ...options, eventId: eventId(truth) }));
}

function mintRecord(truth: Truth, action: AdminAction) {
  const record = { serial: ++truth.serial, action };
  const bytes = encodeAdminRecord(crypto, { adminKey: KEYS.admin, identity: IDENTITY, record });
  const minted = { bytes, mintedS: action.kind === 'clock' ? action.timeS : null };
  truth.records.push(minted);
  return minted;
}

/** The cloud mints a record with its own time, for the exchange of which the gateway tells it. */
function mintClockRecord(truth: Truth) {
  ask(truth, { command: { name: 'status' }, credential: mint({ op: 'status', slot: 5, expiresS: 1 }) });
  const nonce = truth.world.product.clockNonces.at(-1)?.nonce ?? clockNonceOf(new Uint8Array(4));
  return mintRecord(truth, { kind: 'clock', timeS: trueS(truth), nonce });
}

/** By a gateway whose own token is over, so that nothing but the record itself speaks for it. */
function deliver(truth: Truth, record: { bytes: Uint8Array; mintedS: number | null }): string {
  const { lastAdmin } = truth.world.product.memory;
  const expiresS = record.mintedS === null ? NO_EXPIRY_S : 1;
  const credential = mint({ op: 'status', slot: 5, expiresS });
  const answer = ask(truth, { command: { name: 'admin', record: record.bytes }, credential });
  const isApplied = truth.world.product.memory.lastAdmin !== lastAdmin;
  if (isApplied && record.mintedS !== null) {
    expect(clockS(truth)).toBe(record.mintedS);
    truth.lateS = trueS(truth) - record.mintedS;
    expect(truth.lateS).toBeLessThanOrEqual(RECORD_AGE_S);
    truth.sinceUptimeS = truth.uptimeS;
    truth.highestS = record.mintedS;
    truth.lostAtS = null;
  }
  return answer;
}

function applyStep(truth: Truth, step: Step): void {
  const { world } = truth;
  switch (step.do) {
    case 'set_time':
      for (let time = 0; time < step.times; time++) {
        const timeS = Math.max(0, (clockS(truth) ?? world.product.memory.clockFloorS) + step.byS);
        ask(truth, { command: { name: 'set_time', timeS }, credential: mint({ ...step.token, op: 'status' }) });
      }
      return;
    case 'wait':
      return wait(truth, step.s);
    case 'power cut': {
      const { memory, rtc } = world.product;
      world.nowMs += step.forS * 1_000;
      world.product = powerUpProduct(crypto, {
        memory,
        rtc: step.losesTime ? null : rtc,
        sensors: SENSORS_FREE,
        nowMs: world.nowMs,
      });
      if (step.losesTime) truth.lostAtS ??= trueS(truth) - step.forS;
      // What is due at the start is done at once.
      pass(world, 0);
      return;
    }
    case 'clock fails':
      give(world, { type: 'rtcChanged', timeS: null });
      truth.lostAtS ??= trueS(truth);
      return;
    case 'open': {
      const answer = ask(truth, { command: { name: 'open' }, credential: mint({ ...step.token, op: 'open' }) });
      if (answer !== 'ok') return;
      expect(truth.denied).not.toContain(step.token.id);
      expect(earliestS(truth)).toBeLessThan(step.token.expiresS);
      return;
    }
    case 'record': {
      const answer = deliver(truth, mintRecord(truth, step.action));
      if (answer === 'ok' && step.action.kind === 'deny') truth.denied.add(step.action.id);
      return;
    }
    case 'clock record': {
      const record = mintClockRecord(truth);
      if (!step.isKept) expect(deliver(truth, record)).toBe('ok');
      return;
    }
    case 'replay': {
      const record = truth.records.at(-1 - step.index);
      if (record !== undefined) deliver(truth, record);
    }
  }
}

/** The earliest time that it can be by the product's clock. */
function earliestS(truth: Truth): number {
  const budgets = 1 + Math.floor((truth.uptimeS - truth.sinceUptimeS) / DAY_S);
  return trueS(truth) - truth.lateS - budgets * BUDGET_S;
}

/** What has to hold after each step. */
function check(truth: Truth): void {
  const nowS = clockS(truth);
  if (nowS === null) return;
  if (truth.lostAtS !== null) {
    // While it had no time, none passed for it, and the floor from which it went on may be an hour old.
    truth.lateS += trueS(truth) - truth.lostAtS + FLOOR_AGE_S;
    truth.highestS -= FLOOR_AGE_S;
    truth.lostAtS = null;
  }
  expect(nowS).toBeGreaterThanOrEqual(earliestS(truth));
  expect(nowS).toBeGreaterThanOrEqual(truth.highestS - BUDGET_S);
  truth.highestS = Math.max(truth.highestS, nowS);
}

function begin(): Truth {
  const world = createWorld({ memory: { deniedIds: DENIED_BEFORE } });
  pass(world, 0);
  return {
    world,
    uptimeS: 0,
    lateS: 0,
    sinceUptimeS: 0,
    highestS: NOW_S,
    lostAtS: null,
    denied: new Set(),
    records: [],
    serial: 0,
    events: 0,
  };
}

describe('whoever moves a product`s clock', () => {
  it('brings no token back whose end is further away than 15 minutes for each day of uptime, and no denied id', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const truth = begin();
        for (const step of steps) {
          applyStep(truth, step);
          check(truth);
        }
        // However wrong the clock is now: two exchanges with an honest gateway and its cloud, and it is right.
        expect(deliver(truth, mintClockRecord(truth))).toBe('ok');
        expect(clockS(truth)).toBe(trueS(truth));
        const ofCloud = mint({ notBeforeS: trueS(truth) - 60, expiresS: trueS(truth) + 60 });
        expect(ask(truth, { command: { name: 'open' }, credential: ofCloud })).toBe('ok');
      }),
      { numRuns: runs(150, 60) },
    );
  });

  it('a month of calls moves it by 15 minutes', () => {
    const truth = begin();
    const credential = mint({ op: 'status', slot: 3, notBeforeS: 0 });
    const walk = walkClockBack(
      {
        clockS: () => clockS(truth) ?? 0,
        setTime: (timeS) => ask(truth, { command: { name: 'set_time', timeS }, credential }),
      },
      { calls: runs(600, 5), stepS: BUDGET_S },
    );
    expect(walk).toEqual({ movedS: BUDGET_S, answers: { ok: 1, 'error 1': runs(600, 5) - 1 } });
  });
});
