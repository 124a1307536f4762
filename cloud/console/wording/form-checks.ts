/** What can be said about a form before it is sent. The service checks all of it again. */
import { cutText } from './cut-text.js';
import type { ConsoleWords } from './en.js';
import type { Faults } from './field-faults.js';

export interface InviteForm {
  emails: string;
  products: readonly string[];
}

/** Deliberately wide: the service decides, and a mail server after it. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export const isEmail = (text: string): boolean => EMAIL.test(text);

export const emailsIn = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** Of the Wi-Fi in a claim file, which the device checks again (shared/claim-file.ts). */
export function claimFileFaults(
  { ssid, password, country }: { ssid: string; password: string; country: string },
  { devices, signIn }: ConsoleWords,
): Faults {
  if (ssid === '') return password === '' ? {} : { ssid: signIn.missing };
  return {
    ...(new TextEncoder().encode(ssid).length > 32 ? { ssid: devices.wrongWifiName } : {}),
    ...(password === '' || /^([\x20-\x7e]{8,63}|[0-9a-fA-F]{64})$/.test(password)
      ? {}
      : { password: devices.wrongWifiPassword }),
    ...(/^[a-zA-Z]{2}$/.test(country) ? {} : { country: devices.wrongWifiCountry }),
  };
}

/** By the names of the service's fields. */
export function inviteFaults(form: InviteForm, { keys, signIn }: ConsoleWords): Faults {
  const emails = emailsIn(form.emails);
  const wrong = emails.find((each) => !isEmail(each));
  return {
    ...(emails.length === 0 ? { receiver_emails: signIn.missing } : {}),
    ...(wrong === undefined ? {} : { receiver_emails: keys.wrongEmail(cutText(wrong)) }),
    ...(form.products.length === 0 ? { products: keys.chooseProduct } : {}),
  };
}

/** As the service wants it of people. */
export const PASSWORD_CHARS_MIN = 10;

/** A fault of one field, under its name; empty: nothing can be said against it. */
type Fault<Name extends string> = { [Each in Name]?: string };

const faultOf = <Name extends string>(name: Name, fault: string | undefined): Fault<Name> =>
  (fault === undefined ? {} : { [name]: fault }) as Fault<Name>;

export const requiredFault = <Name extends string>(name: Name, value: string, { signIn }: ConsoleWords): Fault<Name> =>
  faultOf(name, value.trim() === '' ? signIn.missing : undefined);

export function emailFault(email: string, { signIn, keys }: ConsoleWords): Fault<'email'> {
  if (email.trim() === '') return { email: signIn.missing };
  return EMAIL.test(email.trim()) ? {} : { email: keys.wrongEmail(cutText(email)) };
}

/** @param least how many characters it needs */
export const lengthFault = <Name extends string>(
  name: Name,
  value: string,
  least: number,
  { signIn, admin }: ConsoleWords,
): Fault<Name> =>
  faultOf(name, value === '' ? signIn.missing : value.length < least ? admin.tooShort(least) : undefined);

/** What is printed on a product, in the form that the service takes. */
export const deviceFault = (deviceId: string, { setup, signIn }: ConsoleWords): Fault<'device_id'> =>
  faultOf(
    'device_id',
    deviceId === '' ? signIn.missing : /^[0-9a-f]{12}$/.test(deviceId) ? undefined : setup.wrongDeviceId,
  );

/** As the service takes it of people. */
const REASON_CHARS_MAX = 500;

/** What is wrong with why something is done, which may stay empty. */
export const reasonFault = (reason: string, { queue }: ConsoleWords): string | undefined =>
  reason.trim().length > REASON_CHARS_MAX ? queue.reasonTooLong(REASON_CHARS_MAX) : undefined;

/** @param value as `<input type=datetime-local>` gives it; empty: not given. @param now milliseconds since 1970 */
export const futureFault = <Name extends string>(
  name: Name,
  value: string,
  now: number,
  { admin }: ConsoleWords,
): Fault<Name> => faultOf(name, value !== '' && !(Date.parse(value) > now) ? admin.inPast : undefined);

/**
 * An address to which a service can post. Which of them it may is for the service to say.
 * @param notUrl the words for a text that is none
 */
export function urlFault(url: string, { signIn }: ConsoleWords, notUrl: string): Fault<'url'> {
  if (url.trim() === '') return { url: signIn.missing };
  return URL.canParse(url.trim()) && /^https?:\/\//i.test(url.trim()) ? {} : { url: notUrl };
}
