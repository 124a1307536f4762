/** What the console says in German of releases of the gateways' software, and of how far they are. */
import type { ReleaseWords } from '../en/releases.js';

export const RELEASE_WORDS: ReleaseWords = {
  what: 'Die Software Ihrer Gateways. Wer diesen Dienst betreibt, veröffentlicht eine Version und gibt sie erst einem Teil der Gateways, dann immer mehr von ihnen. Hier sehen Sie, wie weit jedes ist, und können sie zurückhalten.',
  none: 'Für Ihre Gateways wurde noch keine Version veröffentlicht.',
  title: (version) => `Version ${version}`,
  percent: (percent) => `für ${percent} % Ihrer Gateways`,
  notBegun: 'noch nicht an Sie verteilt',
  pausedByOperator: 'vom Betreiber des Dienstes angehalten',
  published: (at) => `veröffentlicht ${at}`,
  machine: (machine) => `für ${machine}`,
  megabytes: (size) => `${size} MB`,
  floor: (version) => `danach lässt sich nichts Älteres als ${version} installieren`,
  counts: {
    installed: (n) => `${n} ${n === 1 ? 'hat' : 'haben'} sie`,
    moving: (n) => `${n} ${n === 1 ? 'bekommt' : 'bekommen'} sie gerade`,
    failed: (n) => `${n} misslungen`,
    waiting: (n) => `${n} ${n === 1 ? 'wartet' : 'warten'}`,
    outside: (n) => `${n} noch nicht gemeint`,
    apart: (n) => `${n} anders aktualisiert oder nicht bekannt`,
  },
  noGateways: 'Sie haben kein Gateway, für das sie ist.',
  gateways: 'Wie weit jedes Gateway ist',
  state: {
    installed: 'hat sie',
    waiting: 'wartet',
    paused: 'vom Betreiber angehalten',
    held: 'von Ihnen zurückgehalten',
    superseded: 'bekommt eine neuere',
    outside: 'noch nicht gemeint',
    updated_by_apt: 'am Gerät aktualisiert',
    never_reported: 'nicht bekannt',
  },
  now: (version) => `hat ${version}`,
  nowUnknown: 'was dort läuft, ist nicht bekannt',
  turn: (percent) => `kommt an die Reihe, wenn die Verteilung ${percent} % der Gateways erreicht`,
  apt: 'Seine Software wird am Gerät selbst aktualisiert, durch apt, wenn sie als Paket kam. Dieser Dienst installiert dort nichts.',
  neverReported: 'Es hat noch nie gesagt, was es hat. Das tut es, sobald es verbunden ist.',
  offline: (since) => `Es wartet auf das Netz: nicht verbunden seit ${since}. Was hier steht, ist von damals.`,
  offlineEver: 'Es wartet auf das Netz: Es ist nicht verbunden.',
  hours: (hours) => `Es startet nur in den Zeiten seines Parkplatzes neu, ${hours}, und nur, wenn sich nichts bewegt.`,
  soon: 'Es beginnt in wenigen Minuten.',
  held: 'Seine Aktualisierungen sind angehalten, von Personen Ihres Kontos.',
  failed:
    'Die bisherige Software läuft weiter. Es wird erst wieder versucht, wenn jemand „Jetzt aktualisieren“ drückt.',
  fallenBack:
    'Die neue Software funktionierte dort nicht, deshalb läuft die vorige wieder; die Schranken arbeiten weiter. Es wird erst wieder versucht, wenn jemand „Jetzt aktualisieren“ drückt.',
  others: (names) => `Nicht für diese, nach der Art ihres Geräts: ${names}`,
  unclaimed: (names) => `Noch nicht eingerichtet: ${names}`,
  pauseAll: 'Zurückhalten',
  pauseTitle: (version) => `Version ${version} zurückhalten?`,
  pauseWhat:
    'Kein weiteres Ihrer Gateways beginnt damit oder startet daraus; angehalten wird jedes, das sie bekommen soll und noch nicht hat. Wer sie hat, behält sie. Die Schranken arbeiten weiter wie bisher.',
  resumeAll: 'Fortsetzen',
  resumeTitle: (version) => `Version ${version} fortsetzen?`,
  resumeWhat:
    'Jedes dieser Gateways macht von selbst weiter, in den Zeiten seines Parkplatzes und wenn sich nichts bewegt. Wo es misslang, wird es nicht noch einmal versucht.',
  changed: (n) =>
    n === 0 ? 'Bei keinem Gateway war etwas zu ändern.' : `Bei ${n} ${n === 1 ? 'Gateway' : 'Gateways'} erledigt.`,
  next: 'Zu wem es zuerst kommt',
  nextWhat:
    'Welche Gateways zuerst kommen, hängt allein vom Gerät ab und ist bei jeder Version gleich: Ein größerer Teil enthält alle Gateways eines kleineren.',
  nextAt: (percent) => `Bis ${percent} %`,
  nobody: 'keines von Ihren',
  newOne: 'Was eine neue Version an einem Gateway tut',
  steps: [
    'Sie wird geholt und ihre Signatur geprüft. Was läuft, bleibt unberührt.',
    'Sie wird neben die laufende Software geschrieben, auf den unbenutzten Platz.',
    'Sie wartet auf die Zeiten des Parkplatzes und einen ruhigen Augenblick: Nichts bewegt sich, kein Befehl läuft, niemand steht da.',
    'Das Gerät startet neu, was ein bis zwei Minuten dauert. Solange öffnen seine Schranken weder nach Kennzeichen noch von hier aus; Telefone mit Schlüssel öffnen sie.',
    'Die neue Software muss zeigen, dass sie funktioniert. Tut sie das nicht binnen 30 Minuten, kommt die vorige von selbst zurück.',
  ],
};
