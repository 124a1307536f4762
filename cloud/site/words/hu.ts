/** Hungarian. */
import type { MailWords, PageWords } from './words.js';

export const MAIL_WORDS: MailWords = {
  locale: 'hu-HU',
  key: {
    subject: ({ account, products }) =>
      products.length === 1 ? `Az Ön kulcsa: ${products[0]} (${account})` : `Az Ön kulcsai (${account})`,
    heading: (products) => (products.length === 1 ? `Az Ön kulcsa: ${products[0]}` : 'Az Ön kulcsai'),
    given: ({ account, sender }) =>
      sender === null ? `Ön kulcsot kapott. Küldi: ${account}.` : `Ön kulcsot kapott. Küldi: ${sender}, ${account}.`,
    goTo: (product) => `Lap megnyitása: ${product}`,
    place: (place) => `Hely: ${place}`,
    window: ({ from, to }) =>
      to === null ? `Érvényes ettől: ${from}, határidő nélkül.` : `Érvényes ettől: ${from}, eddig: ${to}.`,
    howTo: 'A link egy gombot tartalmazó lapra vezet. Semmi sem mozdul, amíg meg nem nyomja.',
    keepPrivate: 'Akinél a link van, használhatja: ne adja tovább.',
    why: (account) =>
      `Azért kapja ezt az e-mailt, mert kulcshoz adták meg az Ön címét (${account}). Ha nem vár kulcsot, nincs teendője.`,
  },
  alert: {
    subject: ({ plate, alert }) => `Rendszámot észleltünk: ${plate} (${alert})`,
    heading: (plate) => `Rendszámot észleltünk: ${plate}`,
    given: ({ alert, account }) => `Egy kamera leolvasta a riasztás egyik rendszámát: „${alert}” (${account}).`,
    labels: {
      time: 'Idő',
      plate: 'Rendszám',
      place: 'Hely',
      camera: 'Kamera',
      direction: 'Irány',
      decision: 'Döntés',
    },
    enteredByHand: 'nincs: a rendszámot kézzel írták be',
    directions: { in: 'behajtás', out: 'kihajtás', undefined: 'nem ismert' },
    decisions: { triggered: 'átengedve', denied: 'nincs átengedve', none: 'nincs' },
    reasons: {
      debounce: 'ugyanezt a rendszámot egy pillanattal előbb már leolvasták',
      direction_mismatch: 'rossz irány',
      max_capacity: 'nincs szabad hely',
      no_active_session: 'nem ismert a behajtás',
      no_tariff: 'itt nem engedélyezett',
      session_exit: 'a parkolás vége',
      tariff: 'díj ellenében parkol',
      unknown_direction: 'ismeretlen irány',
      whitelist: 'engedélyezett',
    },
    picture: 'Kép megtekintése',
    pictureUntil: (time) => `A kép eddig tekinthető meg: ${time}.`,
    unsubscribe: 'Leiratkozás a riasztás e-mailjeiről',
    why: (account) => `Azért kapja ezt az e-mailt, mert ehhez a riasztáshoz megadták az Ön címét (${account}).`,
  },
  reset: {
    subject: (account) => `Új jelszó (${account})`,
    heading: 'Új jelszó',
    asked: ({ account, user }) => `Valaki új jelszót kért. Felhasználó: ${user}, fiók: ${account}.`,
    button: 'Új jelszó választása',
    once: 'A link egyszer és egy óráig működik. Az új jelszó minden bejelentkezésnek véget vet.',
    notYou: 'Ha nem Ön kérte, nincs teendője: jelszava nem változik.',
  },
  contact: (whom) => `Kérdése van? Forduljon hozzá: ${whom}.`,
  unsubscribe: {
    title: 'Leiratkozás egy riasztás e-mailjeiről',
    question: 'Nem kér több e-mailt ettől a riasztástól?',
    button: 'Leiratkozás',
    done: 'Nem kap több e-mailt ettől a riasztástól.',
  },
};

export const PAGE_WORDS: PageWords = {
  locale: 'hu-HU',
  nameless: 'Bejárat',
  contact: 'Kérdése van? Forduljon hozzá:',
  loading: 'Egy pillanat …',
  states: {
    opened: 'Nyitva',
    closed: 'Zárva',
    error: 'Nem működik',
    unknown: 'Nyitva vagy zárva: nem ismert',
    reserved: 'Foglalt',
    disabled: 'Kikapcsolva',
  },
  unheard: 'Az utóbbi időben nem jelentkezett, lehet, hogy nem válaszol.',
  operations: {
    open: 'Nyitás',
    close: 'Zárás',
    force_close: 'Zárás mindenképp',
    stay_open: 'Nyitva tartás',
    stay_close: 'Zárva tartás',
    clear_stay_open: 'Nyitva tartás vége',
    clear_stay_close: 'Zárva tartás vége',
  },
  asking: 'Kérés küldése …',
  patience: 'Ez fél percig is eltarthat. Maradjon ezen a lapon.',
  moving: { open: 'Nyílik …', close: 'Záródik …', other: 'Egy pillanat …' },
  done: { open: 'Kész: nyitva van.', close: 'Kész: zárva van.', other: 'Kész.' },
  faults: {
    unreachable: {
      what: 'Nem sikerült elérni.',
      todo: 'Várjon fél percet, és próbálja újra. Különben kérdezze a helyszíni személyzetet.',
    },
    busy: { what: 'Éppen valaki más használja.', todo: 'Várja meg, amíg megáll, azután próbálja újra.' },
    jammed: { what: 'Elakadt.', todo: 'Kérjen segítséget a helyszíni személyzettől.' },
    car_on_top: { what: 'Jármű áll az útban.', todo: 'Várja meg, amíg továbbhajt, azután próbálja újra.' },
    sensor_dirty: { what: 'Nem látja, szabad-e az út.', todo: 'Kérjen segítséget a helyszíni személyzettől.' },
    refused: { what: 'Nem sikerült.', todo: 'Kérjen segítséget a helyszíni személyzettől.' },
    no_remote_control: {
      what: 'Távolról nem működtethető.',
      todo: 'Kérdezze meg azt, akitől a linket kapta.',
    },
    too_often: { what: 'Túl sok próbálkozás.', todo: 'Várjon egy percet, azután próbálja újra.' },
    link: { what: 'Ez a link nem működik, vagy már nem működik.', todo: 'Kérjen újat attól, akitől kapta.' },
    no_network: {
      what: 'Nincs kapcsolat a szolgáltatással.',
      todo: 'Ellenőrizze a telefonja hálózatát, azután próbálja újra.',
    },
    service: {
      what: 'Hiba van a szolgáltatásban.',
      todo: 'Próbálja újra egy perc múlva. Különben kérdezze a helyszíni személyzetet.',
    },
    page: {
      what: 'Ez a lap nem működik ebben a böngészőben.',
      todo: 'Nyissa meg a linket másik böngészőben. Különben kérdezze a helyszíni személyzetet.',
    },
  },
  tryAgain: 'Újra',
  valid: (to) => (to === null ? 'Határidő nélkül érvényes' : `Érvényes eddig: ${to}`),
  notYet: (from) => `Ez a link ettől működik: ${from}.`,
  ended: (at) => `Ez a link eddig működött: ${at}.`,
};
