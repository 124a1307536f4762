/** German. */
import type { MailWords, PageWords } from './words.js';

export const MAIL_WORDS: MailWords = {
  locale: 'de-DE',
  key: {
    subject: ({ account, products }) =>
      products.length === 1 ? `Ihr Schlüssel zu ${products[0]} (${account})` : `Ihre Schlüssel von ${account}`,
    heading: (products) => (products.length === 1 ? `Ihr Schlüssel zu ${products[0]}` : 'Ihre Schlüssel'),
    given: ({ account, sender }) =>
      sender === null
        ? `${account} hat Ihnen einen Schlüssel gegeben.`
        : `${sender} von ${account} hat Ihnen einen Schlüssel gegeben.`,
    goTo: (product) => `Zu ${product}`,
    place: (place) => `Wo: ${place}`,
    window: ({ from, to }) => (to === null ? `Gültig ab ${from}, ohne Ende.` : `Gültig von ${from} bis ${to}.`),
    howTo: 'Der Link führt zu einer Seite mit einem Knopf. Bevor Sie ihn drücken, bewegt sich nichts.',
    keepPrivate: 'Wer den Link hat, kann ihn benutzen: Geben Sie ihn nicht weiter.',
    why: (account) =>
      `Sie erhalten diese E-Mail, weil ${account} Ihre Adresse für einen Schlüssel eingetragen hat. Wenn Sie keinen erwarten, brauchen Sie nichts zu tun.`,
  },
  alert: {
    subject: ({ plate, alert }) => `${plate} wurde gesehen (${alert})`,
    heading: (plate) => `${plate} wurde gesehen`,
    given: ({ alert, account }) => `Ein Kennzeichen des Alarms „${alert}“ von ${account} wurde gelesen.`,
    labels: {
      time: 'Zeit',
      plate: 'Kennzeichen',
      place: 'Ort',
      camera: 'Kamera',
      direction: 'Richtung',
      decision: 'Entscheidung',
    },
    enteredByHand: 'keine: Das Kennzeichen wurde von Hand eingegeben',
    directions: { in: 'Einfahrt', out: 'Ausfahrt', undefined: 'nicht bekannt' },
    decisions: { triggered: 'durchgelassen', denied: 'nicht durchgelassen', none: 'keine' },
    reasons: {
      debounce: 'dasselbe Kennzeichen wurde eben erst gelesen',
      direction_mismatch: 'falsche Richtung',
      max_capacity: 'kein freier Platz',
      no_active_session: 'keine Einfahrt bekannt',
      no_tariff: 'hier nicht erlaubt',
      session_exit: 'Ende des Aufenthalts',
      tariff: 'parkt gegen Gebühr',
      unknown_direction: 'Richtung nicht bekannt',
      whitelist: 'erlaubt',
    },
    picture: 'Bild anzeigen',
    pictureUntil: (time) => `Das Bild ist bis ${time} zu sehen.`,
    unsubscribe: 'E-Mails dieses Alarms abbestellen',
    why: (account) => `Sie erhalten diese E-Mail, weil ${account} Ihre Adresse für diesen Alarm eingetragen hat.`,
  },
  reset: {
    subject: (account) => `Ein neues Passwort für ${account}`,
    heading: 'Ein neues Passwort',
    asked: ({ account, user }) =>
      `Für ${user} wurde ein neues Passwort angefordert, für die Parkplätze von ${account}.`,
    button: 'Neues Passwort wählen',
    once: 'Der Link funktioniert einmal und eine Stunde lang. Ein neues Passwort beendet jede Anmeldung.',
    notYou: 'Wenn Sie es nicht angefordert haben, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
  },
  contact: (whom) => `Fragen? Wenden Sie sich an ${whom}.`,
  unsubscribe: {
    title: 'E-Mails eines Alarms abbestellen',
    question: 'Möchten Sie keine E-Mails dieses Alarms mehr erhalten?',
    button: 'E-Mails abbestellen',
    done: 'Sie erhalten keine E-Mails dieses Alarms mehr.',
  },
};

