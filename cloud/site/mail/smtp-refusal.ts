/** What a mail server's final answer is about: a letter, or the sender of all letters. Pure. */

/** A status of RFC 3463 behind the code of an answer: `550 5.4.5 Daily limit exceeded`. */
const STATUS = /^\d{3}[ -]\d(\.\d{1,3}\.\d{1,3})\b/;
/** The sender has sent too much (x.4.5), or may not send (x.7.0), as providers say when an account has used up its share. */
const OF_THE_SENDER = new Set(['.4.5', '.7.0']);
/** x.1.*: the receiver's address. x.2.*: the receiver's mailbox, which may be over its quota. */
const OF_THE_RECEIVER = /^\.[12]\./;
/** What differs between the answers to two letters: addresses, and the words with a digit by which servers name a letter. */
const OF_THE_LETTER = /<[^>]*>|\S+@\S+|\b\w*\d\w*\b/g;

/**
 * @param refusal.command what was answered: `MAIL FROM`, `RCPT TO`, `DATA`
 * @param refusal.response the answer, with its code: 5xx
 */
export interface Refusal {
  command: string;
  response: string;
}

/** Whether the server refuses everything that this service sends, for now: the letter is not to blame. */
export function isOfTheSender({ command, response }: Refusal): boolean {
  if (command === 'MAIL FROM') return true;
  const status = statusOf(response);
  if (status !== null && OF_THE_SENDER.has(status)) return true;
  return /quota/i.test(response) && !isOfTheReceiver(response);
}

/**
 * The refusal without what differs between letters: where two letters in a row get the same, the server means the sender. null: it is about
 * the receiver, and two receivers may be wrong in a row.
 */
export function commonWords({ command, response }: Refusal): string | null {
  if (isOfTheReceiver(response)) return null;
  const [code = '', words = ''] = [response.slice(0, 3), response.slice(3)];
  return `${command} ${code} ${statusOf(response) ?? ''} ${words.replace(OF_THE_LETTER, '').replaceAll(/\s+/g, ' ').trim()}`;
}

const statusOf = (response: string): string | null => STATUS.exec(response)?.[1] ?? null;

function isOfTheReceiver(response: string): boolean {
  const status = statusOf(response);
  return status === null ? /mailbox/i.test(response) : OF_THE_RECEIVER.test(status);
}
