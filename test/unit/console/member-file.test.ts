import { describe, expect, it } from 'vitest';
import { decideMemberLines, isDoubtful, type KnownMember } from '../../../cloud/console/members/decide-member-lines.js';
import { membersCsv } from '../../../cloud/console/members/member-csv.js';
import { LINES_MAX, parseMemberFile } from '../../../cloud/console/members/member-file-parser.js';
import { textOfFile } from '../../../cloud/console/members/text-of-file.js';
import { MEMBER_FILE_WORDS as DE_FILE } from '../../../cloud/console/wording/de/member-file.js';
import { MEMBER_FILE_WORDS as EN_FILE } from '../../../cloud/console/wording/en/member-file.js';
import { MEMBER_FILE_WORDS as HR_FILE } from '../../../cloud/console/wording/hr/member-file.js';
import { MEMBER_FILE_WORDS as HU_FILE } from '../../../cloud/console/wording/hu/member-file.js';
import { CONSOLE_WORDS as de } from '../../../cloud/console/wording/de.js';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import { DE_SERVICE } from '../../../cloud/console/wording/service/de.js';
import { faultAt, refusalBeside } from '../../../cloud/console/wording/field-faults.js';
import { NO_PLATES, PLATES } from '../plate/typed-plates.js';

const residents = { id: 1, name: 'Residents' };
const staff = { id: 2, name: 'Staff, day' };
const mia: KnownMember = {
  id: 7,
  name: 'Mia',
  plates: ['ZG1234AB'],
  email: 'mia@example.com',
  description: '',
  valid_from: null,
  valid_until: '2026-12-31T18:00:00.000Z',
  groups: [residents],
};
const ivo: KnownMember = { ...mia, id: 8, name: 'Ivo', plates: ['ST55'], email: '', groups: [] };

const plateList = (count: number) => Array.from({ length: count }, (_, at) => `ZG ${at}`).join(' | ');

const linesOf = (text: string, members = [mia, ivo]) =>
  decideMemberLines(parseMemberFile(text).rows, { members, groups: [residents, staff] });

describe('a file of members', () => {
  it.each([
    ['English', EN_FILE],
    ['German', DE_FILE],
    ['Croatian', HR_FILE],
    ['Hungarian', HU_FILE],
  ])('has the columns that the %s example names', (_, { example }) => {
    const { columns, otherColumns, fault } = parseMemberFile(`${example.header.join(';')}\n${example.line.join(';')};`);
    expect([columns, otherColumns, fault]).toEqual([
      ['name', 'license_plate', 'email', 'description', 'groups'],
      [],
      null,
    ]);
  });

  it('names columns that it does not read, and cells that are too many', () => {
    const { columns, otherColumns, rows } = parseMemberFile('Name,Shoe size,Plate\nMia,38,ZG1,rest\nIvo,44,ST1,\n');
    expect([columns, otherColumns]).toEqual([['name', 'license_plate'], ['Shoe size']]);
    expect(rows).toEqual([
      { line: 2, values: { name: 'Mia' }, plates: [{ plate: 'ZG1', isSafe: false }], hasTooMany: true },
      { line: 3, values: { name: 'Ivo' }, plates: [{ plate: 'ST1', isSafe: false }], hasTooMany: false },
    ]);
  });

  it.each([
    ['', { kind: 'empty' }],
    ['name,plate\n', { kind: 'empty' }],
    ['Mia,ZG1\nIvo,ST1\n', { kind: 'noName' }],
    ['name,mail,e-mail\nMia,1,2\n', { kind: 'columnTwice', column: 'email' }],
    ['name,plate\nMia,"ZG\n', { kind: 'openQuote', line: 2 }],
    [`name\n${'x\n'.repeat(LINES_MAX + 1)}`, { kind: 'tooManyLines', count: LINES_MAX + 1 }],
  ])('says why it cannot be taken: %#', (text, fault) => {
    expect(parseMemberFile(text).fault).toEqual(fault);
  });

  it('is read whatever wrote it: UTF-8 with and without its mark, Windows, UTF-16', () => {
    const read = (bytes: readonly number[] | Uint8Array, legacy: 'windows-1252' | 'windows-1250' = 'windows-1252') =>
      textOfFile(Uint8Array.from(bytes), legacy);
    expect(read(new TextEncoder().encode('Jürg ž'))).toEqual({ text: 'Jürg ž', encoding: 'utf-8' });
    expect(read([0xef, 0xbb, 0xbf, 0x61])).toEqual({ text: 'a', encoding: 'utf-8' });
    expect(read([0x4a, 0xfc, 0x72, 0x67])).toEqual({ text: 'Jürg', encoding: 'windows-1252' });
    expect(read([0xe8, 0x9a], 'windows-1250')).toEqual({ text: 'čš', encoding: 'windows-1250' });
    expect(read([0xff, 0xfe, 0x61, 0, 0x7e, 0x01])).toEqual({ text: 'až', encoding: 'utf-16le' });
  });
});

