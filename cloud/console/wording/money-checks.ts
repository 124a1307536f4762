/** What can be said about forms of money before they are sent. The service checks all of it again. Pure. */
import { currencyDigits, isCurrency, majorUnits, minorUnits } from '../../../shared/currencies.js';
import type { Tariff as PricedTariff } from '../../traffic/tariff/price-stay.js';
import type { ConsoleWords } from './en.js';
import { saidInWords } from './field-faults.js';
import type { Refusal } from './sentences.js';

/** A number as people type it, with a comma or a point; null for what is none. */
export function numberIn(text: string): number | null {
  const written = text.trim().replace(',', '.');
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(written) ? Number(written) : null;
}

const wholeIn = (text: string, least: number, most: number): number | null => {
  const number = /^\d{1,9}$/.test(text.trim()) ? Number(text) : null;
  return number !== null && number >= least && number <= most ? number : null;
};

/** What is wrong at each field of the service's refusal, by the field's name. */
export const faultsOfRefusal = (refusal: Refusal | null, words: ConsoleWords): Record<string, string> =>
  Object.fromEntries(
    (refusal?.errors ?? []).flatMap(({ field, message }) =>
      field === undefined ? [] : [[field, saidInWords(message, words)] as const],
    ),
  );

/** As the service has it: minutes, for ever, or none. */
export const UNLIMITED_MINUTES = -1;
const DISCOUNT_MINUTES_MAX = 52_704_000;

/**
 * What free minutes are sent as.
 * @param granted what the stay has now. To leave the field empty takes that away, and means nothing where there is none
 */
export function checkDiscount(
  minutes: string,
  granted: number | null,
  { sessions, signIn }: ConsoleWords,
): { fault?: string; discount_time: number | null } {
  const text = minutes.trim();
  if (text === '') return { discount_time: null, ...(granted === null ? { fault: signIn.missing } : {}) };
  if (text === String(UNLIMITED_MINUTES)) return { discount_time: UNLIMITED_MINUTES };
  const discount_time = wholeIn(text, 0, DISCOUNT_MINUTES_MAX);
  return { discount_time, ...(discount_time === null ? { fault: sessions.wrongDiscount } : {}) };
}

export interface PaymentForm {
  /** In the major unit, as it was typed; above 0 also for a refund. */
  amount: string;
  reference: string;
  reason: string;
}

const AMOUNT_MAX = 1_000_000;
const REFERENCE_CHARS_MAX = 255;

export function paymentFaults(
  { amount, reference, reason }: PaymentForm,
  about: { currency: string; paid: number; isRefund: boolean; format: (amount: number) => string },
  { payments, signIn }: ConsoleWords,
): Partial<Record<keyof PaymentForm, string>> {
  const number = numberIn(amount);
  const faultOfAmount = (): string | undefined => {
    if (amount.trim() === '') return signIn.missing;
    if (number === null || number <= 0) return payments.wrongAmount;
    if (number > AMOUNT_MAX) return payments.most(about.format(AMOUNT_MAX));
    if (minorUnits(number, about.currency) === null)
      return payments.digits(about.currency, currencyDigits(about.currency));
    if (about.isRefund && number > about.paid) return payments.refundMost(about.format(about.paid));
    return undefined;
  };
  const fault = faultOfAmount();
  const tooLong = payments.tooLong(REFERENCE_CHARS_MAX);
  const faultOfReason = (): string | undefined => {
    if (about.isRefund && reason.trim() === '') return payments.reasonMissing;
    return reason.length > REFERENCE_CHARS_MAX ? tooLong : undefined;
  };
  const wrongReason = faultOfReason();
  return {
    ...(fault === undefined ? {} : { amount: fault }),
    ...(reference.length > REFERENCE_CHARS_MAX ? { reference: tooLong } : {}),
    ...(wrongReason === undefined ? {} : { reason: wrongReason }),
  };
}

/** By how much a payment is more than what is still due, in the major unit; 0: it is not. */
export function overpaidBy(amount: number, { amount_due, currency }: { amount_due: number; currency: string }): number {
  const beyond = (minorUnits(amount, currency) ?? 0) - (minorUnits(amount_due, currency) ?? 0);
  return Math.max(0, majorUnits(beyond, currency));
}

