import { describe, expect, it } from 'vitest';
import { ACCOUNT_WORDS } from '../../../cloud/console/wording/en/account.js';
import { ACCOUNT_WORDS as ACCOUNT_DE } from '../../../cloud/console/wording/de/account.js';
import { ACCOUNT_WORDS as ACCOUNT_HR } from '../../../cloud/console/wording/hr/account.js';
import { ACCOUNT_WORDS as ACCOUNT_HU } from '../../../cloud/console/wording/hu/account.js';
import { auditSentence, detailLines, platesIn, reasonOf } from '../../../cloud/console/wording/audit-sentences.js';
import { CONSOLE_WORDS as de } from '../../../cloud/console/wording/de.js';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import { CONSOLE_WORDS as hr } from '../../../cloud/console/wording/hr.js';
import { CONSOLE_WORDS as hu } from '../../../cloud/console/wording/hu.js';
import { DE_SERVICE } from '../../../cloud/console/wording/service/de.js';
import { faultsOf, refusalBeside } from '../../../cloud/console/wording/field-faults.js';
import {
  emailFault,
  futureFault,
  lengthFault,
  requiredFault,
  urlFault,
} from '../../../cloud/console/wording/form-checks.js';
import { TOKEN_ENDS, tokenEnd } from '../../../cloud/console/wording/token-end.js';
import { maskedPlate } from '../../../cloud/console/wording/masked-plate.js';
import { actionOf, targetOf } from '../../../cloud/rest/request/audited-request.js';
import { CONTRACT_ROUTES, SPECIFICATION_ROUTES } from '../../contract/rest-routes.js';

const refusal = (...fields: [field: string | undefined, message: string][]) => ({
  status: 422,
  errors: fields.map(([field, message]) => ({ code: 23, message, ...(field === undefined ? {} : { field }) })),
});

describe('what the service finds wrong', () => {
  it('stands at the fields of the form, and the rest beside them', () => {
    const wrong = refusal(['lot_ids.0', 'Unknown lot'], ['lot_ids.2', 'Unknown lot'], ['id', 'The last one']);
    expect(faultsOf(wrong, ['name', 'lot_ids'], en)).toEqual({ lot_ids: 'Unknown lot Unknown lot' });
    const german = { ...de, forms: { ...de.forms, service: DE_SERVICE } };
    expect(faultsOf(refusal(['end_time', 'Must be after start_time']), ['end_time'], german)).toEqual({
      end_time: 'Das Ende muss nach dem Beginn liegen.',
    });
    expect(refusalBeside(wrong, ['name', 'lot_ids'])?.errors).toEqual([
      { code: 23, message: 'The last one', field: 'id' },
    ]);
  });

  it('is nothing beside the fields when all stands at them, and stays when there was no answer', () => {
    expect(refusalBeside(refusal(['name', 'Too long']), ['name'])).toBeNull();
    expect(refusalBeside({ status: 0, errors: [] }, ['name'])).toEqual({ status: 0, errors: [] });
    expect(faultsOf(null, ['name'], en)).toEqual({});
  });
});

describe('what can be said before a form is sent', () => {
  it('names what is missing, too short, past or no address', () => {
    expect(requiredFault('name', '  ', en)).toEqual({ name: 'Please fill in this field.' });
    expect(requiredFault('name', 'Mia', en)).toEqual({});
    expect(lengthFault('password', 'short', 8, en)).toEqual({ password: 'Use at least 8 characters.' });
    expect(lengthFault('password', 'long enough', 8, en)).toEqual({});
    expect(emailFault('mia', en)).toEqual({ email: 'mia is no e-mail address.' });
    expect(emailFault(' mia@example.com ', en)).toEqual({});
    expect(futureFault('end', '2026-01-01T00:00', Date.parse('2026-02-01T00:00:00Z'), en)).toEqual({
      end: 'This has to be in the future.',
    });
    expect(futureFault('end', '', 0, en)).toEqual({});
    for (const url of ['example.com', 'ftp://example.com', 'javascript:alert(1)'])
      expect(urlFault(url, en, ACCOUNT_WORDS.webhooks.notUrl)).toEqual({
        url: 'This is no address that begins with https:// or http://.',
      });
    expect(urlFault('https://example.com/hook', en, ACCOUNT_WORDS.webhooks.notUrl)).toEqual({});
  });
});

