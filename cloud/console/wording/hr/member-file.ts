/** What the console says in Croatian of a file of members. */
import { counted } from '../../../../shared/wording/hr.js';
import type { MemberFileWords } from '../en/member-file.js';

export const MEMBER_FILE_WORDS: MemberFileWords = {
  title: 'Uvoz članova',
  what: 'Ništa se ne mijenja dok ne vidite što čini svaki redak.',
  choose: 'Odaberi datoteku',
  chooseHint: 'Iz bilo koje tablice: zarez, točka-zarez ili tabulator između ćelija.',
  paste: 'Ili zalijepite retke ovdje',
  columns:
    'Prvi redak imenuje stupce: ime, registracija (i više njih: registracija 2), e-pošta, napomena, od, do, grupe, id. Obavezno je ime.',
  columnsMore:
    'Između grupa, kao i između više registracija u jednoj ćeliji, stoji |. Stupac kojeg nema ostavlja sve kako jest; prazna ćelija prazni. Čiji id postoji, ili tko se jedini tako zove, mijenja se; svi ostali su novi.',
  template: 'Preuzmi primjer',
  readAs: (encoding, separator) => `Pročitano kao ${encoding}; između ćelija: ${separator}.`,
  separators: { ',': 'zarez', ';': 'točka-zarez', '\t': 'tabulator' },
  otherColumns: (names) => `Ne čita se: ${names}.`,
  tooLarge: (megabytes) => `Datoteka je veća od ${megabytes} MB. Podijelite je.`,
  column: {
    id: 'Id',
    name: 'Ime',
    license_plate: 'Registracija',
    email: 'E-pošta',
    description: 'Napomena',
    groups: 'Grupe',
  },
  fileFaults: {
    empty: 'Nema nijednog retka s članom.',
    noName: 'Prvi redak mora imenovati stupce, jedan od njih „ime“.',
    columnTwice: (column) => `Stupac „${column}“ pojavljuje se dvaput.`,
    openQuote: (line) => `U retku ${line} počinje navodnik koji nigdje ne završava.`,
    tooManyLines: (count, most) => `Broj redaka: ${count}. Podijelite je: najviše ${most} odjednom.`,
  },
  faults: {
    missing: () => 'nedostaje',
    tooLong: (most) => `ima više znakova nego što smije (${most})`,
    controls: () => 'sadrži znakove koji se ne vide',
    spoiltPlate: (plate) =>
      `tablica je od registracije napravila „${plate}“: tamo stupac pretvorite u tekst i ponovno je upišite`,
    tooManyPlates: (most) => `ima više od ${most} registracija`,
    noEmail: (email) => `„${email}“ nije adresa e-pošte`,
    unknownGroup: (name) => `grupa „${name}“ ne postoji: najprije je stvorite`,
    unknownId: (id) => `nijedan član nema id ${id}: za novoga ga ostavite praznim`,
    ambiguous: () => 'više se članova tako zove: dodajte stupac id ili njihove registracije',
    twice: (line) => `o istom je članu riječ u retku ${line}`,
    tooManyCells: () => 'Redak ima više ćelija od prvoga: stoji li razdjelnik u tekstu bez navodnika?',
  },
  kinds: { new: 'novo', changed: 'promijenjeno', same: 'isto', wrong: 'pogrešno' },
  all: 'Sve',
  doubtful: 'dvojbeno',
  line: 'Redak',
  whatHappens: 'Što se događa',
  becomes: (before, after) => `${before} → ${after}`,
  emptied: 'prazno',
  isNew: 'stvara se',
  isSame: 'ostaje kako jest',
  doubtfulPlate: (plate) =>
    `„${plate}“ izgleda kao broj ili datum: je li to registracija ili ju je tablica tako promijenila?`,
  samePlate: (names) => `Ima istu registraciju kao ${names}.`,
  import: (count) => `Uvezi ${counted(count, 'redak', 'retka', 'redaka')}`,
  nothing: 'Nema ničega za uvoz.',
  leftOut: (count) => `Izostavlja se: ${counted(count, 'pogrešan redak', 'pogrešna retka', 'pogrešnih redaka')}.`,
  progress: (done, all) => `${done} od ${counted(all, 'retka', 'retka', 'redaka')}`,
  done: ({ made, changed, refused }) =>
    [`stvoreno: ${made}`, `promijenjeno: ${changed}`, ...(refused > 0 ? [`odbijeno: ${refused}`] : [])].join(', '),
  another: 'Druga datoteka',
  checking: 'Čitaju se postojeći članovi …',
  legacyEncoding: 'windows-1250',
  example: {
    header: ['Ime', 'Registracija', 'E-pošta', 'Napomena', 'Grupe'],
    line: ['Ana Horvat', 'ZG 1234 AB', 'ana@example.com', 'Stan 7'],
  },
};
