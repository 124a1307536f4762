/** The words of both consoles for products, operations and decisions, in Croatian. */
import { inBrackets } from '../troubles/trouble-sentences.js';
import type { GateWords } from './en.js';

/** 1, 21, 101 · 2 to 4, 22 · the others */
export function counted(count: number, one: string, few: string, many: string): string {
  const [last, lastTwo] = [count % 10, count % 100];
  if (last === 1 && lastTwo !== 11) return `${count} ${one}`;
  return last >= 2 && last <= 4 && (lastTwo < 12 || lastTwo > 14) ? `${count} ${few}` : `${count} ${many}`;
}

const countedDays = (count: number): string => counted(count, 'dan', 'dana', 'dana');

export const GATE_WORDS: GateWords = {
  locale: 'hr-HR',
  productErrors: {
    jammed: 'zapelo je. Pogledajte smeta li nešto.',
    pin_broken: 'klin je slomljen. Potreban je tehničar.',
    sensor_dirty: 'senzor je prljav. Obrišite ga.',
    battery_empty: 'baterija je prazna. Napunite je ili zamijenite.',
    rtcc_invalid: 'sat nije namješten. Pristupnik ga namješta sljedećom naredbom.',
    master_key_not_set: 'nije upareno. Uparite ga prije otvaranja odavde.',
    other: 'javlja pogrešku.',
  },
  states: { passable: 'Otvoreno', blocked: 'Zatvoreno', unknown: 'Nepoznato', error: 'Pogreška' },
  kinds: { 1: 'Rampa', 2: 'Vrata', 3: 'Lanac', 4: 'Stupić', 5: 'Upravljačka jedinica' },
  product: {
    online: (rssi) => (rssi === null ? 'u dometu' : `u dometu, ${rssi} dBm`),
    offline: 'izvan dometa',
    battery: (percent) => `baterija ${percent}\u00A0%`,
    carOnTop: 'vozilo je na njemu',
    stays: { stay_open: 'drži se otvoreno', stay_close: 'drži se zatvoreno' },
    unpaired: 'nije upareno',
    moreOperations: 'Ostale naredbe',
    closeWhat: 'Pogledajte je li prolaz slobodan: u njemu ne smije biti ni ljudi ni vozila.',
  },
  radioStates: { on: 'radi', off: 'isključen', unavailable: 'ne radi' },
  troubles: {
    title: 'Što traži nečiju pažnju',
    calm: 'Sve je u redu.',
    needs: (count) => `${counted(count, 'stvar traži', 'stvari traže', 'stvari traži')} nečiju pažnju.`,
    radio: (name, adapters) => `Bluetooth pristupnika ${name} ne radi: ${adapters}.`,
    noRadio: (name) => `Bluetooth pristupnika ${name} je isključen: ništa ne otvara.`,
    willNotOpen: (count, names) =>
      count === 1
        ? `${names} nije upareno i neće se otvoriti.`
        : `Nije upareno i neće se otvoriti (${count}): ${names}.`,
    says: {
      lot_released: (name, { by }) =>
        `Sve na parkiralištu ${name} drži se otvorenim${by === null ? '' : `, naredba: ${by}`}.`,
      store_failed: (name) =>
        `Memorijska kartica ili disk pristupnika ${name} više ne prima zapise. Rampe rade dalje; nazovite podršku.`,
      product_unpaired: (name) => `${name} nije upareno i ne može se otvoriti, ni u nuždi. Uparite ga.`,
      credential_over: (name) => `${name} više ništa ne može otvoriti: treba svoj oblak da obnovi pravo.`,
      product_unheard: (name, { was_heard }) =>
        `${name} ${was_heard ? 'je izvan dometa' : 'još se nikad nije čulo'}. Pogledajte ima li struje i što stoji između.`,
      product_other_key: (name, { fault }) =>
        fault === 'other'
          ? `${name} se čuje, ali ima drugi ključ. Uparite ga ponovno.`
          : `${name} odbija ključ svojeg pristupnika. Uparite ga ponovno.`,
      gateway_alone: (name, { was_connected }) =>
        was_connected
          ? `${name} radi sam, bez oblaka. Rampe rade dalje po onome što zna.`
          : `${name} još nije dosegnuo oblak. Rampe rade dalje po onome što zna.`,
      not_configured: (name) => `${name} još nema postavke: dobiva ih kad dosegne svoj oblak.`,
      clock_wrong: (name, { off_s }) =>
        off_s === null
          ? `Sat pristupnika ${name} nije namješten: vremena su procijenjena. Opet će biti točan s mrežom ili oblakom.`
          : `Sat pristupnika ${name} griješi za ${Math.abs(off_s)} s. Treba mrežu s poslužiteljem vremena.`,
      camera_silent: (name, { problem }) => `${name} šuti: ondje se registracije ne čitaju${inBrackets(problem)}.`,
      camera_fault: (name, { problem }) => `${name}: ${problem}`,
      sensors_silent: (name, { problem }) => `${name} šuti: ne zna se kakva su mjesta sada${inBrackets(problem)}.`,
      sensors_fault: (name, { problem }) => `${name}: ${problem}`,
      places_silent: (name, { count, places, problem }) =>
        count === 1
          ? `${name}: senzor mjesta ${places} šuti${inBrackets(problem)}. Pogledajte mu bateriju.`
          : `${name}: senzori koji šute: ${count} (${places})${inBrackets(problem)}. Pogledajte im baterije.`,
      display_stale: (name, { problem }) => `${name} ne prikazuje trenutno stanje${inBrackets(problem)}.`,
      counts_apart: (name, { sensors, sessions }) =>
        `${name}: brojanja se razilaze. Senzori kažu ${sensors ?? '–'}, kamere ${sessions}. Prebrojite vozila.`,
      webhook_off: (name) => `Webhook prema ${name} je isključen: primatelj više ne želi ništa primati.`,
      webhook_failing: (name, { status }) =>
        `Webhook prema ${name} ne uspijeva: ${status === null ? 'nitko ne odgovara' : `odgovor je ${status}`}.`,
      mails_failing: (_name, { count }) =>
        count === 1 ? 'Jedna poruka e-pošte nije poslana.' : `Poruke e-pošte koje nisu poslane: ${count}.`,
      queue_old: (name) => `${name} drži zapise koje nije mogao predati.`,
      credential_low: (name, { days }) =>
        `${name} može sam otvarati još ${countedDays(days)}: do tada treba svoj oblak.`,
      battery_low: (name, { percent }) => `Baterija ${name} je na ${percent}\u00A0%.`,
      product_clock_wrong: (name, { off_s }) =>
        `Sat ${name} griješi za ${Math.abs(off_s)} s: oblak ga namješta kad je povezan.`,
      camera_clock_wrong: (name, { off_s }) => `Sat ${name} ${off_s < 0 ? 'žuri' : 'kasni'} ${Math.abs(off_s)} s.`,
      awaited: (name) => `Čeka se ${name}: još se ništa nije čulo.`,
    },
  },
  ages: {
    minutes: (count) => `${count} min`,
    hours: (count) => `${count} h`,
    days: countedDays,
    since: (age, time) => `već ${age}, od ${time}`,
    sinceUnknown: 'ne zna se otkad',
    now: 'upravo',
    ago: (age) => `prije ${age}`,
    was: (state, ago) => `${ago}: ${state}`,
  },
  formerly: { passable: 'otvoreno', blocked: 'zatvoreno', free: 'slobodno', occupied: 'zauzeto' },
  operations: {
    open: 'Otvori',
    close: 'Zatvori',
    force_close: 'Zatvori unatoč prljavom senzoru',
    stay_open: 'Drži otvoreno',
    stay_close: 'Drži zatvoreno',
    clear_stay_open: 'Prekini držanje otvorenim',
    clear_stay_close: 'Prekini držanje zatvorenim',
  },
  decisions: {
    admittedIn: 'Pušteno unutra',
    admittedOut: 'Pušteno van',
    denied: 'Odbijeno',
    none: 'Viđeno, nema odluke.',
    handled: {
      let_in: (by, at) => `Pustio unutra: ${by}, ${at}.`,
      let_out: (by, at) => `Pustio van: ${by}, ${at}.`,
      ignored: (by, at) => `Zanemario: ${by}, ${at}.`,
      settled: (by, at) => `Riješio: ${by}, ${at}.`,
    },
    reasons: {
      whitelist: 'registracija pripada članu ili je vezana uz rampu.',
      tariff: 'parkira uz naplatu.',
      session_exit: 'boravak je završio.',
      debounce: 'ista registracija pročitana je trenutak prije.',
      direction_mismatch: 'vozilo je išlo suprotno od smjera ove kamere.',
      max_capacity: 'zona je puna.',
      no_active_session: 'njegov ulaz nije poznat.',
      no_tariff: 'nije član, a zona nema tarifu za ostale.',
      unknown_direction: 'smjer nije poznat.',
    },
  },
  failures: {
    0: 'vjerodajnice nisu prihvaćene.',
    1: 'ključ ne vrijedi.',
    2: 'veza je pukla.',
    3: 'Bluetooth nije uspio.',
    4: 'nije pronađeno u dometu.',
    5: 'zapelo je. Pogledajte smeta li nešto.',
    6: 'vozilo je na njemu. Pričekajte da ode.',
    7: 'senzor je prljav. Obrišite ga, ili ipak zatvorite ako vidite da nikoga nema.',
    8: 'nije upareno.',
    9: 'sat nije namješten.',
    10: 'upravo se pomiče.',
    11: 'javlja pogrešku bez imena.',
    Timeout:
      'nijedan pristupnik nije na vrijeme dobio odgovor. Pogledajte pristupnik i što stoji između njega i rampe.',
  },
  unknownFailure: 'nije uspjelo.',
};
