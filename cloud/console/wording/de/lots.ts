/** What the console says in German of lots: how they are, their plan, what is open in an emergency. */
import type { ConsoleWords } from '../en.js';

export const LOT_WORDS: Pick<ConsoleWords, 'overview' | 'emergency' | 'command' | 'lot' | 'plan' | 'spark'> = {
  overview: {
    unsure: 'Nicht alles konnte gelesen werden.',
    occupied: (count, spots) => (spots === 0 ? `${count} belegt` : `${count} von ${spots} belegt`),
    ofSpots: (spots) => (spots === 0 ? 'belegt' : `von ${spots} belegt`),
    free: (count) => `${count} frei`,
    noLots: 'Ihnen ist kein Parkplatz zugewiesen. Die Verwaltung Ihres Kontos kann das tun.',
    waits: 'Was wartet',
    nothingWaits: 'Niemand wartet, und nichts ist gestört.',
    toQueue: 'Alle abgewiesenen',
    now: 'Was geschieht',
    insideToo: (count) =>
      count === 1
        ? 'Ein Fahrzeug ist nach Ein- und Ausfahrten drinnen.'
        : `${count} Fahrzeuge sind nach Ein- und Ausfahrten drinnen.`,
    whySensors:
      'Belegt ist, was die Sensoren der Plätze sehen; drinnen ist, wer eingefahren und noch nicht ausgefahren ist.',
    whyStays:
      'Als belegt zählen keine Aufenthalte, die länger als erlaubt dauern, und es gilt die letzte Zählung; drinnen ist jedes Fahrzeug, dessen Aufenthalt nicht beendet ist.',
  },
  emergency: {
    label: 'Im Notfall offen gehalten',
    atGateway: (gateway, since) => `Jemand am Gateway ${gateway} hat alles geöffnet: offen gehalten seit ${since}.`,
    ends: 'Wer hier angemeldet ist, beendet es mit dieser Taste; ebenso die gleiche Taste auf der Seite des Gateways.',
    at: (lot) => `Notfall in ${lot}.`,
    endTitle: (lot) => `In ${lot} zurück zum Normalbetrieb?`,
    endsHere: (lot) => `In ${lot} wird im Notfall alles offen gehalten. Hier endet das damit.`,
    toLot: 'Zum Parkplatz',
  },
  command: {
    ask: (operation, product) => `${operation}: ${product}?`,
    noAnswer:
      'Keine Antwort. Später wird nichts gesendet: Sehen Sie vor dem nächsten Versuch nach, ob sich etwas bewegt hat.',
    sending: (operation) => `${operation}: wird gesendet …`,
    pending: (operation) => `${operation}: wartet auf die Antwort …`,
    succeeded: (operation, ms) =>
      ms === null
        ? `${operation}: erledigt.`
        : `${operation}: erledigt in ${(ms / 1000).toFixed(1).replace('.', ',')} s.`,
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
    attempts: 'Versuche',
    noGateway: 'kein Gateway',
    running: 'läuft',
  },
  lot: {
    products: 'Schranken und Tore',
    devices: 'Gateways und Kameras',
    unknown: 'Diesen Parkplatz gibt es nicht, oder er ist Ihnen nicht zugewiesen.',
    zones: 'Zonen',
    emergency: 'Notfall',
    release: 'Notfall: alles öffnen',
    releaseHint: 'Öffnet nach einer Rückfrage auf einmal alle Schranken und Tore dieses Parkplatzes.',
    releaseTitle: (name) => `In ${name} alles öffnen?`,
    releaseWhat: (count) =>
      count === 1
        ? 'Die einzige Schranke (oder das einzige Tor) öffnet sich, für den Notfall.'
        : `Alle ${count} Schranken und Tore öffnen sich, für den Notfall.`,
    releaseHold: 'Offen halten, bis es jemand beendet',
    releaseYes: 'Jetzt alles öffnen',
    releaseEnd: 'Zurück zum Normalbetrieb',
    releaseEndHint: 'Beendet das Offenhalten: Schranken und Tore folgen wieder ihren Regeln.',
    releasedBy: (name, since) => `${name} hat alles geöffnet: offen gehalten seit ${since}.`,
    nothingHeld: 'Nichts war offen gehalten.',
    released: ({ done, all, failed }) =>
      `${done} von ${all} erledigt${failed === 0 ? '.' : `, ${failed} fehlgeschlagen: Dort muss jemand hingehen.`}`,
    releaseStates: {
      passable: 'offen',
      ended: 'nicht mehr offen gehalten',
      waiting: 'wartet auf die Antwort',
      failed: (why) => `fehlgeschlagen: ${why}`,
    },
    noProducts: 'Dieser Parkplatz hat noch keine Schranke.',
    gatewayOnline: 'verbunden',
    gatewayOffline: (since) => (since === null ? 'nicht verbunden' : `arbeitet allein seit ${since}`),
    queue: (count) => (count === 0 ? 'nichts wartet' : `${count} Aufzeichnungen warten`),
    tokenDays: (days) => `öffnet noch ${days} Tage allein`,
    cameraOnline: 'sendet',
    cameraOffline: (since) => (since === null ? 'schweigt' : `schweigt seit ${since}`),
    version: (version) => `Version ${version}`,
  },
  plan: {
    shownAs: 'Gezeigt als',
    list: 'Liste',
    plan: 'Plan',
    title: (lot) => `Plan von ${lot}`,
    how: 'Pfeiltasten gehen zum nächsten Teil, Bild auf und Bild ab durch alle, Enter zeigt eines.',
    howToArrange:
      'Ziehen Sie alles dorthin, wo es steht; eine Zone nimmt mit, was in ihr steht. Mit der Tastatur: Enter nimmt auf, Pfeiltasten bewegen, mit Umschalt machen sie eine Zone größer oder kleiner, Enter legt ab.',
    arrange: 'Anordnen',
    save: 'Anordnung speichern',
    discard: 'Verwerfen',
    automatic: 'Alles neu anordnen',
    saved: 'Die Anordnung ist gespeichert.',
    changed: 'Jemand anderes hat diesen Plan inzwischen angeordnet.',
    theirs: 'Jene Anordnung zeigen',
    mine: 'Meine trotzdem speichern',
    lifted: (name) => `${name}: aufgenommen.`,
    putDown: (name) => `${name}: abgelegt.`,
    chosen: 'Ausgewählt',
    choose: 'Wählen Sie etwas im Plan: Was es tut, steht dann hier, mit seinen Knöpfen.',
    nothing:
      'In diesem Parkplatz steht noch nichts. Zonen, Stellplätze, Schranken und Kameras erscheinen hier von selbst.',
    places: 'Stellplätze',
    placesFree: (free, all) => `${free} von ${all} frei`,
    place: (name) => `Stellplatz ${name}`,
    placeStates: { free: 'frei', occupied: 'belegt', unknown: 'nicht bekannt' },
    camera: 'Kamera',
    zoneOf: (name) => `in ${name}`,
    lastRead: 'Zuletzt gelesen',
    noRead: 'Noch nichts gelesen.',
    toLive: 'Ihre Fahrzeuge zeigen',
  },
  spark: {
    label: (count, at) => `Heute: am meisten um ${at}, mit ${count} drinnen`,
    quiet: 'Heute: bisher niemand drinnen',
    axis: ['0', '6', '12', '18', '24'],
  },
};