describe('what the lines of a file of members would do', () => {
  it.each([
    ['7.00E+12', 'spoiltPlate'],
    ['"7,00E+12"', 'spoiltPlate'],
    ['01.Mar', 'spoiltPlate'],
    ['Mar-24', 'spoiltPlate'],
    ['#NAME?', 'spoiltPlate'],
    ['#####', 'spoiltPlate'],
    ['01/03/2024', 'plate'],
    ['🚗', 'plate'],
  ])('refuses %s, which is no plate any more', (cell, fault) => {
    const [line] = linesOf(`name\tplate\nAna\t${cell}\n`);
    expect([line?.kind, line?.faults.map((each) => each.fault)]).toEqual(['wrong', [fault]]);
  });

  it.each([
    ['45352', true],
    ['MAR 24', true],
    ['12E5', true],
    ['"=""45352"""', false],
    ['"=""MAR24"""', false],
    ['ZG 1234-AB', false],
    ['MA-R 123', false],
    ['Zg1234ab', false],
  ])('takes %s; asks whether it is the plate: %s', (cell, isAsked) => {
    const [line] = linesOf(`name\tplate\nAna\t${cell}\n`);
    expect([line?.kind, line?.doubtfulPlate !== null]).toEqual(['new', isAsked]);
  });

  it('neither asks nor refuses where the member has that plate already', () => {
    const odd = { ...ivo, plates: ['45352'] };
    expect(linesOf('name,plate\nIvo,45352\n', [odd])).toMatchObject([
      { kind: 'same', doubtfulPlate: null, faults: [] },
    ]);
    const [line] = decideMemberLines(parseMemberFile(membersCsv([odd])).rows, { members: [odd], groups: [] });
    expect(line).toMatchObject({ kind: 'same', faults: [] });
  });

  it('makes who is not there, changes who is, and leaves who is as the line says', () => {
    const lines = linesOf(
      'name,plate,email,groups\nAna,ZG 77,Ana@Example.com,Residents\nMia,ZG1234AB,mia@example.com,residents\nIvo,ST55,,\n',
    );
    expect(lines.map(({ kind, id }) => [kind, id])).toEqual([
      ['new', null],
      ['same', 7],
      ['same', 8],
    ]);
    expect(lines[0]?.body).toEqual({ name: 'Ana', plates: ['ZG 77'], email: 'ana@example.com', group_ids: [1] });
  });

  it('leaves what the file has no column for, and empties what its cell leaves empty', () => {
    const [first] = linesOf('name,email\nMia,\n');
    expect([first?.kind, first?.body]).toEqual(['changed', { email: '' }]);
    expect(first?.changes).toEqual([{ column: 'email', before: 'mia@example.com', after: '' }]);
  });

  it('knows times however they are written, and leaves what is none to the service', () => {
    const until = (text: string) => linesOf(`name,until\nMia,${text}\n`)[0];
    expect(until('2026-12-31T19:00+01:00')?.kind).toBe('same');
    expect(until('')?.body).toEqual({ valid_until: null });
    const [later] = linesOf('Name;Ab;Gültig bis\nMia;2026-01-01T00:00Z;2027-01-01T00:00Z\n');
    expect(later?.body).toEqual({ valid_from: '2026-01-01T00:00:00.000Z', valid_until: '2027-01-01T00:00:00.000Z' });
    expect(later?.changes.map(({ before }) => before)).toEqual(['', '2026-12-31T18:00:00.000Z']);
    for (const wrong of ['31.12.2026 18:00', '2026-13-01T00:00Z'])
      expect(until(wrong)?.body).toEqual({ valid_until: wrong });
  });

  it('knows a member by the id, so that a name can change', () => {
    const [first] = linesOf('id,name\n7,Mia Horvat\n');
    expect([first?.kind, first?.id, first?.body]).toEqual(['changed', 7, { name: 'Mia Horvat' }]);
  });

  it.each([
    ['Residents | Staff, day', [1, 2]],
    ['Staff, day', [2]],
    ['', []],
  ])('takes the groups of %j', (groups, ids) => {
    expect(linesOf(`name,groups\nAna,"${groups}"\n`)[0]?.body.group_ids ?? []).toEqual(ids);
  });

  it.each([
    ['name,plate\n,ZG1\n', ['name', 'missing', '']],
    ['id,name\n99,Ana\n', ['id', 'unknownId', '99']],
    ['name,plate\nAna,---\n', ['license_plate', 'plate', '---']],
    [`name,plate\nAna,${plateList(11)}\n`, ['license_plate', 'tooManyPlates', '10']],
    ['name,email\nAna,ana\n', ['email', 'noEmail', 'ana']],
    [`name\n${'x'.repeat(201)}\n`, ['name', 'tooLong', '200']],
    ['name\nA\u0007b\n', ['name', 'controls', '']],
    [`name,note\nAna,${'x'.repeat(2_001)}\n`, ['description', 'tooLong', '2000']],
    ['name,groups\nAna,Residents | Nobody\n', ['groups', 'unknownGroup', 'Nobody']],
    ['name\nAna,1\n', [null, 'tooManyCells', '']],
  ])('says which cell is wrong, and why: %#', (text, fault) => {
    const [line] = linesOf(text);
    expect(line?.kind).toBe('wrong');
    expect(line?.faults.map((each) => [each.column, each.fault, each.about])).toEqual([fault]);
  });

  it('takes a member once in a file, by name or by id', () => {
    const lines = linesOf('id,name\n,Ana\n,Ana\n7,\n,Mia\n');
    expect(lines.map(({ kind, faults }) => [kind, faults.map(({ about }) => about)])).toEqual([
      ['new', []],
      ['wrong', ['2']],
      ['same', []],
      ['wrong', ['4']],
    ]);
  });

  it('takes several of one name apart by their plates, and asks for ids where it cannot', () => {
    const sister = { ...mia, id: 9, plates: ['ZG 9'] };
    const kindsOf = (text: string, members: KnownMember[]) =>
      linesOf(text, members).map(({ kind, id, faults }) => [kind, id, ...faults.map(({ fault }) => fault)]);
    expect(kindsOf('name,plate,note\nMia,zg9,x\nMia,ZG 1234-AB,\nMia,ZG 5,\n', [mia, sister])).toEqual([
      ['changed', 9],
      ['changed', 7],
      ['wrong', null, 'ambiguous'],
    ]);
    expect(kindsOf('name,plate\nMia,ZG1234AB\nMia,ZG 5\n', [mia])).toEqual([
      ['same', 7],
      ['new', null],
    ]);
    expect(kindsOf('name,plate\nMia,ZG 5\n', [mia])).toEqual([['changed', 7]]);
  });

  it.each(NO_PLATES)('refuses what is no plate, but reads several as several: %s', (_, text, kind) => {
    const [line] = linesOf(`name\tplate\nAna\t"${text}"\n`);
    expect(line?.kind).toBe(kind === 'several' ? 'new' : 'wrong');
    if (kind === 'several') expect(line?.body.plates).toHaveLength(2);
    else expect(line?.faults.map((each) => [each.column, each.fault])).toEqual([['license_plate', 'plate']]);
  });

  it.each(PLATES)('takes what is a plate: %s', (_, text) => {
    const [line] = linesOf(`name\tplate\nAna\t"${text}"\n`);
    expect([line?.kind, line?.body.plates]).toEqual(['new', [text.normalize('NFC')]]);
  });

  it.each([
    ['name,plate,plate\nAna,ZG 1,ST 2\n', ['ZG 1', 'ST 2']],
    ['Name;Kennzeichen;Kennzeichen 2;Kennzeichen 3\nAna;ZG 1;;ST 2\n', ['ZG 1', 'ST 2']],
    ['name,plates\nAna,A1 | B2 | zg-9\n', ['A1', 'B2', 'zg-9']],
    ['name,plate\nAna,ZG 1; ST 2\n', ['ZG 1', 'ST 2']],
    ['name,plate,plate2\nAna,"ZG 1, ST 22",zg1\n', ['ZG 1', 'ST 22']],
  ])('reads the plates of several columns and of one cell, each once: %#', (text, plates) => {
    expect(linesOf(text)[0]?.body).toEqual({ name: 'Ana', plates });
  });

  it('changes all plates of a member, who is known by any of them', () => {
    const both = { ...mia, plates: ['ZG1234AB', 'ST 1'] };
    const [line] = linesOf('name,plate\nMia,st1\n', [both, { ...mia, id: 9 }]);
    expect([line?.id, line?.body]).toEqual([7, { plates: ['st1'] }]);
    expect(line?.changes).toEqual([{ column: 'license_plate', before: 'ZG1234AB, ST 1', after: 'st1' }]);
    expect(linesOf('name,plate\nMia,\n', [both])[0]?.body).toEqual({ plates: [] });
  });

  it('finds the lines that whoever imports should look at', () => {
    const lines = linesOf('name,plate\nAna,zg-1234-ab\nEva,45352\nUna,ZG 5\nOdd,<b>\n');
    expect(lines.map(isDoubtful)).toEqual([true, true, false, false]);
  });

  it('tells of others with the same plate, and takes it all the same', () => {
    const lines = linesOf('name,plate\nAna,zg-1234-ab\nEva,ZG 1234 AB\nIvo,ST 55\n');
    expect(lines.map(({ kind, samePlate }) => [kind, samePlate])).toEqual([
      ['new', ['Mia']],
      ['new', ['Mia', 'Ana']],
      ['changed', []],
    ]);
  });

  it('changes nothing when a file is read that was written from the same members', () => {
    const hostile: KnownMember = {
      ...mia,
      id: 9,
      name: '=HYPERLINK("x")',
      description: '+385 1; "quoted"\n@second line',
      groups: [residents, staff],
      // Two as they are now, and one from before the rule.
      plates: ['0012', 'ZG_9/X', 'A1'],
    };
    const members = [mia, ivo, hostile];
    const text = membersCsv(members);
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    expect(linesOf(text, members).map(({ kind }) => kind)).toEqual(['same', 'same', 'same']);
  });
});

