/** The words of both consoles for products, operations and decisions, in Hungarian. */
import { inBrackets } from '../troubles/trouble-sentences.js';
import type { GateWords } from './en.js';

/** By what each unit ends when the age says how long ago something was: „5 perce”. */
const AGO: Readonly<Record<string, string>> = { perc: 'perce', óra: 'órája', nap: 'napja' };

const ago = (age: string): string => age.replace(/\p{L}+$/u, (unit) => AGO[unit] ?? unit);

export const GATE_WORDS: GateWords = {
  locale: 'hu-HU',
  productErrors: {
    jammed: 'elakadt. Nézze meg, nem akadályozza-e valami.',
    pin_broken: 'eltört egy csapja. Szerelő kell hozzá.',
    sensor_dirty: 'szennyezett az érzékelője. Törölje le.',
    battery_empty: 'lemerült az akkumulátora. Töltse fel vagy cserélje ki.',
    rtcc_invalid: 'nincs beállítva az órája. Az átjáró a következő paranccsal beállítja.',
    master_key_not_set: 'nincs párosítva. Párosítsa, mielőtt innen nyitná.',
    other: 'hibát jelez.',
  },
  states: { passable: 'Nyitva', blocked: 'Zárva', unknown: 'Ismeretlen', error: 'Hiba' },
  kinds: { 1: 'Sorompó', 2: 'Kapu', 3: 'Lánc', 4: 'Oszlop', 5: 'Vezérlő' },
  product: {
    online: (rssi) => (rssi === null ? 'hatótávon belül' : `hatótávon belül, ${rssi} dBm`),
    offline: 'hatótávon kívül',
    battery: (percent) => `akkumulátor: ${percent}%`,
    carOnTop: 'jármű áll rajta',
    stays: { stay_open: 'nyitva tartva', stay_close: 'zárva tartva' },
    unpaired: 'nincs párosítva',
    moreOperations: 'További műveletek',
    closeWhat: 'Nézze meg, szabad-e az út: sem ember, sem jármű nem állhat benne.',
  },
  radioStates: { on: 'működik', off: 'kikapcsolva', unavailable: 'nem működik' },
  troubles: {
    title: 'Ami beavatkozást kíván',
    calm: 'Minden rendben.',
    needs: (count) => `${count} dolog beavatkozást kíván.`,
    radio: (name, adapters) => `${name}: nem működik a Bluetooth (${adapters}).`,
    noRadio: (name) => `${name}: ki van kapcsolva a Bluetooth, semmit sem nyit.`,
    willNotOpen: (count, names) =>
      count === 1
        ? `${names}: nincs párosítva, nem fog kinyílni.`
        : `${count} eszköz nincs párosítva, és nem fog kinyílni: ${names}.`,
    says: {
      lot_released: (name, { by }) => `${name}: minden nyitva van tartva${by === null ? '' : `, elrendelte: ${by}`}.`,
      store_failed: (name) =>
        `${name}: a memóriakártya vagy a lemez nem fogad több rekordot. A sorompók tovább működnek; hívja az ügyfélszolgálatot.`,
      product_unpaired: (name) => `${name}: nincs párosítva, vészhelyzetben sem nyitható. Párosítsa.`,
      credential_over: (name) => `${name}: már semmit sem tud nyitni, a felhőnek meg kell újítania a jogosultságát.`,
      product_unheard: (name, { was_heard }) =>
        `${name}: ${was_heard ? 'hatótávon kívül van' : 'még sosem jelentkezett'}. Nézze meg, van-e árama, és mi áll az útban.`,
      product_other_key: (name, { fault }) =>
        fault === 'other'
          ? `${name}: hallható, de más a kulcsa. Párosítsa újra.`
          : `${name}: elutasítja az átjárója kulcsát. Párosítsa újra.`,
      gateway_alone: (name, { was_connected }) =>
        was_connected
          ? `${name}: egyedül működik, a felhő nélkül. A sorompók aszerint működnek tovább, amit tud.`
          : `${name}: még nem érte el a felhőt. A sorompók aszerint működnek tovább, amit tud.`,
      not_configured: (name) => `${name}: még nincs konfigurációja, akkor kapja meg, amikor eléri a felhőt.`,
      clock_wrong: (name, { off_s }) =>
        off_s === null
          ? `${name}: nincs beállítva az órája, az időpontok becsültek. Hálózattal vagy felhővel újra pontos lesz.`
          : `${name}: ${Math.abs(off_s)} mp-et téved az órája. Időkiszolgálóval rendelkező hálózat kell neki.`,
      camera_silent: (name, { problem }) =>
        `${name}: nem jelentkezik, ott nincs rendszámolvasás${inBrackets(problem)}.`,
      camera_fault: (name, { problem }) => `${name}: ${problem}`,
      sensors_silent: (name, { problem }) =>
        `${name}: nem jelentkezik, parkolóhelyeinek állapota most nem ismert${inBrackets(problem)}.`,
      sensors_fault: (name, { problem }) => `${name}: ${problem}`,
      places_silent: (name, { count, places, problem }) =>
        count === 1
          ? `${name}: nem jelentkezik egy érzékelő: ${places}${inBrackets(problem)}. Nézze meg az elemét.`
          : `${name}: ${count} érzékelő nem jelentkezik: ${places}${inBrackets(problem)}. Nézze meg az elemeiket.`,
      display_stale: (name, { problem }) => `${name}: nem a mostani állapotot mutatja${inBrackets(problem)}.`,
      counts_apart: (name, { sensors, sessions }) =>
        `${name}: a számlálások eltérnek. Az érzékelők szerint ${sensors ?? '–'}, a kamerák szerint ${sessions}. Számolja meg a járműveket.`,
      webhook_off: (name) => `Webhook ki van kapcsolva, a fogadó nem kér több üzenetet: ${name}.`,
      webhook_failing: (name, { status }) =>
        `Sikertelen webhook: ${name}. ${status === null ? 'Senki sem válaszol.' : `A válasz: ${status}.`}`,
      mails_failing: (_name, { count }) => `${count} e-mail nem ment el.`,
      queue_old: (name) => `${name}: olyan rekordokat tárol, amelyeket nem tudott átadni.`,
      credential_low: (name, { days }) =>
        `${name}: még ${days} napig tud önállóan nyitni, addig el kell érnie a felhőt.`,
      battery_low: (name, { percent }) => `${name}: az akkumulátor töltöttsége ${percent}%.`,
      product_clock_wrong: (name, { off_s }) =>
        `${name}: ${Math.abs(off_s)} mp-et téved az órája, kapcsolódáskor a felhő beállítja.`,
      camera_clock_wrong: (name, { off_s }) =>
        `${name}: ${Math.abs(off_s)} mp-et ${off_s < 0 ? 'siet' : 'késik'} az órája.`,
      awaited: (name) => `${name}: várakozás az első jelre.`,
    },
  },
  ages: {
    minutes: (count) => `${count} perc`,
    hours: (count) => `${count} óra`,
    days: (count) => `${count} nap`,
    since: (age, time) => `${ago(age)}, ${time} óta`,
    sinceUnknown: 'nem ismert, mióta',
    now: 'éppen most',
    ago,
    was: (state, before) => `${before}: ${state}`,
  },
  formerly: { passable: 'nyitva', blocked: 'zárva', free: 'szabad', occupied: 'foglalt' },
  operations: {
    open: 'Nyitás',
    close: 'Zárás',
    force_close: 'Zárás szennyezett érzékelő ellenére',
    stay_open: 'Nyitva tartás',
    stay_close: 'Zárva tartás',
    clear_stay_open: 'Nyitva tartás vége',
    clear_stay_close: 'Zárva tartás vége',
  },
  decisions: {
    admittedIn: 'Beengedve',
    admittedOut: 'Kiengedve',
    denied: 'Elutasítva',
    none: 'Észlelve, nincs mit eldönteni.',
    handled: {
      let_in: (by, at) => `Beengedte: ${by}, ${at}.`,
      let_out: (by, at) => `Kiengedte: ${by}, ${at}.`,
      ignored: (by, at) => `Mellőzte: ${by}, ${at}.`,
      settled: (by, at) => `Rendezte: ${by}, ${at}.`,
    },
    reasons: {
      whitelist: 'a rendszám egy tagé, vagy a sorompóhoz van kötve.',
      tariff: 'díj ellenében parkol.',
      session_exit: 'a parkolása véget ért.',
      debounce: 'ugyanezt a rendszámot egy pillanattal előbb már leolvasták.',
      direction_mismatch: 'nem abba az irányba haladt, amelyet ez a kamera figyel.',
      max_capacity: 'a zóna megtelt.',
      no_active_session: 'nem ismert a behajtása.',
      no_tariff: 'nem tagé, és a zónában nincs tarifa mások számára.',
      unknown_direction: 'az iránya nem ismert.',
    },
  },
  failures: {
    0: 'nem fogadta el a hitelesítő adatokat.',
    1: 'a kulcs nem érvényes.',
    2: 'megszakadt vele a kapcsolat.',
    3: 'a Bluetooth hibázott.',
    4: 'nem található hatótávon belül.',
    5: 'elakadt. Nézze meg, nem akadályozza-e valami.',
    6: 'jármű áll rajta. Várja meg, amíg továbbhajt.',
    7: 'szennyezett az érzékelője. Törölje le, vagy zárja így is, ha látja, hogy senki sincs ott.',
    8: 'nincs párosítva.',
    9: 'nincs beállítva az órája.',
    10: 'éppen egy másik mozgást végez.',
    11: 'közelebbről meg nem nevezett hibát jelez.',
    Timeout: 'egyik átjáró sem kapott időben választ. Nézze meg az átjárót, és azt, ami közte és a sorompó között áll.',
  },
  unknownFailure: 'nem sikerült.',
};
