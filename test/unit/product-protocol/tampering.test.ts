import { describe, expect, it } from 'vitest';
import type { EventId } from '../../../shared/ids.js';
import { concatBytes } from '../../../shared/product-protocol/bytes.js';
import { CLIENT_IDLE, type ClientState, nextClient } from '../../../shared/product-protocol/client-machine.js';
import { MOVEMENTS, type ProtocolCommand, requiredOp } from '../../../shared/product-protocol/commands.js';
import { answerSeal, sealStatus } from '../../../shared/product-protocol/exchange-crypto.js';
import {
  decodeChallenge,
  decodeHello,
  decodeRefuse,
  decodeStatus,
  isRequest,
} from '../../../shared/product-protocol/message-codec.js';
import { statusBlockOf } from '../../../scripts/sim/products/firmware/product-state.js';
import type { BlockResult } from '../../../shared/product-protocol/status-block.js';
import { createWorld, give, giveMessage, resultOf, run, type World } from './exchange-world.js';
import { bitFlips, CLIENT_NONCE, crypto, EVENT_ID, mint } from './protocol-fixture.js';

const COMMANDS: ProtocolCommand[] = [
  { name: 'open' },
  { name: 'status' },
  { name: 'force_close' },
  { name: 'set_time', timeS: 1_760_003_700 },
  { name: 'autoclose', on: true, seconds: 20 },
];

function exchangeOf(command: ProtocolCommand) {
  return {
    credential: mint({ op: requiredOp(command.name) }),
    command,
    eventId: EVENT_ID as EventId,
    clientNonce: CLIENT_NONCE,
  };
}

function worldFor({ name }: ProtocolCommand): World {
  const closes = name in MOVEMENTS && MOVEMENTS[name as keyof typeof MOVEMENTS].target === 'closed';
  return createWorld({ memory: { position: closes ? 'opened' : 'closed' } });
}

/** Up to the REQUEST, which is not given to the product yet. */
function untilRequest(world: World, command: ProtocolCommand): { client: ClientState; request: Uint8Array } {
  give(world, { type: 'linkOpened' });
  const hello = sent(nextClient(crypto, CLIENT_IDLE, { type: 'started', exchange: exchangeOf(command) }));
  const [challenge] = giveMessage(world, hello.message);
  const step = nextClient(crypto, hello.state, { type: 'message', bytes: challenge! });
  return { client: step.state, request: sent(step).message };
}

function sent({ state, effects }: ReturnType<typeof nextClient>): { state: ClientState; message: Uint8Array } {
  const [effect] = effects;
  if (effect?.type !== 'send') throw new Error('the client sends nothing');
  return { state, message: effect.message };
}

describe.each(COMMANDS)('$name', (command) => {
  it('a REQUEST with one bit changed moves nothing and is only hinted at', () => {
    const world = worldFor(command);
    const { request } = untilRequest(world, command);
    const before = world.product;
    let refused = 0;
    for (const flipped of bitFlips(request)) {
      world.product = before;
      const answers = giveMessage(world, flipped);
      expect(world.motor).toEqual([]);
      // Without a mac nothing is remembered, set or counted.
      expect(world.product.memory).toBe(before.memory);
      expect(answers).toHaveLength(1);
      expect(decodeRefuse(answers[0]!)).not.toBeNull();
      refused++;
    }
    expect(refused).toBe(request.length * 8);
    // The bytes as they were are obeyed.
    world.product = before;
    expect(decodeStatus(giveMessage(world, request)[0]!)).not.toBeNull();
  });

  it('a HELLO or CHALLENGE with one bit changed makes the REQUEST worthless', () => {
    const hello = sent(nextClient(crypto, CLIENT_IDLE, { type: 'started', exchange: exchangeOf(command) }));
    for (const flipped of bitFlips(hello.message)) {
      const world = worldFor(command);
      const tamper = (message: Uint8Array) => (decodeHello(message) === null ? message : flipped);
      expect(resultOf(run(world, { command, tamper }))).toBe('hint 0');
      expect(world.motor).toEqual([]);
    }

    const world = worldFor(command);
    give(world, { type: 'linkOpened' });
    const [challenge] = giveMessage(world, hello.message);
    const before = world.product;
    let requests = 0;
    for (const flipped of bitFlips(challenge!)) {
      const step = nextClient(crypto, hello.state, { type: 'message', bytes: flipped });
      const [effect] = step.effects;
      // Bits of type and version: not a CHALLENGE any more.
      if (effect?.type !== 'send') continue;
      world.product = before;
      expect(decodeRefuse(giveMessage(world, effect.message)[0]!)).toMatchObject({ type: 0 });
      requests++;
    }
    expect(requests).toBe((challenge!.length - 2) * 8);
    expect(world.motor).toEqual([]);
  });

  it('a STATUS with one bit changed is as if it had not come', () => {
    const world = worldFor(command);
    const { client, request } = untilRequest(world, command);
    const blocks = giveMessage(world, request);
    if (world.product.movement !== null) blocks.push(...give(world, { type: 'movementDone' }));
    let state = client;
    for (const block of blocks) {
      for (const flipped of bitFlips(block)) {
        expect(nextClient(crypto, state, { type: 'message', bytes: flipped })).toEqual({ state, effects: [] });
      }
      state = nextClient(crypto, state, { type: 'message', bytes: block }).state;
    }
    expect(state.phase).toBe('finished');
  });
});