export interface WindowForm {
  /** `1` is Monday. */
  days: string[];
  start: string;
  end: string;
  price: string;
  /** Empty: as the tariff's. */
  step_minutes: string;
}

export interface TariffForm {
  name: string;
  currency: string;
  vat: string;
  free_minutes: string;
  price: string;
  step_minutes: string;
  /** Empty: no limit. */
  daily_max: string;
  windows: WindowForm[];
}

/** The body in which a tariff is sent. */
export interface TariffBody {
  name: string;
  currency: string;
  vat: string;
  free_minutes: number;
  price: number;
  step_minutes: number;
  daily_max: number | null;
  windows: { days: number[]; start: string; end: string; price: number; step_minutes: number }[];
}

const NAME_CHARS_MAX = 255;
const PRICE_MAX = 1e9;
const MINUTES_MAX = 525_600;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const VAT = /^(\d{1,2}(\.\d{1,4})?)?$/;

const vatOf = (text: string): string => text.trim().replace(',', '.');

/** @returns by the names of the service's fields (`windows.0.price`) what is wrong; and what to send when nothing is */
export function checkTariff(
  form: TariffForm,
  { tariffs, payments, signIn }: ConsoleWords,
): { faults: Record<string, string>; body: TariffBody | null } {
  const faults: Record<string, string> = {};
  const currency = form.currency.trim().toUpperCase();
  const hasCurrency = /^[A-Z]{3}$/.test(currency) && isCurrency(currency);
  const price = (field: string, text: string): number => {
    const number = numberIn(text);
    if (text.trim() === '') faults[field] = signIn.missing;
    else if (number === null || number < 0 || number > PRICE_MAX) faults[field] = tariffs.wrongPrice;
    else if (hasCurrency && minorUnits(number, currency) === null)
      faults[field] = payments.digits(currency, currencyDigits(currency));
    return number ?? 0;
  };
  const minutes = (field: string, text: string, least: number): number => {
    const number = wholeIn(text, least, MINUTES_MAX);
    if (number === null) faults[field] = text.trim() === '' ? signIn.missing : tariffs.wrongMinutes(least, MINUTES_MAX);
    return number ?? least;
  };
  const name = form.name.trim();
  if (name === '') faults.name = signIn.missing;
  else if (name.length > NAME_CHARS_MAX) faults.name = payments.tooLong(NAME_CHARS_MAX);
  if (!hasCurrency) faults.currency = tariffs.wrongCurrency;
  if (!VAT.test(vatOf(form.vat))) faults.vat = tariffs.wrongVat;
  const body: TariffBody = {
    name,
    currency,
    vat: vatOf(form.vat),
    free_minutes: minutes('free_minutes', form.free_minutes, 0),
    price: price('price', form.price),
    step_minutes: minutes('step_minutes', form.step_minutes, 1),
    daily_max: form.daily_max.trim() === '' ? null : price('daily_max', form.daily_max),
    windows: [],
  };
  body.windows = form.windows.map((window, at) => {
    const field = (key: keyof WindowForm) => `windows.${at}.${key}`;
    if (window.days.length === 0) faults[field('days')] = tariffs.noDay;
    for (const key of ['start', 'end'] as const) if (!TIME.test(window[key])) faults[field(key)] = tariffs.wrongTime;
    return {
      days: window.days.map(Number).toSorted((a, b) => a - b),
      start: window.start,
      end: window.end,
      price: price(field('price'), window.price),
      step_minutes:
        window.step_minutes.trim() === '' ? body.step_minutes : minutes(field('step_minutes'), window.step_minutes, 1),
    };
  });
  return { faults, body: Object.keys(faults).length === 0 ? body : null };
}

/** The tariff as the cloud's billing takes it: prices in the minor unit. */
export function pricedTariff(body: Omit<TariffBody, 'name' | 'vat'>): PricedTariff {
  const minor = (price: number) => minorUnits(price, body.currency) ?? 0;
  const { free_minutes, step_minutes, windows } = body;
  return {
    free_minutes,
    step_minutes,
    price_minor: minor(body.price),
    daily_max_minor: body.daily_max === null ? null : minor(body.daily_max),
    windows: windows.map((window) => ({ ...window, price: minor(window.price) })),
  };
}
