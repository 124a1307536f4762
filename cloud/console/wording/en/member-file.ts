/** What the console says in English of a file of members. */
export const MEMBER_FILE_WORDS = {
  title: 'Import members',
  what: 'Nothing is changed before you have seen what each line does.',
  choose: 'Choose a file',
  chooseHint: 'From any spreadsheet: commas, semicolons or tabs between the cells.',
  paste: 'Or paste the lines here',
  columns:
    'The first line names the columns: name, plate (also several: plate 2), email, note, from, until, groups, id. A name is needed.',
  columnsMore:
    'Groups, and several plates in one cell, are separated by |. A column that is missing leaves what is there as it is; an empty cell empties it. Who has an id, or the only one of that name, is changed; all others are new.',
  template: 'Download an example',
  readAs: (encoding: string, separator: string) => `Read as ${encoding}, with ${separator} between the cells.`,
  separators: { ',': 'commas', ';': 'semicolons', '\t': 'tabs' },
  otherColumns: (names: string) => `Not read: ${names}.`,
  tooLarge: (megabytes: number) => `The file is larger than ${megabytes} MB. Split it.`,
  column: { id: 'Id', name: 'Name', license_plate: 'Plate', email: 'E-mail', description: 'Note', groups: 'Groups' },
  fileFaults: {
    empty: 'It has no line with a member.',
    noName: 'The first line must name the columns, one of them “name”.',
    columnTwice: (column: string) => `The column “${column}” is there twice.`,
    openQuote: (line: number) => `In line ${line} a quotation mark begins that is never closed.`,
    tooManyLines: (count: number, most: number) => `It has ${count} lines. Split it: at most ${most} at once.`,
  },
  faults: {
    missing: () => 'is missing',
    tooLong: (most: string) => `is longer than ${most} characters`,
    controls: () => 'holds characters that cannot be seen',
    spoiltPlate: (plate: string) =>
      `a spreadsheet made “${plate}” of the plate: make the column text there, and enter the plate again`,
    tooManyPlates: (most: string) => `more than ${most} plates`,
    noEmail: (email: string) => `“${email}” is no e-mail address`,
    unknownGroup: (name: string) => `there is no group “${name}”: create it first`,
    unknownId: (id: string) => `no member has the id ${id}: leave it empty for a new one`,
    ambiguous: () => 'several members have this name: add the column id, or their plates',
    twice: (line: string) => `line ${line} is about the same member`,
    tooManyCells: () =>
      'The line has more cells than the first line: is there a separator in a text without quotation marks?',
  },
  kinds: { new: 'new', changed: 'changed', same: 'unchanged', wrong: 'wrong' },
  all: 'All',
  doubtful: 'doubtful',
  line: 'Line',
  whatHappens: 'What happens',
  becomes: (before: string, after: string) => `${before} → ${after}`,
  emptied: 'empty',
  isNew: 'is created',
  isSame: 'stays as it is',
  doubtfulPlate: (plate: string) =>
    `“${plate}” looks like a number or a date: is it the plate, or did a spreadsheet make it of one?`,
  samePlate: (names: string) => `Has the same plate as ${names}.`,
  import: (count: number) => (count === 1 ? 'Import one line' : `Import ${count} lines`),
  nothing: 'There is nothing to import.',
  leftOut: (count: number) => (count === 1 ? 'One wrong line is left out.' : `${count} wrong lines are left out.`),
  progress: (done: number, all: number) => `${done} of ${all} lines`,
  done: (parts: { made: number; changed: number; refused: number }) =>
    [
      `${parts.made} created`,
      `${parts.changed} changed`,
      ...(parts.refused > 0 ? [`${parts.refused} refused`] : []),
    ].join(', '),
  another: 'Another file',
  checking: 'Reading the members that are there …',
  legacyEncoding: 'windows-1252' as 'windows-1252' | 'windows-1250',
  example: {
    header: ['name', 'plate', 'email', 'note', 'groups'],
    line: ['Ana Horvat', 'ZG 1234 AB', 'ana@example.com', 'Flat 7'],
  },
};

export type MemberFileWords = typeof MEMBER_FILE_WORDS;