describe('an answer', () => {
  it('answers no other REQUEST, nor twice', () => {
    const world = worldFor({ name: 'open' });
    const first = untilRequest(world, { name: 'open' });
    const [progress] = giveMessage(world, first.request);
    const [final] = give(world, { type: 'movementDone' });
    give(world, { type: 'linkClosed' });

    // The same command once more, with the same event_id and even the same client nonce.
    const second = untilRequest(world, { name: 'open' });
    for (const bytes of [progress!, final!]) {
      expect(nextClient(crypto, second.client, { type: 'message', bytes })).toEqual({
        state: second.client,
        effects: [],
      });
    }
    const moving = nextClient(crypto, first.client, { type: 'message', bytes: progress! });
    expect(moving.effects.map(({ type }) => type)).toEqual(['progress']);
    expect(nextClient(crypto, moving.state, { type: 'message', bytes: progress! }).effects).toEqual([]);
  });

  it('says how it ended when it is final, and only then', () => {
    const exchange = exchangeOf({ name: 'open' });
    const world = worldFor({ name: 'open' });
    const { client, request } = untilRequest(world, { name: 'open' });
    const challenge = decodeChallenge(world.product.link!.challenge!.bytes)!;
    const seal = answerSeal(crypto, {
      statusKey: exchange.credential.statusKey,
      productNonce: challenge.productNonce,
      clientNonce: exchange.clientNonce,
      eventId: exchange.eventId,
      mac: request.slice(-16),
    });
    const hear = (final: boolean, result: BlockResult) => {
      const block = statusBlockOf(world.product, result);
      const bytes = sealStatus(crypto, { seal, counter: 5, final, block });
      return nextClient(crypto, client, { type: 'message', bytes }).effects.map(({ type }) => type);
    };
    expect(hear(false, { kind: 'in_progress' })).toEqual(['progress']);
    expect(hear(true, { kind: 'in_progress' })).toEqual([]);
    expect(hear(false, { kind: 'ok' })).toEqual([]);
    expect(hear(true, { kind: 'ok' })).toEqual(['finish']);
  });

  it('is not forged by a REFUSE once the product has begun to answer', () => {
    const world = worldFor({ name: 'open' });
    const { client, request } = untilRequest(world, { name: 'open' });
    const refuse = Uint8Array.of(0x83, 1, 0, 0, 0, 0);
    expect(nextClient(crypto, client, { type: 'message', bytes: refuse }).effects).toEqual([
      { type: 'finish', outcome: { kind: 'refused', type: 1, rtcS: 0 } },
    ]);
    const moving = nextClient(crypto, client, { type: 'message', bytes: giveMessage(world, request)[0]! });
    expect(nextClient(crypto, moving.state, { type: 'message', bytes: refuse }).effects).toEqual([]);
  });
});

describe('a REQUEST', () => {
  it('moves nothing when it is recorded and played again, on its link and on a later one', () => {
    const world = worldFor({ name: 'open' });
    let recorded: Uint8Array | undefined;
    const tamper = (message: Uint8Array) => {
      if (isRequest(message)) recorded = message;
      return message;
    };
    expect(resultOf(run(world, { command: { name: 'open' }, tamper }))).toBe('ok');
    expect(resultOf(run(world, { command: { name: 'close' }, eventId: '00000002' }))).toBe('ok');
    give(world, { type: 'linkOpened' });
    expect(decodeRefuse(giveMessage(world, recorded!)[0]!)).toMatchObject({ type: 0 });
    giveMessage(world, Uint8Array.of(1, 1, 1));
    expect(decodeRefuse(giveMessage(world, recorded!)[0]!)).toMatchObject({ type: 0 });
    expect(world.motor).toEqual(['opened', 'closed']);
  });

  it('is answered once, even when it only asks', () => {
    const world = worldFor({ name: 'status' });
    const { request } = untilRequest(world, { name: 'status' });
    expect(decodeStatus(giveMessage(world, request)[0]!)).not.toBeNull();
    expect(decodeRefuse(giveMessage(world, request)[0]!)).toMatchObject({ type: 0 });
  });

  it('uses the nonce up when it reaches the mac check, right or wrong', () => {
    const world = worldFor({ name: 'open' });
    const { request } = untilRequest(world, { name: 'open' });
    const wrongMac = request.slice();
    wrongMac[wrongMac.length - 1] = wrongMac.at(-1)! ^ 1;
    giveMessage(world, wrongMac);
    expect(decodeRefuse(giveMessage(world, request)[0]!)).toMatchObject({ type: 0 });

    const other = worldFor({ name: 'open' });
    const fresh = untilRequest(other, { name: 'open' });
    // A token that is not genuine is refused before the mac: the nonce is still there.
    giveMessage(other, concatBytes(fresh.request.slice(0, 30), new Uint8Array(6), fresh.request.slice(36)));
    expect(decodeStatus(giveMessage(other, fresh.request)[0]!)).not.toBeNull();
  });
});
