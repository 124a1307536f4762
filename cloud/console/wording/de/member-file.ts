/** What the console says in German of a file of members. */
import type { MemberFileWords } from '../en/member-file.js';

export const MEMBER_FILE_WORDS: MemberFileWords = {
  title: 'Mitglieder einlesen',
  what: 'Nichts ändert sich, bevor Sie gesehen haben, was jede Zeile bewirkt.',
  choose: 'Datei wählen',
  chooseHint: 'Aus jeder Tabellenkalkulation: Komma, Semikolon oder Tabulator zwischen den Zellen.',
  paste: 'Oder die Zeilen hier einfügen',
  columns:
    'Die erste Zeile benennt die Spalten: Name, Kennzeichen (auch mehrere: Kennzeichen 2), E-Mail, Notiz, Ab, Bis, Gruppen, Id. Nur der Name muss sein.',
  columnsMore:
    'Zwischen Gruppen, und zwischen mehreren Kennzeichen in einer Zelle, steht |. Eine Spalte, die fehlt, lässt alles, wie es ist; eine leere Zelle leert. Wessen Id es gibt, oder wer als Einziger so heißt, wird geändert, alle anderen sind neu.',
  template: 'Beispiel herunterladen',
  readAs: (encoding, separator) => `Gelesen als ${encoding}, mit ${separator} zwischen den Zellen.`,
  separators: { ',': 'Komma', ';': 'Semikolon', '\t': 'Tabulator' },
  otherColumns: (names) => `Nicht gelesen: ${names}.`,
  tooLarge: (megabytes) => `Die Datei ist größer als ${megabytes} MB. Teilen Sie sie.`,
  column: {
    id: 'Id',
    name: 'Name',
    license_plate: 'Kennzeichen',
    email: 'E-Mail',
    description: 'Notiz',
    groups: 'Gruppen',
  },
  fileFaults: {
    empty: 'Darin steht keine Zeile mit einem Mitglied.',
    noName: 'Die erste Zeile muss die Spalten benennen, eine davon „Name“.',
    columnTwice: (column) => `Die Spalte „${column}“ gibt es zweimal.`,
    openQuote: (line) => `In Zeile ${line} beginnt ein Anführungszeichen, das nirgends endet.`,
    tooManyLines: (count, most) => `Sie hat ${count} Zeilen. Teilen Sie sie: höchstens ${most} auf einmal.`,
  },
  faults: {
    missing: () => 'fehlt',
    tooLong: (most) => `ist länger als ${most} Zeichen`,
    controls: () => 'enthält Zeichen, die man nicht sieht',
    spoiltPlate: (plate) =>
      `Aus dem Kennzeichen hat eine Tabelle „${plate}“ gemacht: Machen Sie die Spalte dort zu Text und geben Sie es neu ein`,
    tooManyPlates: (most) => `mehr als ${most} Kennzeichen`,
    noEmail: (email) => `„${email}“ ist keine E-Mail-Adresse`,
    unknownGroup: (name) => `die Gruppe „${name}“ gibt es nicht: Legen Sie sie zuerst an`,
    unknownId: (id) => `kein Mitglied hat die Id ${id}: Lassen Sie sie für ein neues leer`,
    ambiguous: () => 'mehrere Mitglieder heißen so: Nehmen Sie die Spalte Id dazu, oder ihre Kennzeichen',
    twice: (line) => `um dasselbe Mitglied geht es in Zeile ${line}`,
    tooManyCells: () =>
      'Die Zeile hat mehr Zellen als die erste: Steht ein Trennzeichen in einem Text ohne Anführungszeichen?',
  },
  kinds: { new: 'neu', changed: 'geändert', same: 'unverändert', wrong: 'falsch' },
  all: 'Alle',
  doubtful: 'zweifelhaft',
  line: 'Zeile',
  whatHappens: 'Was geschieht',
  becomes: (before, after) => `${before} → ${after}`,
  emptied: 'leer',
  isNew: 'wird angelegt',
  isSame: 'bleibt, wie es ist',
  doubtfulPlate: (plate) =>
    `„${plate}“ sieht aus wie eine Zahl oder ein Datum: Ist das das Kennzeichen, oder hat eine Tabelle es daraus gemacht?`,
  samePlate: (names) => `Hat dasselbe Kennzeichen wie ${names}.`,
  import: (count) => (count === 1 ? 'Eine Zeile einlesen' : `${count} Zeilen einlesen`),
  nothing: 'Es gibt nichts einzulesen.',
  leftOut: (count) =>
    count === 1 ? 'Eine falsche Zeile wird ausgelassen.' : `${count} falsche Zeilen werden ausgelassen.`,
  progress: (done, all) => `${done} von ${all} Zeilen`,
  done: ({ made, changed, refused }) =>
    [`${made} angelegt`, `${changed} geändert`, ...(refused > 0 ? [`${refused} abgelehnt`] : [])].join(', '),
  another: 'Andere Datei',
  checking: 'Liest die Mitglieder, die es schon gibt …',
  legacyEncoding: 'windows-1252',
  example: {
    header: ['Name', 'Kennzeichen', 'E-Mail', 'Notiz', 'Gruppen'],
    line: ['Ana Horvat', 'W 1234 AB', 'ana@example.com', 'Top 7'],
  },
};
