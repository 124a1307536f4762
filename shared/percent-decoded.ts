/**
 * Decodes the name or password of an address: what is no percent-encoding stays as it was typed, so that a `%` in a password is a `%`.
 * `decodeURIComponent` throws there.
 */
export function percentDecoded(text: string): string {
  return text.replaceAll(/(%[0-9a-fA-F]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
