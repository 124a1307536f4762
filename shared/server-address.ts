/**
 * Addresses that settings and people give. Parts without a meaning there would be lost without a word, or break the
 * address that is made of it.
 */

/** To which a path is appended: it may have one of its own, and nothing that would stand behind it. @param schemes without the colon */
export const isBaseAddress = (text: string, schemes: readonly string[]): boolean =>
  schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text) && !/[\s?#\\]/.test(text);

/**
 * Parses the address of a server alone: a user may stand before its host and port, and a slash behind them.
 * @param schemes without the colon
 */
export function isServerAddress(text: string, schemes: readonly string[]): boolean {
  if (!/^\w+:\/\/[^\s/?#\\]+\/*$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return hostname !== '' && schemes.some((scheme) => protocol === `${scheme}:` && text.startsWith(`${scheme}:`));
}

/** The same without a user: it is shown, and links begin with it. */
export const isPublicServerAddress = (text: string, schemes: readonly string[]): boolean =>
  isServerAddress(text, schemes) && !text.includes('@');
