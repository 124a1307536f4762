/**
 * The currencies of ISO 4217, list one ("active codes"), as of 2026-01-01, with the decimal digits that it gives them. It is a table of our
 * own because the runtime's differs from one release to the next (HUF has 2 digits in one and 0 in another), and stored amounts are counted
 * in these digits. Codes without a minor unit (gold, special drawing rights, tests) are left out: no amount can be written in them.
 */
const CODES: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE ' +
    'CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK ' +
    'LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON ' +
    'RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST ' +
    'XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES).flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, Number(digits)] as const)),
);

/** Says whether a code is a currency of ISO 4217, in upper case. */
export const isCurrency = (code: string): boolean => DIGITS.has(code);

/**
 * Returns the number of decimal digits of a currency (ISO 4217): 2 for EUR and HUF, 0 for JPY, 3 for KWD. One that was
 * withdrawn since amounts in it were stored has 2: none with another number was withdrawn.
 */
export const currencyDigits = (currency: string): number => DIGITS.get(currency) ?? 2;

/** The currencies that do not have two decimal digits. */
export const currencyDigitsExceptions = (): { currency: string; digits: number }[] =>
  [...DIGITS].map(([currency, digits]) => ({ currency, digits })).filter(({ digits }) => digits !== 2);

/** 1.5 EUR -> 150; null for an amount that is no whole number of minor units. Without a currency amounts have two digits. */
export function minorUnits(major: number, currency: string | null): number | null {
  const minor = writtenMinorUnits(major, currency);
  return Number.isInteger(minor) ? minor : null;
}

/** Moves the decimal point of the written number, because 1.005 * 100 is a little less than 100.5. */
function writtenMinorUnits(major: number, currency: string | null): number {
  const [mantissa = '', exponent = '0'] = String(major).split('e');
  return Number(`${mantissa}e${Number(exponent) + digitsOf(currency)}`);
}

/** 150 -> 1.5 */
export function majorUnits(minor: number, currency: string | null): number {
  return minor / 10 ** digitsOf(currency);
}

/** A payment where no tariff applies has no currency, and two digits. */
const digitsOf = (currency: string | null): number => (currency === null ? 2 : currencyDigits(currency));
