/** The lines of a price in the reader's language. Pure. */
import { type LineText, parseLineText } from '../../traffic/tariff/price-line-text.js';
import type { ConsoleWords } from './en.js';
import { lengthText } from './sentences.js';

/** The writing of amounts and of days of the week: 1 is Monday. */
export interface LineFormats {
  money: (amount: number, currency: string) => string;
  weekday: (day: number) => string;
}

/** @param text as the service writes it. One that this page does not know stands as it is */
export function priceLineWords(text: string, formats: LineFormats, words: ConsoleWords): string {
  const line = parseLineText(text);
  return line === null ? text : wordsOf(line, formats, words);
}

function wordsOf(line: LineText, { money, weekday }: LineFormats, words: ConsoleWords): string {
  const say = words.payments.line;
  switch (line.kind) {
    case 'steps': {
      const days = line.days?.map(weekday) ?? [];
      const hours = line.hours === null ? [] : [`${line.hours.start}–${line.hours.end}`];
      const when = [...days, ...hours].join(' ');
      const said = say.steps(line.count, lengthText(line.step_minutes, words), money(line.price, line.currency));
      return when === '' ? said : `${said} (${when})`;
    }
    case 'daily_max':
      return say.dailyMax(line.count, money(line.price, line.currency));
    case 'weeks_alike':
      return say.weeksAlike(line.count);
    case 'free':
      return say.free(lengthText(line.minutes, words));
    case 'granted':
      return line.minutes === null ? say.grantedAll : say.granted(lengthText(line.minutes, words));
    case 'rest':
    case 'whole':
      return say[line.kind];
  }
}
