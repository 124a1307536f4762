/**
 * The device code, which can be read only by someone who stands before an unclaimed device. Whoever claims the device
 * over the network has to know it, so that no other host of the network takes a new device, or one that was just reset,
 * for a cloud of its own.
 */
import { randomInt } from 'node:crypto';
import { addressNetwork } from '../../shared/address-seats.js';
import type { Clock } from '../../shared/clock.js';
import { canonicalCode, groupedCode } from '../../shared/typed-code.js';

/** Without what looks alike on a screen, or is heard alike: no 0 and O, 1, I and L, 2 and Z, 5 and S, 8 and B as two of them. */
const LETTERS = '23456789ACDEFGHJKMNPQRTUVWXY';
const LENGTH = 8;
const READ_AS: Readonly<Record<string, string>> = { B: '8', S: '5', Z: '2' };

/** Wrong ones that an address has in a minute, and all together in an hour. */
const OF_ADDRESS_MAX = 5;
const OF_ADDRESS_MS = 60_000;
const OF_ALL_MAX = 30;
const OF_ALL_MS = 3_600_000;

const WHERE = 'it stands on the screen of the device, and in what parking-agent status prints there';

/** Returns the text that the program on the device signs with the device's key, to claim it without its code. */
export const localClaimText = ({ cloudUrl, code }: { cloudUrl: string; code: string }): string =>
  ['claim on this device', cloudUrl, code].join('\n');

export const makeDeviceCode = (): string =>
  groupedCode(Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''));

/** Whoever claims the device has not shown that the device is before them. */
export class DeviceCodeError extends Error {
  /** @param retryAfterS whole seconds after which it may be tried again; null: at once */
  constructor(
    message: string,
    readonly retryAfterS: number | null = null,
  ) {
    super(message);
    this.name = 'DeviceCodeError';
  }
}

export interface DeviceCodeGuard {
  /**
   * Lets through whoever knows the code. Guesses are paced, also for a caller who then has the right one: else every
   * guess would be heard.
   * @param guess.typed as a person typed it; undefined: none was given, which is no guess
   * @throws DeviceCodeError
   */
  check(code: string, guess: { typed: string | undefined; address: string }): void;
}

export function createDeviceCodeGuard({ clock }: { clock: Clock }): DeviceCodeGuard {
  /** The newest last, at most `OF_ALL_MAX`. */
  let wrong: { network: string; atMs: number }[] = [];

  /** Returns for how long no further guess is heard. */
  function waitMs(network: string): number {
    const nowMs = clock.monotonic();
    wrong = wrong.filter(({ atMs }) => nowMs - atMs < OF_ALL_MS);
    const own = wrong.filter((guess) => guess.network === network).slice(-OF_ADDRESS_MAX);
    const ownMs = own.length < OF_ADDRESS_MAX ? 0 : (own[0]?.atMs ?? 0) + OF_ADDRESS_MS - nowMs;
    const allMs = wrong.length < OF_ALL_MAX ? 0 : (wrong[0]?.atMs ?? 0) + OF_ALL_MS - nowMs;
    return Math.max(0, ownMs, allMs);
  }

  return {
    check(code, { typed, address }) {
      if (typed === undefined || typed.trim() === '') throw new DeviceCodeError(`the device code is missing: ${WHERE}`);
      const network = addressNetwork(address);
      const retryAfterS = Math.ceil(waitMs(network) / 1_000);
      if (retryAfterS > 0)
        throw new DeviceCodeError(
          `too many wrong device codes: try again in ${retryAfterS} s, or claim it on the device itself (parking-agent claim)`,
          retryAfterS,
        );
      if (lettersOf(typed) === lettersOf(code)) return;
      wrong.push({ network, atMs: clock.monotonic() });
      throw new DeviceCodeError(`this is not the device code: ${WHERE}`);
    },
  };
}

const lettersOf = (typed: string): string =>
  canonicalCode(typed).replaceAll(/[BSZ]/g, (letter) => READ_AS[letter] ?? letter);
