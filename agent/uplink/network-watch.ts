/** Notices that the machine's network is back: it has an address that it had not when it was looked at before. */
import { networkInterfaces } from 'node:os';

/** The addresses that others can reach this machine by; those of a link without a network do not count. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter(({ internal, address }) => !internal && !isLinkLocal(address)).map(({ address }) => address),
  );

const isLinkLocal = (address: string): boolean => address.startsWith('169.254.') || /^fe[89ab]/i.test(address);

/** `hasReturned`: whether there is an address that was not there at the call before, or at the start. */
export function createNetworkWatch(addresses: () => readonly string[]): { hasReturned(): boolean } {
  let known = new Set(addresses());
  return {
    hasReturned() {
      const current = new Set(addresses());
      const isNew = [...current].some((address) => !known.has(address));
      known = current;
      return isNew;
    },
  };
}
