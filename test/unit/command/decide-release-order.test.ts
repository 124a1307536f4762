import { describe, expect, it } from 'vitest';
import { orderForRelease } from '../../../cloud/equipment/command/decide-release-order.js';

const MIN_RSSI = -95;

/** @param heard dBm of gateways 1, 2, 3 ...; gateways 8 and 9 did not report the product */
function orderOf(
  heard: readonly (number | null)[],
  running: Record<number, number> = {},
  atProduct: readonly number[] = [],
): number[] {
  return orderForRelease({
    heard: heard.map((rssi, index) => ({ gateway_id: index + 1, rssi })),
    others: [8, 9].map((gateway_id) => ({ gateway_id, rssi: null })),
    running: new Map(Object.entries(running).map(([id, count]) => [Number(id), count])),
    atProduct: new Set(atProduct),
    minRssi: MIN_RSSI,
  }).map(({ gateway_id }) => gateway_id);
}

describe('the order of gateways for a release', () => {
  it.each([
    ['the strongest signal first where nobody is at work', [-50, -55, -58], {}, [1, 2, 3, 8, 9]],
    [
      'the one with least to do among those that hear it as well',
      [-50, -55, -60],
      { 1: 3, 2: 1, 3: 2 },
      [2, 3, 1, 8, 9],
    ],
    ['one that hears it worse comes later, however idle it is', [-50, -61], { 1: 9 }, [1, 2, 8, 9]],
    ['one that hears it too faintly, too', [-90, -96], { 1: 9 }, [1, 2, 8, 9]],
    ['unknown signals last', [-50, null], { 1: 9 }, [1, 2, 8, 9]],
    ['unknown signals alone in their order', [null, null], { 1: 9 }, [1, 2, 8, 9]],
    ['those that did not report it', [], {}, [8, 9]],
  ] as const)('%s', (_what, heard, running, expected) => {
    expect(orderOf(heard, running)).toEqual(expected);
  });

  it.each([
    ['though it has more to do than another one', [-50, -55], { 1: 1 }, [1], [1, 2, 8, 9]],
    ['though others hear the product better', [-50, -80, -85], { 3: 1 }, [3], [3, 1, 2, 8, 9]],
    ['though the product is not heard while it is connected to', [], {}, [9], [9, 8]],
  ] as const)('a gateway that is at the product first, %s', (_what, heard, running, atProduct, expected) => {
    expect(orderOf(heard, running, atProduct)).toEqual(expected);
  });
});
