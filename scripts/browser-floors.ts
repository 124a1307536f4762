/**
 * The oldest browsers in which each page works. Its bundle is compiled for them, and tests remove from a newer browser
 * whatever they lack.
 */

/** `said`: as the guides say it. `targets`: of the bundler, so that no younger syntax is in the bundle. */
export const BROWSER_FLOORS = {
  guest: { said: 'iOS 13 and Chrome 80', targets: ['safari13', 'chrome80'] },
  // Before Chrome 91 the bundler takes `?.` for broken, because of calls that spread behind it: written out, the page would not fit its size.
  gateway: { said: 'iOS 15 and Chrome 90', targets: ['safari15', 'chrome91'] },
  console: {
    said: 'Chrome 130, Firefox 132 and Safari 18',
    targets: ['chrome130', 'firefox132', 'safari18'],
  },
} as const satisfies Record<string, { said: string; targets: readonly string[] }>;

export type FlooredPage = keyof typeof BROWSER_FLOORS;
