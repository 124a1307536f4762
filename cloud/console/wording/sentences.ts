/** Sentences about readings, sessions and failures. */
import type { ConsoleWords } from './en.js';
import { serviceSentence } from './service-sentences.js';

export { decisionSentence, failureSentence, isRefused } from '../../../shared/wording/gate-sentences.js';

/** `2 h 5 min`. @param seconds the stay's length */
export function spanOf(seconds: number, { sessions }: ConsoleWords): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return sessions.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return sessions.hours(hours, minutes % 60);
  return sessions.days(Math.floor(hours / 24), hours % 24);
}

/** `1 h`, `1 h 30 min`, `3 d` */
export const lengthText = (minutes: number, words: ConsoleWords): string =>
  spanOf(minutes * 60, words).replace(/ 0 \S+$/u, '');

/** Why the service refused, as `ParkingError` tells it. */
export interface Refusal {
  /** 0: there was no answer; null: the console itself failed, such as by a part that is not there after an upgrade. */
  status: number | null;
  errors: readonly { code: number; message: string; field?: string }[];
}

const WRONG_CREDENTIALS = 8;
const EMAIL_NOT_CONFIRMED = 9;
const TOO_MANY = 429;

/** The refusal in words. What is about a field of the request names what is wrong. */
export function refusalSentence({ status, errors }: Refusal, { errors: say, forms }: ConsoleWords): string {
  const inWords = (message: string) => serviceSentence(message, forms.service);
  const [first] = errors;
  if (status === 0) return say.noAnswer;
  if (status === null) return say.page;
  if (first !== undefined) {
    const known = say.codes[first.code];
    if (known !== undefined) return known;
    if (first.code === WRONG_CREDENTIALS) return say.wrongPassword;
    if (first.code === EMAIL_NOT_CONFIRMED) return say.unconfirmed;
    if (first.field !== undefined) return errors.map(({ message }) => inWords(message)).join(' ');
  }
  if (status === TOO_MANY) return say.tooMany;
  if (status === 403) return say.noRight;
  if (status === 404) return say.gone;
  return status >= 500 ? say.internal : first === undefined ? say.internal : inWords(first.message);
}

/** A request as it can be repeated in a terminal. The token is left to a variable, so that nobody passes it on with the line. */
export interface ShownCall {
  method: string;
  path: string;
  body?: unknown;
}

export function curlOf({ method, path, body }: ShownCall, origin: string): string {
  const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl -X ${method} ${inShell(origin + path)}`,
    `-H "authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${inShell(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}