export const PAGE_WORDS: PageWords = {
  locale: 'de-DE',
  nameless: 'Zugang',
  contact: 'Fragen? Wenden Sie sich an',
  loading: 'Einen Moment …',
  states: {
    opened: 'Offen',
    closed: 'Geschlossen',
    error: 'Außer Betrieb',
    unknown: 'Offen oder geschlossen: nicht bekannt',
    reserved: 'Reserviert',
    disabled: 'Ausgeschaltet',
  },
  unheard: 'Es war zuletzt nichts von hier zu hören; vielleicht kommt keine Antwort.',
  operations: {
    open: 'Öffnen',
    close: 'Schließen',
    force_close: 'Trotzdem schließen',
    stay_open: 'Offen halten',
    stay_close: 'Geschlossen halten',
    clear_stay_open: 'Nicht mehr offen halten',
    clear_stay_close: 'Nicht mehr geschlossen halten',
  },
  asking: 'Wird angefragt …',
  patience: 'Das kann eine halbe Minute dauern. Bleiben Sie auf dieser Seite.',
  moving: { open: 'Wird geöffnet …', close: 'Wird geschlossen …', other: 'Einen Moment …' },
  done: { open: 'Fertig: Es ist offen.', close: 'Fertig: Es ist geschlossen.', other: 'Fertig.' },
  faults: {
    unreachable: {
      what: 'Keine Verbindung dorthin.',
      todo: 'Warten Sie eine halbe Minute und versuchen Sie es noch einmal. Sonst fragen Sie vor Ort.',
    },
    busy: {
      what: 'Gerade wird es von jemand anderem benutzt.',
      todo: 'Warten Sie, bis es stillsteht, und versuchen Sie es noch einmal.',
    },
    jammed: { what: 'Es klemmt.', todo: 'Bitten Sie vor Ort um Hilfe.' },
    car_on_top: {
      what: 'Ein Fahrzeug ist im Weg.',
      todo: 'Warten Sie, bis es weitergefahren ist, und versuchen Sie es noch einmal.',
    },
    sensor_dirty: { what: 'Es ist nicht zu erkennen, ob der Weg frei ist.', todo: 'Bitten Sie vor Ort um Hilfe.' },
    refused: { what: 'Das hat nicht geklappt.', todo: 'Bitten Sie vor Ort um Hilfe.' },
    no_remote_control: {
      what: 'Es darf nicht aus der Ferne bedient werden.',
      todo: 'Fragen Sie, wer Ihnen den Link gegeben hat.',
    },
    too_often: { what: 'Das war zu oft.', todo: 'Warten Sie eine Minute und versuchen Sie es noch einmal.' },
    link: {
      what: 'Dieser Link funktioniert nicht oder nicht mehr.',
      todo: 'Bitten Sie um einen neuen, wo Sie ihn bekommen haben.',
    },
    no_network: {
      what: 'Keine Verbindung zum Dienst.',
      todo: 'Prüfen Sie das Netz Ihres Telefons und versuchen Sie es noch einmal.',
    },
    service: {
      what: 'Der Dienst hat ein Problem.',
      todo: 'Versuchen Sie es in einer Minute noch einmal. Sonst fragen Sie vor Ort.',
    },
    page: {
      what: 'Diese Seite funktioniert in diesem Browser nicht.',
      todo: 'Öffnen Sie den Link in einem anderen Browser. Sonst fragen Sie vor Ort.',
    },
  },
  tryAgain: 'Noch einmal versuchen',
  valid: (to) => (to === null ? 'Gültig ohne Ende' : `Gültig bis ${to}`),
  notYet: (from) => `Dieser Link funktioniert ab ${from}.`,
  ended: (at) => `Dieser Link hat bis ${at} funktioniert.`,
};