describe('the end of a new token', () => {
  const now = Date.parse('2026-03-01T10:20:30.400Z');

  it('is in a year unless another one is chosen, and none only when that is', () => {
    expect(TOKEN_ENDS[0]).toBe('365');
    expect(tokenEnd({ ends: TOKEN_ENDS[0], end: '' }, now)).toBe('2027-03-01T10:20:00.000Z');
    expect(tokenEnd({ ends: '30', end: '2040-01-01T00:00' }, now)).toBe('2026-03-31T10:20:00.000Z');
    expect(tokenEnd({ ends: 'none', end: '2040-01-01T00:00' }, now)).toBeNull();
    // Whatever a draft of before, or a page of another version, has kept.
    for (const ends of ['', 'never', '0', '99999'])
      expect(tokenEnd({ ends, end: '' }, now)).toBe('2027-03-01T10:20:00.000Z');
  });

  it('is the time that is chosen', () => {
    expect(tokenEnd({ ends: 'at', end: '2026-05-01T08:00' }, now)).toBe(new Date('2026-05-01T08:00').toISOString());
    expect(tokenEnd({ ends: 'at', end: '' }, now)).toBeNull();
  });

  it('has a word for each choice', () => {
    for (const { tokens } of [ACCOUNT_WORDS, ACCOUNT_DE, ACCOUNT_HR, ACCOUNT_HU])
      expect(new Set(TOKEN_ENDS.map((each) => tokens.endChoices[each])).size).toBe(TOKEN_ENDS.length);
  });
});

