/**
 * Percent-decodes a user name or password from a URL. A text that is not valid percent-encoding is returned unchanged, so that a password may
 * contain a plain `%`, for which `decodeURIComponent` throws.
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
