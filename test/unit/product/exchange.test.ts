import { describe, expect, it } from 'vitest';
import { deferred } from '../../../agent/waiting/deferred.js';
import { runExchange } from '../../../agent/product/exchange.js';
import { createNotificationFeed } from '../../../agent/product/notification-feed.js';
import { RadioError, type RadioLink } from '../../../agent/product/radio.js';
import type { ProtocolCommand } from '../../../shared/product-protocol/commands.js';
import { answerSeal, sealStatus } from '../../../shared/product-protocol/exchange-crypto.js';
import { splitMessage } from '../../../shared/product-protocol/fragment-codec.js';
import { encodeChallenge, encodeRefuse, MAC_LENGTH } from '../../../shared/product-protocol/message-codec.js';
import type { StatusBlock } from '../../../shared/product-protocol/status-block.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { CLIENT_NONCE, crypto, EVENT_ID, mint, PRODUCT_NONCE } from '../product-protocol/protocol-fixture.js';

const MTU = 23;
const HELLO_FRAGMENT = 'c0010101';
const CHALLENGE = encodeChallenge({
  version: 1,
  flags: { initialised: true, rtcValid: true, busy: false, pairing: false },
  pairingEpoch: 1,
  rtcS: 1,
  productNonce: PRODUCT_NONCE,
});
const MOVING: StatusBlock = {
  result: { kind: 'in_progress' },
  state: 'moving',
  carOnTop: false,
  autoClose: false,
  permanentPosition: 'disabled',
  errors: 0,
  battery: null,
  autocloseS: 10,
  changeCounter: 1,
};
const REFUSE = encodeRefuse({ type: 1, rtcS: 0 });

