/** What the console says in German of a gateway's look at itself, and of its reset. */
import type { GatewayCareWords } from '../en/gateway-care.js';

export const GATEWAY_CARE_WORDS: GatewayCareWords = {
  doctor: {
    states: { needsYou: 'Braucht Sie', unknown: 'Nicht bekannt', ok: 'In Ordnung' },
    counted: (state, n) => `${state}: ${n}`,
    looked: (at, age) => `Nachgesehen ${at}, vor ${age}`,
    was: (age) => `war vor ${age} in Ordnung`,
    notLooked: 'ließ sich nicht prüfen',
    old: 'Der Bericht ist alt; was damals in Ordnung war, gilt deshalb als nicht bekannt. Nächster Schritt: „Bericht anfordern“.',
    alone:
      'Das Gateway ist nicht verbunden; was damals in Ordnung war, ist jetzt nicht bekannt. Nächster Schritt: Strom und Netz prüfen; die Seite des Geräts selbst kann auch ohne Netz nachsehen.',
    notLookedNext:
      'Nächster Schritt: noch einmal einen Bericht anfordern. Bleibt es so, die Seite des Geräts selbst öffnen, die mehr prüfen kann.',
    noStep: 'Dafür ist kein Schritt bekannt. Nächster Schritt: die Seite hinter dem Namen des Befunds.',
    okNext: 'Nichts zu tun.',
  },
  reset: {
    button: 'Zurücksetzen',
    title: (name) => `${name} zurücksetzen?`,
    intro:
      'Zurücksetzen trennt das Gerät endgültig von diesem Gateway: Es wird ab sofort nicht mehr eingelassen und löscht sich, sobald es sich das nächste Mal meldet, auch noch nach Wochen.',
    lostTitle: 'Verloren',
    lost: [
      'Am Gerät: seine Identität, Kennzeichen, Bilder, Schlüssel und Einstellungen.',
      'Was es aufgezeichnet und noch nicht gesendet hat: Erfassungen, Aufenthalte, Öffnungen, Bilder.',
      'Seine Zuordnung: Schranken und Tore, die nur dieses Gateway erreicht, öffnen weder nach Kennzeichen noch von hier aus.',
    ],
    keptTitle: 'Bleibt',
    kept: [
      'Hier: das Gateway mit seinem Namen, Schranken, Tore, Kameras, Mitglieder, Tarife und alles, was es gesendet hat.',
      'Telefone mit Schlüssel öffnen Schranken und Tore wie bisher, allein über Bluetooth.',
      'Die Software des Geräts und die älteste Version, die es annimmt.',
    ],
    onSiteTitle: 'Jemand vor Ort',
    onSite: [
      'Für das Zurücksetzen selbst wird niemand gebraucht.',
      'Damit die Schranken wieder arbeiten, muss jemand beim Gerät sein oder ein anderes bringen: Es bekommt einen neuen Code dieses Gateways.',
      'Kameras, die an das Gerät senden, brauchen danach womöglich ihre neue Adresse (Geräte, Kameras).',
    ],
    nothingWaits: 'Am Gerät wartet nichts, nach seiner letzten Meldung.',
    waiting: (n) => `Wartet am Gerät und geht verloren: ${n} Datensätze, nach seiner letzten Meldung.`,
    waitingUnknown: 'Wie viel am Gerät wartet, ist nicht bekannt: Es hat es nicht gemeldet oder ist nicht verbunden.',
    queueOf: (n, age) =>
      `Vor ${age} warteten am Gerät ${n} Datensätze. Es ist nicht verbunden, also können es jetzt mehr sein; alle gehen verloren.`,
    type: (name) => `Zum Fortfahren den Namen eingeben: ${name}`,
    wrong: 'Das ist nicht sein Name.',
    yes: 'Gateway zurücksetzen',
    done: (name) => `${name} hat kein Gerät mehr. Es wartet auf ein Gerät und einen neuen Code.`,
  },
};
