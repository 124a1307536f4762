import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { createNetworkWatch, ownAddresses } from '../../../agent/uplink/network-watch.js';

it('takes a new address for a network that is back, and a lost or a known one for none', () => {
  let addresses = ['192.0.2.7', '2001:db8::7'];
  const watch = createNetworkWatch(() => addresses);
  const after = (changed: string[]) => {
    addresses = changed;
    return watch.hasReturned();
  };
  expect(after(['2001:db8::7', '192.0.2.7'])).toBe(false);
  expect(after([])).toBe(false);
  expect(after(['192.0.2.7'])).toBe(true);
  expect(after(['192.0.2.7'])).toBe(false);
  expect(after(['192.0.2.8'])).toBe(true);
});

it('knows the addresses of this machine, but neither its loopback nor those of links without a network', () => {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  expect(all.map(({ address }) => address)).toEqual(expect.arrayContaining(ownAddresses()));
  expect(ownAddresses().filter((address) => /^(127\.|::1$|169\.254\.|fe80:)/.test(address))).toEqual([]);
});
