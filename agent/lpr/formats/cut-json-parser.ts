/** Closes JSON that was cut off: what is not whole at its end is left out. */

/** Returns text that may be parsed; of what is no JSON at all, it stays none. */
export function closeCutJson(text: string): string {
  /** Where a value of the innermost open thing last ended, and how to close what is open there. */
  let safe = { end: 0, closers: '' };
  const open: string[] = [];
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at++;
      else if (character === '"') isText = false;
      continue;
    }
    if (character === '"') isText = true;
    else if (character === '{' || character === '[') open.push(character === '{' ? '}' : ']');
    else if (character === '}' || character === ']') {
      open.pop();
      safe = { end: at + 1, closers: open.toReversed().join('') };
    } else if (character === ',') safe = { end: at, closers: open.toReversed().join('') };
  }
  return text.slice(0, safe.end) + safe.closers;
}
