/** What the console says in Hungarian of lots: how they are, their plan, what is open in an emergency. */
import type { ConsoleWords } from '../en.js';

export const LOT_WORDS: Pick<ConsoleWords, 'overview' | 'emergency' | 'command' | 'lot' | 'plan' | 'spark'> = {
  overview: {
    unsure: 'Nem minden volt elolvasható.',
    occupied: (count, spots) => (spots === 0 ? `${count} foglalt` : `${spots} helyből ${count} foglalt`),
    ofSpots: (spots) => (spots === 0 ? 'foglalt' : `foglalt / ${spots}`),
    free: (count) => `${count} szabad`,
    noLots: 'Önhöz nincs parkoló rendelve. Fiókjának adminisztrátora megteheti.',
    waits: 'Ami várakozik',
    nothingWaits: 'Senki sem várakozik, és semmi sem romlott el.',
    toQueue: 'Minden elutasított',
    now: 'Ami történik',
    insideToo: (count) => `A be- és kihajtások szerint ${count} jármű van bent.`,
    whySensors: 'Foglalt az, amit a helyek érzékelői látnak; bent van, aki behajtott, és még nem hajtott ki.',
    whyStays:
      'A foglaltak közé nem számítanak a megengedettnél hosszabb parkolások, és az utolsó újraszámlálást követik; bent van minden parkolás, amely nem ért véget.',
  },
  emergency: {
    label: 'Nyitva tartva vészhelyzetben',
    atGateway: (gateway, since) =>
      `Valaki mindent kinyitott ennél az átjárónál: ${gateway}. ${since} óta nyitva tartva.`,
    ends: 'Bárki véget vethet neki, aki itt bejelentkezik: „Vissza a rendes működéshez”. Az átjáró saját lapján ugyanez a gomb szintén véget vet neki.',
    at: (lot) => `Vészhelyzet: ${lot}.`,
    endTitle: (lot) => `Vissza a rendes működéshez: ${lot}?`,
    endsHere: (lot) => `${lot}: vészhelyzet miatt minden nyitva van tartva. Itt vethet véget neki.`,
    toLot: 'Ugrás a parkolóhoz',
  },
  command: {
    ask: (operation, product) => `${operation}: ${product}?`,
    noAnswer: 'Nincs válasz. Később sem lesz elküldve: nézze meg, mozdult-e, mielőtt újra megnyomja.',
    sending: (operation) => `${operation}: küldés …`,
    pending: (operation) => `${operation}: várakozás a válaszára …`,
    succeeded: (operation, ms) =>
      ms === null ? `${operation}: kész.` : `${operation}: kész ${(ms / 1000).toFixed(1).replace('.', ',')} mp alatt.`,
    failed: (operation, why) => `${operation}: ${why}`,
    attempt: ({ gateway, rssi, ms, outcome }) =>
      [gateway, rssi === null ? null : `${rssi} dBm`, ms === null ? null : `${ms} ms`, outcome]
        .filter((part) => part !== null)
        .join(' · '),
    attempts: 'Kísérletek',
    noGateway: 'nincs átjáró',
    running: 'folyamatban',
  },
  lot: {
    products: 'Sorompók és kapuk',
    devices: 'Átjárók és kamerák',
    unknown: 'Nincs ilyen parkoló, vagy nincs Önhöz rendelve.',
    zones: 'Zónák',
    emergency: 'Vészhelyzet',
    release: 'Vészhelyzet: minden nyitása',
    releaseHint: 'A parkoló minden sorompóját és kapuját egyszerre nyitja, kérdés után.',
    releaseTitle: (name) => `Minden nyitása: ${name}?`,
    releaseWhat: (count) =>
      count === 1
        ? 'Egyetlen sorompója vagy kapuja nyílik, vészhelyzet miatt.'
        : `Minden sorompó és kapu nyílik (${count}), vészhelyzet miatt.`,
    releaseHold: 'Nyitva tartás, amíg valaki véget nem vet neki',
    releaseYes: 'Minden nyitása most',
    releaseEnd: 'Vissza a rendes működéshez',
    releaseEndHint: 'Véget vet a nyitva tartásnak: a sorompók és kapuk újra a szabályaik szerint működnek.',
    releasedBy: (name, since) => `${name} mindent kinyitott: ${since} óta nyitva tartva.`,
    nothingHeld: 'Semmi sem volt nyitva tartva.',
    released: ({ done, all, failed }) =>
      `Kész: ${done} / ${all}${failed === 0 ? '.' : `, sikertelen: ${failed}. Oda kell menni.`}`,
    releaseStates: {
      passable: 'nyitva',
      ended: 'már nincs nyitva tartva',
      waiting: 'válaszára vár',
      failed: (why) => `sikertelen: ${why}`,
    },
    noProducts: 'Ennek a parkolónak még nincs sorompója vagy kapuja.',
    gatewayOnline: 'kapcsolódik',
    gatewayOffline: (since) => (since === null ? 'nem kapcsolódik' : `${since} óta egyedül működik`),
    queue: (count) => (count === 0 ? 'semmi sem vár' : `${count} rekord vár`),
    tokenDays: (days) => `${days} napig önállóan nyit`,
    cameraOnline: 'küld',
    cameraOffline: (since) => (since === null ? 'nem jelentkezik' : `${since} óta nem jelentkezik`),
    version: (version) => `verzió: ${version}`,
  },
  plan: {
    shownAs: 'Megjelenítés',
    list: 'Lista',
    plan: 'Alaprajz',
    title: (lot) => `Alaprajz: ${lot}`,
    how: 'A nyílbillentyűk a következő dologra lépnek, a Page Up és a Page Down mindegyiken végigmegy, az Enter megmutat egyet.',
    howToArrange:
      'Húzza a dolgokat oda, ahová valók; a zóna magával viszi, ami benne áll. Billentyűzettel: az Enter felvesz, a nyílbillentyűk mozgatnak, Shifttel a zóna nagyobb vagy kisebb lesz, az Enter letesz.',
    arrange: 'Elrendezés',
    save: 'Elrendezés mentése',
    discard: 'Elvetés',
    automatic: 'Minden új elrendezése',
    saved: 'Az elrendezés mentve.',
    changed: 'Közben valaki más is átrendezte ezt az alaprajzot.',
    theirs: 'Az övé megmutatása',
    mine: 'A sajátom mentése mégis',
    lifted: (name) => `${name}: felvéve.`,
    putDown: (name) => `${name}: letéve.`,
    chosen: 'Kiválasztva',
    choose: 'Válasszon valamit az alaprajzon: itt áll majd, mit csinál, a gombjaival.',
    nothing: 'Ebben a parkolóban még semmi sincs. A zónák, helyek, sorompók és kamerák maguktól megjelennek itt.',
    places: 'Helyek',
    placesFree: (free, all) => `${all} helyből ${free} szabad`,
    place: (name) => `Hely: ${name}`,
    placeStates: { free: 'szabad', occupied: 'foglalt', unknown: 'nem ismert' },
    camera: 'Kamera',
    zoneOf: (name) => `zóna: ${name}`,
    lastRead: 'Utolsó leolvasás',
    noRead: 'Még nem olvasott le semmit.',
    toLive: 'Járművei megmutatása',
  },
  spark: {
    label: (count, at) => `Ma: a legtöbb ekkor: ${at}, bent ${count}`,
    quiet: 'Ma: eddig senki sem volt bent',
    axis: ['0', '6', '12', '18', '24'],
  },
};
