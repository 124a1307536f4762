/** Croatian. */
import type { MailWords, PageWords } from './words.js';

export const MAIL_WORDS: MailWords = {
  locale: 'hr-HR',
  key: {
    subject: ({ account, products }) =>
      products.length === 1 ? `Vaš ključ: ${products[0]} (${account})` : `Vaši ključevi (${account})`,
    heading: (products) => (products.length === 1 ? `Vaš ključ: ${products[0]}` : 'Vaši ključevi'),
    given: ({ account, sender }) =>
      sender === null ? `Dobili ste ključ. Šalje: ${account}.` : `Dobili ste ključ. Šalje: ${sender}, ${account}.`,
    goTo: (product) => `Otvori stranicu: ${product}`,
    place: (place) => `Gdje: ${place}`,
    window: ({ from, to }) => (to === null ? `Vrijedi od ${from}, bez kraja.` : `Vrijedi od ${from} do ${to}.`),
    howTo: 'Poveznica vodi na stranicu s gumbom. Ništa se ne pomiče dok ga ne pritisnete.',
    keepPrivate: 'Tko ima poveznicu, može je koristiti: ne prosljeđujte je.',
    why: (account) =>
      `Ovu poruku dobivate jer je vaša adresa upisana za ključ (${account}). Ako ga ne očekujete, ne morate ništa učiniti.`,
  },
  alert: {
    subject: ({ plate, alert }) => `Viđena je registracija ${plate} (${alert})`,
    heading: (plate) => `Viđena je registracija ${plate}`,
    given: ({ alert, account }) => `Očitana je registracija s upozorenja „${alert}” (${account}).`,
    labels: {
      time: 'Vrijeme',
      plate: 'Registracija',
      place: 'Mjesto',
      camera: 'Kamera',
      direction: 'Smjer',
      decision: 'Odluka',
    },
    enteredByHand: 'nema: registracija je upisana ručno',
    directions: { in: 'ulaz', out: 'izlaz', undefined: 'nepoznat' },
    decisions: { triggered: 'prolaz dopušten', denied: 'prolaz nije dopušten', none: 'nema odluke' },
    reasons: {
      debounce: 'ista registracija očitana je trenutak prije',
      direction_mismatch: 'pogrešan smjer',
      max_capacity: 'nema slobodnih mjesta',
      no_active_session: 'ulaz nije poznat',
      no_tariff: 'ovdje nije dopušteno',
      session_exit: 'kraj boravka',
      tariff: 'parkiranje uz naplatu',
      unknown_direction: 'smjer nije poznat',
      whitelist: 'dopušteno',
    },
    picture: 'Prikaži sliku',
    pictureUntil: (time) => `Slika se može vidjeti do ${time}.`,
    unsubscribe: 'Odjava od poruka ovog upozorenja',
    why: (account) => `Ovu poruku dobivate jer je vaša adresa upisana za ovo upozorenje (${account}).`,
  },
  unsubscribe: {
    title: 'Odjava od poruka upozorenja',
    question: 'Ne želite više primati poruke ovog upozorenja?',
    button: 'Odjavi me',
    done: 'Više nećete primati poruke ovog upozorenja.',
  },
};

export const PAGE_WORDS: PageWords = {
  locale: 'hr-HR',
  nameless: 'Pristup',
  loading: 'Trenutak …',
  states: {
    opened: 'Otvoreno',
    closed: 'Zatvoreno',
    error: 'Ne radi',
    unknown: 'Otvoreno ili zatvoreno: nije poznato',
    reserved: 'Rezervirano',
    disabled: 'Isključeno',
  },
  unheard: 'U zadnje vrijeme nema javljanja pa možda neće biti odgovora.',
  operations: {
    open: 'Otvori',
    close: 'Zatvori',
    force_close: 'Ipak zatvori',
    stay_open: 'Drži otvoreno',
    stay_close: 'Drži zatvoreno',
    clear_stay_open: 'Ne drži više otvoreno',
    clear_stay_close: 'Ne drži više zatvoreno',
  },
  asking: 'Šaljem zahtjev …',
  patience: 'To može potrajati pola minute. Ostanite na ovoj stranici.',
  moving: { open: 'Otvara se …', close: 'Zatvara se …', other: 'Trenutak …' },
  done: { open: 'Gotovo: otvoreno je.', close: 'Gotovo: zatvoreno je.', other: 'Gotovo.' },
  faults: {
    unreachable: {
      what: 'Nema veze s uređajem.',
      todo: 'Pričekajte pola minute i pokušajte ponovno. Inače pitajte osoblje.',
    },
    busy: { what: 'Upravo ga koristi netko drugi.', todo: 'Pričekajte da se zaustavi pa pokušajte ponovno.' },
    jammed: { what: 'Zaglavilo se.', todo: 'Zatražite pomoć osoblja.' },
    car_on_top: { what: 'Vozilo je na putu.', todo: 'Pričekajte da se odveze pa pokušajte ponovno.' },
    sensor_dirty: { what: 'Ne vidi se je li put slobodan.', todo: 'Zatražite pomoć osoblja.' },
    refused: { what: 'Nije uspjelo.', todo: 'Zatražite pomoć osoblja.' },
    no_remote_control: {
      what: 'Upravljanje na daljinu nije dopušteno.',
      todo: 'Pitajte onoga tko vam je dao poveznicu.',
    },
    too_often: { what: 'To je bilo prečesto.', todo: 'Pričekajte minutu pa pokušajte ponovno.' },
    link: { what: 'Ova poveznica ne radi ili više ne radi.', todo: 'Zatražite novu od onoga tko vam ju je dao.' },
    no_network: { what: 'Nema veze s uslugom.', todo: 'Provjerite mrežu na telefonu pa pokušajte ponovno.' },
    service: { what: 'Usluga ima poteškoća.', todo: 'Pokušajte ponovno za minutu. Inače pitajte osoblje.' },
    page: {
      what: 'Ova stranica ne radi u ovom pregledniku.',
      todo: 'Otvorite poveznicu u drugom pregledniku. Inače pitajte osoblje.',
    },
  },
  tryAgain: 'Pokušaj ponovno',
  valid: (to) => (to === null ? 'Vrijedi bez kraja' : `Vrijedi do ${to}`),
  notYet: (from) => `Ova poveznica radi od ${from}.`,
  ended: (at) => `Ova poveznica radila je do ${at}.`,
};