describe('what the service says about the fields of a form', () => {
  const refusal = {
    status: 422,
    errors: [
      { code: 23, message: 'Another one has this already', field: 'name' },
      { code: 23, message: 'Must be an e-mail address', field: 'receivers.1.receiver_email' },
      { code: 23, message: 'Is odd', field: 'zone_id' },
    ],
  };

  it('stands at its field, in the words of the language', () => {
    const german = { ...de, forms: { ...de.forms, service: DE_SERVICE } };
    expect(faultAt(refusal, 'name', german)).toBe('Diesen Namen gibt es schon.');
    expect(faultAt(refusal, 'receivers.1.receiver_email', german)).toBe('Das ist keine E-Mail-Adresse.');
    expect(faultAt(refusal, 'receivers', german)).toBe('Das ist keine E-Mail-Adresse.');
    expect(faultAt(refusal, 'zone_id', de)).toBe('Is odd');
    expect(faultAt(refusal, 'zone', en)).toBeUndefined();
  });

  it('is told below the form when no field shows it', () => {
    expect(refusalBeside(refusal, ['name', 'receivers'])?.errors.map(({ field }) => field)).toEqual(['zone_id']);
    expect(refusalBeside(refusal, ['name', 'receivers', 'zone_id'])).toBeNull();
    expect(refusalBeside({ status: 0, errors: [] }, ['name'])).toEqual({ status: 0, errors: [] });
  });
});