describe('an entry of the audit log', () => {
  const names = {
    users: new Map([[1, 'Olga']]),
    tokens: new Map([[4, 'Billing']]),
    things: new Map([
      ['zone 3', 'Level 0'],
      ['product 2', 'Exit gate'],
    ]),
  };
  const entry = (actor_type: 'user' | 'api_token' | 'system', actor_id: number | null, action: string) =>
    auditSentence({ actor_type, actor_id, action, target: 'zone 8', details: {} }, names, en);
  const byOlga = (action: string, target: string, details = {}, words = en) =>
    auditSentence({ actor_type: 'user', actor_id: 1, action, target, details }, names, words);

  it('is a sentence, with the name of who did it', () => {
    expect(entry('user', 1, 'zone.update')).toBe('Olga changed zone 8');
    expect(entry('api_token', 4, 'zone.delete')).toBe('a program: Billing deleted zone 8');
    expect(entry('user', 9, 'zone.create')).toBe('a person: #9 made zone 8');
    expect(entry('system', null, 'zone.create')).toBe('the service itself made zone 8');
    expect(entry('user', 1, 'zone.of_a_later_version')).toBe('Olga zone.of_a_later_version zone 8');
  });

  it('calls things by their word and their name, and says what was asked of a product', () => {
    expect(byOlga('zone.update', 'zone 3', {}, de)).toBe('Olga änderte Zone 3 (Level 0)');
    expect(byOlga('group.member.put', 'group 5, member 7', {}, hr)).toBe('Olga – dodavanje u grupu: grupa 5, član 7');
    expect(byOlga('tariff.create', 'tariff of 2027')).toBe('Olga made tariff of 2027');
    const open = { keys: ['operation'], values: { operation: 'open' } };
    expect(byOlga('product.state', 'product 2', open)).toBe('Olga operated barrier or gate 2 (Exit gate): Open');
    expect(byOlga('product.state', 'product 9', open, hr)).toBe('Olga – upravljanje: rampa ili vrata 9: Otvori');
    for (const values of [{ operation: 'toString' }, { operation: 1 }, 'open', null])
      expect(byOlga('product.state', 'product 9', { values })).toBe('Olga operated barrier or gate 9');
  });

  it('has words for every change that the service knows', () => {
    // Of these the service names another target: who signed in, the gateway, the user.
    const named = ['/v2/auth/', '/v2/gateways/claim', '/v2/account-users'];
    const changes = [...SPECIFICATION_ROUTES, ...CONTRACT_ROUTES]
      .map((route) => route.split(' ') as [string, string])
      .filter(([method, path]) => method !== 'GET' && !named.some((each) => path.startsWith(each)));
    expect(changes.length).toBeGreaterThan(60);
    const ids = { id: 7, memberId: 8, licenseId: 9, reciverId: 10, deliveryId: 11 };
    for (const words of [en, de, hr, hu])
      for (const [verb, path] of changes) {
        const method = verb.toLowerCase() as 'post' | 'put' | 'patch' | 'delete';
        const isMaking = method === 'post' && path.split('/').length === 3;
        const [action, target] = [actionOf({ method, path }), targetOf(path, ids, isMaking ? 7 : undefined)];
        expect(byOlga(action, target, {}, words), path).not.toContain(action);
        for (const part of target.split(', '))
          expect(Object.keys(words.audit.things), path).toContain(part.replace(/ \d+$/, ''));
      }
  });

  it('names who signs in once', () => {
    const signsIn = (words: typeof en) => byOlga('auth.login', 'account user 1', {}, words);
    expect([signsIn(en), signsIn(de)]).toEqual(['Olga signed in', 'Olga meldete sich an']);
    expect(byOlga('account_user.update', 'account user 1')).toBe('Olga changed user 1 (Olga)');
  });

  it('says why it was done, when somebody said so', () => {
    expect(reasonOf({ values: { operation: 'open', reason: 'A courier' } })).toBe('A courier');
    for (const other of [{}, { values: { operation: 'open' } }, { values: 'open' }, { values: { reason: 7 } }])
      expect(reasonOf(other)).toBeNull();
  });

  it('has its details as text', () => {
    const details = { keys: ['name', 'lot_id'], values: { name: '<b>', on: false }, address: '::1', other: null };
    expect(detailLines({ action: 'zone.update', target: 'zone 3', details }, en, maskedPlate)).toEqual([
      ['Given', 'name, lot_id'],
      ['Values', 'name: <b>, on: false'],
      ['From address', '::1'],
      ['other', '–'],
      ['Code of the action', 'zone.update: zone 3'],
    ]);
  });

  it('shows of its plates what may be shown', () => {
    const lines = (details: Record<string, unknown>, show = maskedPlate) =>
      detailLines({ action: 'a', target: 'b', details }, en, show)
        .slice(0, -1)
        .map(([, value]) => value);
    const corrected = { values: { plate: 'ZG1234AB', direction: 'in' }, previous_plate: 'ZG1Z34AB' };
    expect(lines(corrected)).toEqual(['plate: ZG•••AB, direction: in', 'ZG•••AB']);
    expect(lines(corrected, (plate) => plate)).toEqual(['plate: ZG1234AB, direction: in', 'ZG1Z34AB']);
    expect(platesIn({ details: corrected })).toEqual(['ZG1234AB', 'ZG1Z34AB']);
    const searched = {
      filter: ['license_plate:in:ZG1234AB,ST99KK', 'name:like:ZG1234AB', 'exit_license_plate:exists:'],
    };
    expect(lines(searched)).toEqual([
      'license_plate:in:ZG•••AB,ST•••KK, name:like:ZG1234AB, exit_license_plate:exists:',
    ]);
    expect(platesIn({ details: searched })).toEqual(['ZG1234AB', 'ST99KK']);
    const begun = { values: { entry_license_plate: 'ZG1234AB', zone_id: 1 } };
    expect(lines(begun)).toEqual(['entry_license_plate: ZG•••AB, zone_id: 1']);
  });
});