/** An exchange on a link whose product is the test. */
function start(
  options: {
    command?: ProtocolCommand;
    mtu?: number;
    early?: Uint8Array;
    deadlineMonoMs?: number;
    aborted?: boolean;
  } = {},
) {
  const clock = new FakeClock();
  const feed = createNotificationFeed();
  const closed = deferred<void>();
  const written: string[] = [];
  let listening = 0;
  let progress = 0;
  const failures: Error[] = [];
  const link: RadioLink = {
    mtu: options.mtu ?? MTU,
    closed: closed.promise,
    async write(fragment) {
      written.push(Buffer.from(fragment).toString('hex'));
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
    onNotification(listener) {
      listening += 1;
      const stop = feed.onNotification(listener);
      return () => {
        listening -= 1;
        stop();
      };
    },
    close: async () => closed.resolve(),
  };
  const say = (message: Uint8Array) => splitMessage(message, MTU).forEach(feed.push);
  if (options.early !== undefined) say(options.early);
  const abort = new AbortController();
  if (options.aborted) abort.abort();
  const credential = mint({});
  let ended: unknown;
  const run = runExchange({
    link,
    exchange: {
      credential,
      command: options.command ?? { name: 'open' },
      eventId: EVENT_ID,
      clientNonce: CLIENT_NONCE,
    },
    crypto,
    clock,
    deadlineMonoMs: options.deadlineMonoMs ?? 30_000,
    signal: abort.signal,
    onProgress() {
      progress += 1;
    },
  });
  run.then(
    (outcome) => (ended = outcome),
    (error) => (ended = error),
  );
  return {
    clock,
    written,
    failures,
    abort,
    closed,
    say,
    progress: () => progress,
    /** Says to the REQUEST that was written, authentic, that the product moves. */
    sayMoving(counter: number) {
      const request = Buffer.concat(written.slice(1).map((fragment) => Buffer.from(fragment, 'hex').subarray(1)));
      const mac = new Uint8Array(request.subarray(-MAC_LENGTH));
      const { statusKey } = credential;
      const nonces = { productNonce: PRODUCT_NONCE, clientNonce: CLIENT_NONCE };
      const seal = answerSeal(crypto, { statusKey, ...nonces, eventId: EVENT_ID, mac });
      say(sealStatus(crypto, { seal, counter, final: false, block: MOVING }));
    },
    /** How it ended, or undefined; and what it left behind: timers, listeners. */
    async end() {
      await settle();
      return [ended, clock.pending, listening];
    },
  };
}

describe('an exchange', () => {
  it('takes nothing that came before HELLO for an answer to it', async () => {
    const { say, written, end } = start({ early: REFUSE });
    expect(await end()).toEqual([undefined, 1, 1]);
    expect(written).toEqual([HELLO_FRAGMENT]);
    say(REFUSE);
    expect(await end()).toEqual([{ kind: 'refused', type: 1, rtcS: 0 }, 0, 0]);
  });

  it('sends the REQUEST in fragments, and nothing more of it once it is over', async () => {
    const { say, written, end } = start();
    say(CHALLENGE);
    await settle();
    expect(written.map((fragment) => fragment.slice(0, 2))).toEqual(['c0', '80', '01', '02', '43']);
    expect(await end()).toEqual([undefined, 1, 1]);

    const refused = start();
    refused.say(CHALLENGE);
    refused.say(REFUSE);
    expect(await refused.end()).toEqual([{ kind: 'refused', type: 1, rtcS: 0 }, 0, 0]);
    expect(refused.written).toHaveLength(2);

    const broken = start();
    broken.failures.push(new RadioError(3, 'too slow'));
    broken.say(CHALLENGE);
    expect(await broken.end()).toEqual([{ kind: 'failed', type: 3 }, 0, 0]);
    expect(broken.written).toHaveLength(2);
  });

  it('is 2 when the link is gone, by a write or by itself', async () => {
    const write = start();
    write.failures.push(new RadioError(2, 'gone'));
    write.say(CHALLENGE);
    expect(await write.end()).toEqual([{ kind: 'failed', type: 2 }, 0, 0]);

    const link = start();
    link.closed.resolve();
    expect(await link.end()).toEqual([{ kind: 'failed', type: 2 }, 0, 0]);
  });

  it('waits 5 s for a CHALLENGE, and for a STATUS as long as a movement takes', async () => {
    const silent = start();
    await silent.clock.advance(4_999);
    expect(await silent.end()).toEqual([undefined, 1, 1]);
    await silent.clock.advance(1);
    expect(await silent.end()).toEqual([{ kind: 'failed', type: 3 }, 0, 0]);

    const asked = start();
    await asked.clock.advance(4_000);
    asked.say(CHALLENGE);
    await asked.clock.advance(124_999);
    expect(await asked.end()).toEqual([undefined, 1, 1]);
    await asked.clock.advance(1);
    expect(await asked.end()).toEqual([{ kind: 'failed', type: 3 }, 0, 0]);
  });

  it('waits 125 s for the end of a movement, from the first word on', async () => {
    const moving = start();
    moving.say(CHALLENGE);
    await settle();
    for (const counter of [1, 2, 3]) {
      moving.sayMoving(counter);
      await moving.clock.advance(40_000);
    }
    await moving.clock.advance(4_999);
    expect([moving.progress(), await moving.end()]).toEqual([3, [undefined, 1, 1]]);
    await moving.clock.advance(1);
    expect(await moving.end()).toEqual([{ kind: 'failed', type: 3 }, 0, 0]);
  });

  it('does not begin after the deadline, nor after an abort', async () => {
    for (const exchange of [start({ deadlineMonoMs: -1 }), start({ aborted: true })]) {
      expect([exchange.written, await exchange.end()]).toEqual([[], [{ kind: 'failed', type: 3 }, 0, 0]]);
    }
  });

  it('ends before its REQUEST has left by an abort, not after', async () => {
    const before = start();
    before.abort.abort();
    expect(await before.end()).toEqual([{ kind: 'failed', type: 3 }, 0, 0]);

    const after = start();
    after.say(CHALLENGE);
    after.abort.abort();
    expect(await after.end()).toEqual([undefined, 1, 1]);
  });

  it('rejects what is a mistake of this program, and throws it at nobody', async () => {
    const { say, end } = start({ command: { name: 'set_time', timeS: Number.NaN } });
    expect(() => say(CHALLENGE)).not.toThrow();
    expect(await end()).toEqual([expect.any(RangeError), 0, 0]);

    const narrow = start({ mtu: 22 });
    expect(await narrow.end()).toEqual([expect.any(RangeError), 0, 0]);
  });
});
