/** Parses a text as JSON; undefined: it is not JSON, as the page of a proxy or of a network that wants a sign-in. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
