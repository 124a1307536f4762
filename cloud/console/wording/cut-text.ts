/** What a person typed, as a sentence about it repeats it. */

const CHARS_MAX = 40;

/** Cuts a text so that a whole pasted page does not stand in a sentence, and leaves out what would turn the sentence around. */
export function cutText(text: string): string {
  const chars = [...text.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')];
  return chars.length > CHARS_MAX ? `${chars.slice(0, CHARS_MAX).join('')}…` : chars.join('');
}
