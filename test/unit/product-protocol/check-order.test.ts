import { describe, expect, it } from 'vitest';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { isRequest } from '../../../shared/product-protocol/message-codec.js';
import { mintCredentialBytes, NO_EXPIRY_S, type TokenGrant } from '../../../shared/product-protocol/token-codec.js';
import { createWorld, resultOf, run, type World } from './exchange-world.js';
import { crypto, IDENTITY, KEYS, NOW_S } from './protocol-fixture.js';

/** What can be wrong with a `close`, in the order in which a product looks; `says` is what it answers then. */
const FAULTS = [
  { fault: 'no master key', says: 'hint 8' },
  { fault: 'version', says: 'hint 0' },
  { fault: 'token of another product', says: 'hint 1' },
  { fault: 'nonce too old', says: 'hint 0' },
  { fault: 'wrong mac', says: 'hint 0' },
  { fault: 'token for another operation', says: 'error 1' },
  { fault: 'generation raised', says: 'error 1' },
  { fault: 'id denied', says: 'error 1' },
  { fault: 'clock not valid', says: 'error 9' },
  { fault: 'window over', says: 'error 1' },
  { fault: 'executed already', says: 'ok' },
  { fault: 'moving', says: 'error 10' },
  { fault: 'car on top', says: 'error 6' },
  { fault: 'sensor dirty', says: 'error 7' },
] as const;
type Fault = (typeof FAULTS)[number]['fault'];

const EVENT = '0000c105';
const OTHER_KEYS = deriveProductKeys(crypto, { masterKey: new Uint8Array(32).fill(9), ...IDENTITY });

function attempt(faults: ReadonlySet<Fault>): { says: string; world: World; movesBefore: number } {
  const world = createWorld({ memory: { position: 'opened' } });
  const command = { name: 'close' } as const;
  if (faults.has('executed already')) run(world, { command, eventId: EVENT });
  if (faults.has('moving')) run(world, { command: { name: 'open' }, eventId: '00000001', during: 'arrives' });
  if (faults.has('moving')) run(world, { command, eventId: '00000002', during: 'nothing' });
  const movesBefore = world.motor.length;

  const { product } = world;
  world.product = {
    ...product,
    keys: faults.has('no master key') ? null : product.keys,
    rtc: faults.has('clock not valid') ? null : product.rtc,
    sensors: { ...product.sensors, carOnTop: faults.has('car on top'), dirty: faults.has('sensor dirty') },
    memory: {
      ...product.memory,
      gens: faults.has('generation raised') ? product.memory.gens.map(() => 1) : product.memory.gens,
      deniedIds: faults.has('id denied') ? [{ id: 77, expiresS: NO_EXPIRY_S }] : [],
    },
  };
  const grant: TokenGrant = {
    op: faults.has('token for another operation') ? 'open' : 'close',
    slot: 3,
    gen: 0,
    id: 77,
    notBeforeS: 0,
    expiresS: faults.has('window over') ? NOW_S : NO_EXPIRY_S,
  };
  const tamper = (message: Uint8Array) => {
    if (!isRequest(message)) return message;
    const changed = message.slice();
    if (faults.has('version')) changed[1] = 2;
    if (faults.has('wrong mac')) changed[changed.length - 1] = changed.at(-1)! ^ 1;
    if (faults.has('nonce too old')) world.nowMs += 10_001;
    return changed;
  };
  const keys = faults.has('token of another product') ? OTHER_KEYS : KEYS;
  const result = run(world, {
    command,
    eventId: EVENT,
    credential: mintCredentialBytes(crypto, keys, grant),
    tamper,
    during: faults.has('moving') ? 'nothing' : 'arrives',
  });
  return { says: resultOf(result), world, movesBefore };
}

describe("a product's checks", () => {
  it('without a fault it closes', () => {
    const { says, world } = attempt(new Set());
    expect(says).toBe('ok');
    expect(world.motor).toEqual(['closed']);
  });

  it.each(FAULTS)('$fault: $says', ({ fault, says }) => {
    const result = attempt(new Set([fault]));
    expect(result.says).toBe(says);
    expect(result.world.motor).toHaveLength(result.movesBefore);
  });

  const pairs = FAULTS.flatMap((first, index) => FAULTS.slice(index + 1).map((second) => ({ first, second })));
  it.each(pairs)('$first.fault before $second.fault', ({ first, second }) => {
    const result = attempt(new Set([first.fault, second.fault]));
    expect(result.says).toBe(first.says);
    expect(result.world.motor).toHaveLength(result.movesBefore);
  });
});
