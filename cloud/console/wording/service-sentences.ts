/**
 * What the service says about a field, in the person's language. The service writes one English sentence for programs; here each of
 * them that a form can meet stands with its words. `{}` stands for what differs: a number, a name, an example.
 */
import type { EN_SERVICE } from './service/en.js';

export type ServiceSentence = keyof typeof EN_SERVICE;
/** By the service's own sentence. Which parts are put in, and in which order, is the same in every language. */
export type ServiceSentences = Readonly<Record<ServiceSentence, string>>;

const GAP = '{}';

/** @returns the service's own sentence where there are no words for it */
export function serviceSentence(message: string, sentences: Readonly<Record<string, string>>): string {
  const whole = sentences[message];
  if (whole !== undefined) return whole;
  for (const [pattern, said] of Object.entries(sentences)) {
    const parts = pattern.includes(GAP) ? partsOf(message, pattern.split(GAP)) : null;
    if (parts !== null) return said.split(GAP).reduce((text, rest, at) => `${text}${parts[at - 1] ?? ''}${rest}`);
  }
  return message;
}

/** What stands in the gaps between the fixed texts; null: the message is another one. */
function partsOf(message: string, [first = '', ...others]: readonly string[]): string[] | null {
  if (!message.startsWith(first)) return null;
  const parts: string[] = [];
  let at = first.length;
  for (const [index, fixed] of others.entries()) {
    const isLast = index === others.length - 1;
    const end = isLast ? message.length - fixed.length : message.indexOf(fixed, at + 1);
    if (end <= at || !message.startsWith(fixed, end)) return null;
    parts.push(message.slice(at, end));
    at = end + fixed.length;
  }
  return parts;
}
