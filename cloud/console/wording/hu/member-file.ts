/** What the console says in Hungarian of a file of members. */
import type { MemberFileWords } from '../en/member-file.js';

export const MEMBER_FILE_WORDS: MemberFileWords = {
  title: 'Tagok importálása',
  what: 'Semmi sem változik, mielőtt meg nem látja, melyik sor mit tesz.',
  choose: 'Fájl kiválasztása',
  chooseHint: 'Bármely táblázatból: vessző, pontosvessző vagy tabulátor a cellák között.',
  paste: 'Vagy illessze be ide a sorokat',
  columns:
    'Az első sor az oszlopokat nevezi meg: név, rendszám (több is: rendszám 2), e-mail, megjegyzés, ettől, eddig, csoportok, id. A név kötelező.',
  columnsMore:
    'A csoportokat, és egy cellában több rendszámot, | választja el. Hiányzó oszlop nem változtat a meglevőn; üres cella kiüríti. Akinek van id-je, vagy egyedül viseli azt a nevet, módosul; mindenki más új.',
  template: 'Példa letöltése',
  readAs: (encoding, separator) => `Olvasás módja: ${encoding}, a cellák között ${separator}.`,
  separators: { ',': 'vessző', ';': 'pontosvessző', '\t': 'tabulátor' },
  otherColumns: (names) => `Nem olvasott oszlopok: ${names}.`,
  tooLarge: (megabytes) => `A fájl nagyobb, mint ${megabytes} MB. Ossza fel.`,
  column: {
    id: 'Id',
    name: 'Név',
    license_plate: 'Rendszám',
    email: 'E-mail',
    description: 'Megjegyzés',
    groups: 'Csoportok',
  },
  fileFaults: {
    empty: 'Nincs benne tagot tartalmazó sor.',
    noName: 'Az első sornak az oszlopokat kell megneveznie, köztük ezt: „név”.',
    columnTwice: (column) => `Kétszer szerepel ez az oszlop: „${column}”.`,
    openQuote: (line) => `Sehol sem záródik az idézőjel, amely ebben a sorban kezdődik: ${line}.`,
    tooManyLines: (count, most) => `${count} sora van. Ossza fel: egyszerre legfeljebb ${most} lehet.`,
  },
  faults: {
    missing: () => 'hiányzik',
    tooLong: (most) => `hosszabb, mint ${most} karakter`,
    controls: () => 'láthatatlan karaktereket tartalmaz',
    spoiltPlate: (plate) =>
      `a rendszámból egy táblázat ezt csinálta: „${plate}”; állítsa ott az oszlopot szövegre, és írja be újra a rendszámot`,
    tooManyPlates: (most) => `több mint ${most} rendszám`,
    noEmail: (email) => `nem e-mail-cím: „${email}”`,
    unknownGroup: (name) => `nincs ilyen csoport: „${name}”; előbb hozza létre`,
    unknownId: (id) => `nincs tag ezzel az id-vel: ${id}; újhoz hagyja üresen`,
    ambiguous: () => 'több tag viseli ezt a nevet: adja hozzá az id oszlopot vagy a rendszámukat',
    twice: (line) => `ugyanerről a tagról szól ez a sor is: ${line}`,
    tooManyCells: () =>
      'A sorban több cella van, mint az első sorban: lehet, hogy idézőjel nélküli szövegben áll elválasztójel.',
  },
  kinds: { new: 'új', changed: 'módosul', same: 'változatlan', wrong: 'hibás' },
  all: 'Mind',
  doubtful: 'kétséges',
  line: 'Sor',
  whatHappens: 'Mi történik',
  becomes: (before, after) => `${before} → ${after}`,
  emptied: 'üres',
  isNew: 'létrejön',
  isSame: 'marad, ahogy van',
  doubtfulPlate: (plate) =>
    `„${plate}” számnak vagy dátumnak látszik: lehet, hogy egy táblázat alakította át a rendszámot.`,
  samePlate: (names) => `Ugyanez a rendszáma: ${names}.`,
  import: (count) => `${count} sor importálása`,
  nothing: 'Nincs mit importálni.',
  leftOut: (count) => `${count} hibás sor kimarad.`,
  progress: (done, all) => `${all} sorból ${done}`,
  done: ({ made, changed, refused }) =>
    [`${made} létrejött`, `${changed} módosult`, ...(refused > 0 ? [`${refused} elutasítva`] : [])].join(', '),
  another: 'Másik fájl',
  checking: 'A meglevő tagok beolvasása …',
  legacyEncoding: 'windows-1250',
  example: {
    header: ['Név', 'Rendszám', 'E-mail', 'Megjegyzés', 'Csoportok'],
    line: ['Nagy Anna', 'AB CD 123', 'anna@example.com', '7. lakás'],
  },
};
