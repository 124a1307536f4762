/** A browser as old as a page's floor: a newer one from which a script, before those of the page, takes what the old ones do not have. */
import type { FlooredPage } from '../../scripts/browser-floors.js';

/** `Name#method` is of the objects that `Name` makes. On plain HTTP the last ones are missing in every browser. */
const SINCE_TWO_YEARS = [
  'Iterator#map Iterator#filter Iterator#take Iterator#drop Iterator#flatMap Iterator#toArray Iterator#some Iterator#every',
  'Iterator#find Iterator#reduce Iterator#forEach Iterator Promise.try RegExp.escape Error.isError Math.sumPrecise Math.f16round',
  'Uint8Array.fromBase64 Uint8Array.fromHex Uint8Array#toBase64 Uint8Array#toHex Intl.DurationFormat URLPattern Map#getOrInsert',
  'Float16Array Array.fromAsync JSON.rawJSON Atomics.pause navigation scheduler cookieStore requestIdleCallback',
  'Crypto#randomUUID Crypto#subtle Navigator#clipboard Navigator#locks Navigator#serviceWorker',
];

/** Safari 15.0 and Chrome 90 lack them, or one of the two. */
const SINCE_GATEWAY_FLOOR = [
  ...SINCE_TWO_YEARS,
  'AbortSignal.any AbortSignal.timeout AbortSignal.abort AbortSignal#throwIfAborted AbortSignal#reason structuredClone reportError',
  'Array#at String#at Uint8Array#at Array#findLast Array#findLastIndex Array#toSorted Array#toReversed Array#toSpliced Array#with',
  'Object.hasOwn Object.groupBy Map.groupBy Promise.withResolvers String#isWellFormed String#toWellFormed Intl.supportedValuesOf',
  'Set#union Set#intersection Set#difference Set#symmetricDifference Set#isSubsetOf Set#isSupersetOf Set#isDisjointFrom',
  'URL.canParse URL.parse URLSearchParams#size Response.json BroadcastChannel Element#checkVisibility HTMLElement#showPopover',
  'HTMLDialogElement#showModal HTMLDialogElement#show HTMLDialogElement#close Document#startViewTransition Navigator#vibrate',
];

/** Safari 13.0 and Chrome 80 lack them, or one of the two. */
const SINCE_GUEST_FLOOR = [
  ...SINCE_GATEWAY_FLOOR,
  'Promise.any AggregateError WeakRef FinalizationRegistry String#replaceAll BigInt ResizeObserver Element#replaceChildren',
  'Intl.ListFormat Intl.DisplayNames Intl.RelativeTimeFormat Intl.Locale Intl.Segmenter Intl.DateTimeFormat#formatRange',
  'Blob#text Blob#arrayBuffer Blob#stream',
];

const LACKING: Readonly<Record<FlooredPage, readonly string[]>> = {
  console: SINCE_TWO_YEARS,
  gateway: SINCE_GATEWAY_FLOOR,
  guest: SINCE_GUEST_FLOOR,
};

/** A script for `addInitScript`. @param more is taken away too. It throws if something cannot be taken away */
export function lackingScript(page: FlooredPage, more: readonly string[] = []): string {
  const names = [...LACKING[page].flatMap((line) => line.split(' ')), ...more];
  return `for (const name of ${JSON.stringify(names)}) {
    const path = name.replace('#', '.prototype.').split('.');
    const last = path.pop();
    const owner = path.reduce((each, step) => each?.[step], globalThis) ?? {};
    // Where it is, also further up: at of all typed arrays is one.
    for (let each = owner; each !== null; each = Object.getPrototypeOf(each)) if (Object.prototype.hasOwnProperty.call(each, last)) delete each[last];
    if (last in owner) throw new Error('this browser keeps ' + name);
  }`;
}
