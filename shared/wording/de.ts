/** The words of both consoles for products, operations and decisions, in German. */
import { inBrackets } from '../troubles/trouble-sentences.js';
import type { GateWords } from './en.js';

export const GATE_WORDS: GateWords = {
  locale: 'de-AT',
  productErrors: {
    jammed: 'klemmt. Sehen Sie nach, ob etwas im Weg ist.',
    pin_broken: 'Ein Stift ist gebrochen. Hier hilft die Technik.',
    sensor_dirty: 'Der Sensor ist schmutzig. Wischen Sie ihn ab.',
    battery_empty: 'Die Batterie ist leer. Laden oder tauschen Sie sie.',
    rtcc_invalid: 'Die Uhr ist nicht gestellt. Das Gateway stellt sie beim nächsten Befehl.',
    master_key_not_set: 'ist nicht gekoppelt. Koppeln Sie es, bevor es von hier aus geöffnet werden kann.',
    other: 'meldet einen Fehler.',
  },
  states: { passable: 'Offen', blocked: 'Geschlossen', unknown: 'Unbekannt', error: 'Fehler' },
  kinds: { 1: 'Schranke', 2: 'Tor', 3: 'Kette', 4: 'Poller', 5: 'Steuergerät' },
  product: {
    online: (rssi) => (rssi === null ? 'in Reichweite' : `in Reichweite, ${rssi} dBm`),
    offline: 'außer Reichweite',
    battery: (percent) => `Batterie ${percent}\u00A0%`,
    carOnTop: 'ein Fahrzeug steht darauf',
    stays: { stay_open: 'offen gehalten', stay_close: 'geschlossen gehalten' },
    unpaired: 'nicht gekoppelt',
    moreOperations: 'Weitere Befehle',
    closeWhat: 'Sehen Sie nach, ob der Weg frei ist: Niemand und kein Fahrzeug darf darin stehen.',
  },
  radioStates: { on: 'arbeitet', off: 'aus', unavailable: 'arbeitet nicht' },
  troubles: {
    title: 'Worum sich jemand kümmern muss',
    calm: 'Alles in Ordnung.',
    needs: (count) =>
      count === 1 ? 'Um eine Sache muss sich jemand kümmern.' : `Um ${count} Dinge muss sich jemand kümmern.`,
    radio: (name, adapters) => `Bluetooth von ${name} arbeitet nicht: ${adapters}.`,
    noRadio: (name) => `Bluetooth von ${name} ist aus: Es öffnet nichts.`,
    willNotOpen: (count, names) =>
      count === 1
        ? `${names} ist nicht gekoppelt und öffnet nicht.`
        : `${count} sind nicht gekoppelt und öffnen nicht: ${names}.`,
    says: {
      lot_released: (name, { by }) => `Alles in ${name} wird offen gehalten${by === null ? '' : ` von ${by}`}.`,
      store_failed: (name) =>
        `Speicherkarte oder Platte von ${name} nimmt nichts mehr auf. Die Tore arbeiten weiter; rufen Sie die Hilfe an.`,
      product_unpaired: (name) =>
        `${name} ist nicht gekoppelt und lässt sich nicht öffnen, auch nicht im Notfall. Koppeln Sie es.`,
      credential_over: (name) => `${name} kann nichts mehr öffnen: Es braucht seine Cloud, um sein Recht zu erneuern.`,
      product_unheard: (name, { was_heard }) =>
        `${name} ${was_heard ? 'ist außer Reichweite' : 'wurde noch nie gehört'}. Sehen Sie nach, ob es Strom hat und was dazwischen steht.`,
      product_other_key: (name, { fault }) =>
        fault === 'other'
          ? `${name} ist zu hören, hat aber einen anderen Schlüssel. Koppeln Sie es neu.`
          : `${name} weist den Schlüssel seines Gateways zurück. Koppeln Sie es neu.`,
      gateway_alone: (name, { was_connected }) =>
        was_connected
          ? `${name} arbeitet allein, ohne die Cloud. Die Tore arbeiten mit dem weiter, was es weiß.`
          : `${name} hat die Cloud noch nicht erreicht. Die Tore arbeiten mit dem weiter, was es weiß.`,
      not_configured: (name) => `${name} hat noch keine Konfiguration: Es bekommt sie, wenn es seine Cloud erreicht.`,
      clock_wrong: (name, { off_s }) =>
        off_s === null
          ? `Die Uhr von ${name} ist nicht gestellt: Zeiten sind geschätzt. Mit Netz oder Cloud stimmt sie wieder.`
          : `Die Uhr von ${name} geht um ${Math.abs(off_s)} s falsch. Sie braucht ein Netz mit einem Zeitserver.`,
      camera_silent: (name, { problem }) =>
        `${name} schweigt: Dort werden keine Kennzeichen gelesen${inBrackets(problem)}.`,
      camera_fault: (name, { problem }) => `${name}: ${problem}`,
      sensors_silent: (name, { problem }) =>
        `${name} schweigt: Wie es um seine Plätze steht, ist nicht bekannt${inBrackets(problem)}.`,
      sensors_fault: (name, { problem }) => `${name}: ${problem}`,
      places_silent: (name, { count, places, problem }) =>
        count === 1
          ? `${name}: Der Sensor von ${places} schweigt${inBrackets(problem)}. Sehen Sie nach seiner Batterie.`
          : `${name}: ${count} Sensoren schweigen: ${places}${inBrackets(problem)}. Sehen Sie nach ihren Batterien.`,
      display_stale: (name, { problem }) => `${name} zeigt nicht, wie es jetzt ist${inBrackets(problem)}.`,
      counts_apart: (name, { sensors, sessions }) =>
        `${name}: Die Zählungen liegen auseinander. Sensoren sagen ${sensors ?? '–'}, Kameras ${sessions}. Zählen Sie die Fahrzeuge.`,
      webhook_off: (name) => `Der Webhook an ${name} wurde abgeschaltet: Sein Empfänger will nichts mehr haben.`,
      webhook_failing: (name, { status }) =>
        `Der Webhook an ${name} scheitert: ${status === null ? 'Niemand antwortet' : `Die Antwort ist ${status}`}.`,
      mails_failing: (_name, { count }) =>
        count === 1 ? 'Eine E-Mail wurde nicht gesendet.' : `${count} E-Mails wurden nicht gesendet.`,
      queue_old: (name) => `${name} hält Aufzeichnungen, die es nicht abgeben konnte.`,
      credential_low: (name, { days }) =>
        `${name} kann noch ${days === 1 ? 'einen Tag' : `${days} Tage`} allein öffnen: Bis dahin braucht es seine Cloud.`,
      battery_low: (name, { percent }) => `Die Batterie von ${name} ist bei ${percent}\u00A0%.`,
      product_clock_wrong: (name, { off_s }) =>
        `Die Uhr von ${name} geht um ${Math.abs(off_s)} s falsch: Die Cloud stellt sie, wenn sie verbunden ist.`,
      camera_clock_wrong: (name, { off_s }) =>
        `Die Uhr von ${name} geht ${Math.abs(off_s)} s ${off_s < 0 ? 'vor' : 'nach'}.`,
      awaited: (name) => `Wartet auf ${name}: Davon wurde noch nichts gehört.`,
    },
  },
  ages: {
    minutes: (count) => `${count} min`,
    hours: (count) => `${count} h`,
    days: (count) => (count === 1 ? 'einem Tag' : `${count} Tagen`),
    since: (age, time) => `seit ${age}, ab ${time}`,
    sinceUnknown: 'seit wann, ist nicht bekannt',
    now: 'eben',
    ago: (age) => `vor ${age}`,
    was: (state, ago) => `war ${ago} ${state}`,
  },
  formerly: { passable: 'offen', blocked: 'geschlossen', free: 'frei', occupied: 'belegt' },
  operations: {
    open: 'Öffnen',
    close: 'Schließen',
    force_close: 'Trotz schmutzigem Sensor schließen',
    stay_open: 'Offen halten',
    stay_close: 'Geschlossen halten',
    clear_stay_open: 'Offenhalten beenden',
    clear_stay_close: 'Geschlossenhalten beenden',
  },
  decisions: {
    admittedIn: 'Eingelassen',
    admittedOut: 'Hinausgelassen',
    denied: 'Abgewiesen',
    none: 'Gesehen, nichts zu entscheiden.',
    handled: {
      let_in: (by, at) => `Eingelassen von ${by}, ${at}.`,
      let_out: (by, at) => `Hinausgelassen von ${by}, ${at}.`,
      ignored: (by, at) => `Übergangen von ${by}, ${at}.`,
      settled: (by, at) => `Geklärt von ${by}, ${at}.`,
    },
    reasons: {
      whitelist: 'Das Kennzeichen gehört einem Mitglied oder zum Tor.',
      tariff: 'parkt gegen Gebühr.',
      session_exit: 'Der Aufenthalt ist zu Ende.',
      debounce: 'Dasselbe Kennzeichen wurde eben erst gelesen.',
      direction_mismatch: 'Es fuhr in die andere Richtung, als diese Kamera bewacht.',
      max_capacity: 'Die Zone ist voll.',
      no_active_session: 'Keine Einfahrt ist bekannt.',
      no_tariff: 'Es gehört keinem Mitglied, und die Zone hat keinen Tarif für andere.',
      unknown_direction: 'Die Richtung ist nicht bekannt.',
    },
  },
  failures: {
    0: 'Die Zugangsdaten wurden nicht angenommen.',
    1: 'Der Schlüssel gilt nicht.',
    2: 'Die Verbindung ist abgerissen.',
    3: 'Bluetooth ist gescheitert.',
    4: 'Es wurde in Reichweite nicht gefunden.',
    5: 'Es klemmt. Sehen Sie nach, ob etwas im Weg ist.',
    6: 'Ein Fahrzeug steht darauf. Warten Sie, bis es weitergefahren ist.',
    7: 'Der Sensor ist schmutzig. Wischen Sie ihn ab, oder schließen Sie trotzdem, wenn Sie sehen, dass niemand dort ist.',
    8: 'Es ist nicht gekoppelt.',
    9: 'Die Uhr ist nicht gestellt.',
    10: 'Es bewegt sich gerade.',
    11: 'Es meldet einen Fehler ohne Namen.',
    Timeout:
      'Kein Gateway bekam rechtzeitig eine Antwort. Sehen Sie nach dem Gateway und danach, was zwischen ihm und der Schranke steht.',
  },
  unknownFailure: 'gescheitert.',
};
