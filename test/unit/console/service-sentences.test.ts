import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DE_SERVICE } from '../../../cloud/console/wording/service/de.js';
import { EN_SERVICE } from '../../../cloud/console/wording/service/en.js';
import { HR_SERVICE } from '../../../cloud/console/wording/service/hr.js';
import { HU_SERVICE } from '../../../cloud/console/wording/service/hu.js';
import { serviceSentence } from '../../../cloud/console/wording/service-sentences.js';
import { plateValue } from '../../../cloud/rest/field/values.js';
import { restReason } from '../../../cloud/rest/resource/value-reasons.js';
import { z } from 'zod';

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const sourceTexts = (): string[] =>
  ['cloud', 'shared']
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => `${room}/${path}`))
    .filter((path) => path.endsWith('.ts') && !/^cloud\/console\/|\/wording\//.test(path))
    .map((path) => readFileSync(path, 'utf8'));

/** How the sentences begin that no form of the console meets: what only programs send, and what files hold. */
const ONLY_PROGRAMS: readonly string[] = [
  'Must be a whole number from 1 to this',
  'Must be true, or left out',
  'Must be a key of full order',
  'Must name a key log',
  'Must have 1 to 200 characters',
  'Must be 0 or 1',
  'Must be 0, 1, true or false',
  'Must be field:asc or field:desc',
  'Must be nested at most',
  'Must have at most this keys',
  'Must have at most this values',
  'Must not have a Content-Encoding',
  'Must be of the type application/json',
  'Must be 1 to 255 visible ASCII characters',
  'Must be this',
  'Must be at this',
  'Must hold its secret',
  'Must be 32 or more letters',
  'Must not be after to',
  'Must not be more than this days',
  'Must be ignored, or null',
  'Must be HH:MM',
  'Must not be before start',
  'Must be a lower-case uuid',
  'Must be 8 lower-case hex digits',
  'Must be one line',
  'Must be an IPv4 address',
  'Must be 8 to 63 plain characters',
  'Must be the two letters of a country',
  'Must be an address that begins',
  'Must be the one-time code',
  'Must be certificates in PEM form',
  'Must be 1 (coils)',
  'Must be {mask: 1}',
  'Must be 1 or 2',
];

describe('what the service says about a field', () => {
  it('is put in the words of the language, with what differs in its place', () => {
    expect(serviceSentence('Must have at most 200 characters', DE_SERVICE)).toBe('Höchstens 200 Zeichen.');
    expect(serviceSentence('EUR has 2 decimal digits', HR_SERVICE)).toBe('EUR ima 2 decimala.');
    expect(serviceSentence('Must be at most 5', EN_SERVICE)).toBe('At most 5.');
    expect(serviceSentence('Required', DE_SERVICE)).toBe('Bitte füllen Sie dieses Feld aus.');
  });

  it('stays as it is where there are no words for it, also before they are loaded', () => {
    expect(serviceSentence('Is odd', DE_SERVICE)).toBe('Is odd');
    expect(serviceSentence('Must be at most ', DE_SERVICE)).toBe('Must be at most ');
    expect(serviceSentence('Required', {})).toBe('Required');
  });

  it('puts the same in every language', () => {
    const gaps = (text: string) => text.split('{}').length - 1;
    for (const words of [EN_SERVICE, DE_SERVICE, HR_SERVICE, HU_SERVICE])
      for (const [message, said] of Object.entries(words))
        expect([message, gaps(said) <= gaps(message)]).toEqual([message, true]);
  });

  it('has words for what the limits of any value and of a plate say', () => {
    const faultsOf = (schema: z.ZodType, ...values: unknown[]) =>
      values.flatMap((value) => {
        const result = schema.safeParse(value, { error: (issue) => restReason(issue as never) });
        return result.success ? [] : result.error.issues.map(({ message }) => capital(message));
      });
    const messages = [
      ...faultsOf(plateValue, '', '--', '60 X', 'ZG1,ZG2', 'A'.repeat(30), '<b>', undefined),
      ...faultsOf(z.string().min(3).max(4), 'a', 'aaaaa'),
      ...faultsOf(z.number().int().min(3).max(4), 2, 5, 3.5, 'three'),
      ...faultsOf(z.enum(['in', 'out']), 'up'),
      ...faultsOf(z.array(z.number()).min(2).max(2), [1], [1, 1, 1]),
    ];
    expect(messages.length).toBeGreaterThan(12);
    for (const message of messages)
      expect([message, serviceSentence(message, DE_SERVICE)]).not.toEqual([message, message]);
  });

  it('is something that the service still says', () => {
    const sources = sourceTexts().join('\n').replaceAll("\\'", "'").toLowerCase();
    const gone = Object.keys(EN_SERVICE).filter(
      (message) =>
        !message
          .toLowerCase()
          .split('{}')
          .every((fixed) => sources.includes(fixed)),
    );
    expect(gone).toEqual([]);
  });

  it('is put in words wherever a form can meet it', () => {
    const said = sourceTexts().flatMap((text) => [...text.matchAll(/(['`])([Mm]ust [^'`\n]{3,}?)\1/g)]);
    const messages = new Set(said.map(([, , message = '']) => capital(message.replaceAll(/\$\{[^}]*\}/g, 'this'))));
    expect(messages.size).toBeGreaterThan(90);
    const bare = [...messages].filter((message) => serviceSentence(message, EN_SERVICE) === message);
    expect(bare.filter((message) => !ONLY_PROGRAMS.some((each) => message.startsWith(each)))).toEqual([]);
    expect(ONLY_PROGRAMS.filter((each) => !bare.some((message) => message.startsWith(each)))).toEqual([]);
  });
});
