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
    const sources = ['cloud', 'shared']
      .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => `${room}/${path}`))
      .filter((path) => path.endsWith('.ts') && !path.startsWith('cloud/console/'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
      .replaceAll("\\'", "'")
      .toLowerCase();
    const gone = Object.keys(EN_SERVICE).filter(
      (message) =>
        !message
          .toLowerCase()
          .split('{}')
          .every((fixed) => sources.includes(fixed)),
    );
    expect(gone).toEqual([]);
  });
});
