/** What the console says in Croatian of lots: how they are, their plan, what is open in an emergency. */
import { counted } from '../../../../shared/wording/hr.js';
import type { ConsoleWords } from '../en.js';

export const LOT_WORDS: Pick<ConsoleWords, 'overview' | 'emergency' | 'command' | 'lot' | 'plan' | 'spark'> = {
  overview: {
    unsure: 'Nije se sve moglo pročitati.',
    occupied: (count, spots) => (spots === 0 ? `${count} zauzeto` : `${count} od ${spots} zauzeto`),
    ofSpots: (spots) => (spots === 0 ? 'zauzeto' : `od ${spots} zauzeto`),
    free: (count) => `${count} slobodno`,
    noLots: 'Nijedno parkiralište nije vam dodijeljeno. To može učiniti administrator vašeg računa.',
    waits: 'Što čeka',
    nothingWaits: 'Nitko ne čeka i ništa nije u kvaru.',
    toQueue: 'Sva odbijena',
    now: 'Što se događa',
    insideToo: (count) => `${counted(count, 'vozilo je', 'vozila su', 'vozila je')} unutra prema ulazima i izlazima.`,
    whySensors: 'Zauzeto je ono što vide senzori mjesta; unutra je tko je ušao, a još nije izašao.',
    whyStays:
      'U zauzeto se ne računaju boravci dulji od dopuštenog i vrijedi posljednje brojanje; unutra je svako vozilo čiji boravak nije završio.',
  },
  emergency: {
    label: 'Hitno drži se otvorenim',
    atGateway: (gateway, since) => `Sve drži otvorenim netko kod pristupnika ${gateway}, od ${since}.`,
    ends: 'Završava svatko tko je ovdje prijavljen, ovom tipkom, ili ista tipka na stranici pristupnika.',
    at: (lot) => `Hitno na parkiralištu ${lot}.`,
    endTitle: (lot) => `Natrag na normalan rad: ${lot}?`,
    endsHere: (lot) => `Na parkiralištu ${lot} sve se drži otvorenim zbog hitnosti. Ovo to ovdje prekida.`,
    toLot: 'Na parkiralište',
  },
  command: {
    ask: (operation, product) => `${operation}: ${product}?`,
    noAnswer: 'Nema odgovora. Kasnije se ništa neće poslati: prije novog pokušaja provjerite je li se pomaknulo.',
    sending: (operation) => `${operation}: šalje se …`,
    pending: (operation) => `${operation}: čeka odgovor …`,
    succeeded: (operation, ms) =>
      ms === null ? `${operation}: gotovo.` : `${operation}: gotovo za ${(ms / 1000).toFixed(1).replace('.', ',')} s.`,
    failed: (operation, why) => `${operation}: ${why}`,
    attempt: (parts) =>
      [
        parts.gateway,
        parts.rssi === null ? null : `${parts.rssi} dBm`,
        parts.ms === null ? null : `${parts.ms} ms`,
        parts.outcome,
      ]
        .filter((part) => part !== null)
        .join(' · '),
    attempts: 'Pokušaji',
    noGateway: 'nijedan pristupnik',
    running: 'u tijeku',
  },
  lot: {
    products: 'Rampe i vrata',
    devices: 'Pristupnici i kamere',
    unknown: 'Tog parkirališta nema ili vam nije dodijeljeno.',
    zones: 'Zone',
    emergency: 'Hitan slučaj',
    release: 'Hitno: otvori sve',
    releaseHint: 'Nakon pitanja odjednom otvara sve rampe i vrata ovog parkirališta.',
    releaseTitle: (name) => `Otvoriti sve na parkiralištu ${name}?`,
    releaseWhat: (count) =>
      count === 1
        ? 'Jedina rampa (ili vrata) otvara se, za hitan slučaj.'
        : `Otvaraju se sve rampe i vrata (${count}), za hitan slučaj.`,
    releaseHold: 'Drži ih otvorenima dok to netko ne prekine',
    releaseYes: 'Otvori sve sada',
    releaseEnd: 'Natrag na normalan rad',
    releaseEndHint: 'Prekida držanje otvorenim: rampe i vrata opet rade po svojim pravilima.',
    releasedBy: (name, since) => `Sve drži otvorenim: ${name}, od ${since}.`,
    nothingHeld: 'Ništa nije držano otvorenim.',
    released: ({ done, all, failed }) =>
      `Gotovo: ${done} od ${all}${failed === 0 ? '.' : `, neuspjelo: ${failed}. Netko mora otići onamo.`}`,
    releaseStates: {
      passable: 'otvoreno',
      ended: 'više se ne drži otvorenim',
      waiting: 'čeka odgovor',
      failed: (why) => `neuspjelo: ${why}`,
    },
    noProducts: 'Ovo parkiralište još nema rampe.',
    gatewayOnline: 'povezan',
    gatewayOffline: (since) => (since === null ? 'nije povezan' : `radi sam od ${since}`),
    queue: (count) =>
      count === 0 ? 'ništa ne čeka' : `${counted(count, 'zapis čeka', 'zapisa čekaju', 'zapisa čeka')}`,
    tokenDays: (days) => `sam otvara još ${counted(days, 'dan', 'dana', 'dana')}`,
    cameraOnline: 'šalje',
    cameraOffline: (since) => (since === null ? 'šuti' : `šuti od ${since}`),
    version: (version) => `verzija ${version}`,
  },
  plan: {
    shownAs: 'Prikaz',
    list: 'Popis',
    plan: 'Tlocrt',
    title: (lot) => `Tlocrt: ${lot}`,
    how: 'Strelice vode do sljedećeg dijela, Page Up i Page Down kroz sve, Enter prikazuje jedan.',
    howToArrange:
      'Povucite sve tamo gdje stoji; zona nosi sa sobom ono što je u njoj. Tipkovnicom: Enter podiže, strelice pomiču, sa Shift povećavaju ili smanjuju zonu, Enter spušta.',
    arrange: 'Rasporedi',
    save: 'Spremi raspored',
    discard: 'Odbaci',
    automatic: 'Rasporedi sve iznova',
    saved: 'Raspored je spremljen.',
    changed: 'Netko drugi u međuvremenu je rasporedio ovaj tlocrt.',
    theirs: 'Prikaži njihov',
    mine: 'Ipak spremi moj',
    lifted: (name) => `${name}: podignuto.`,
    putDown: (name) => `${name}: spušteno.`,
    chosen: 'Odabrano',
    choose: 'Odaberite nešto na tlocrtu: ovdje piše što radi, s gumbima.',
    nothing: 'Na ovom parkiralištu još nema ničega. Zone, mjesta, rampe i kamere pojavljuju se ovdje same.',
    places: 'Mjesta',
    placesFree: (free, all) => `${free} od ${all} slobodno`,
    place: (name) => `Mjesto ${name}`,
    placeStates: { free: 'slobodno', occupied: 'zauzeto', unknown: 'nepoznato' },
    camera: 'Kamera',
    zoneOf: (name) => `zona ${name}`,
    lastRead: 'Zadnje pročitano',
    noRead: 'Još ništa nije pročitano.',
    toLive: 'Prikaži njezina vozila',
  },
  spark: {
    label: (count, at) => `Danas: najviše u ${at}, unutra ${count}`,
    quiet: 'Danas: dosad nitko unutra',
    axis: ['0', '6', '12', '18', '24'],
  },
};
