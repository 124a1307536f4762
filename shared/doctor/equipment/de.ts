import type { EquipmentFindingWords } from '../doctor-words.js';

export const EQUIPMENT_DE: EquipmentFindingWords = {
  'radio.ok': { says: 'an ({adapters})' },
  'radio.unneeded': { says: 'aus, und kein Produkt braucht es' },
  'radio.off': {
    says: 'durch BLE_HCI=off abgeschaltet: Kein Produkt lässt sich öffnen',
    todo: 'Wer das Gerät eingerichtet hat, hat es abgeschaltet und muss es einschalten.',
  },
  'radio.unavailable': {
    says: 'kein Adapter arbeitet: Kein Produkt lässt sich öffnen',
    todo: 'Steckt ein Bluetooth-Adapter? Neu einstecken; hilft das nicht, den Strom des Geräts für zehn Sekunden trennen.',
  },
  'radio.held': {
    says: 'wird von {program} benutzt, nicht vom Gateway: Kein Produkt lässt sich öffnen',
    todo: 'Dieses Programm beenden und nicht mehr mit dem Gerät starten lassen.',
  },
  'radio.adapter_gone': { says: 'Adapter {adapter} arbeitet nicht, andere schon', todo: 'Neu einstecken.' },
  'radio.healed': {
    says: 'hat sich vor {ago_s} selbst geheilt ({step})',
    todo: 'Wenn das wiederkehrt: anderer USB-Anschluss oder Verlängerung, fern von USB-3-Geräten.',
  },
  'product.ok': {
    says: 'in Reichweite ({rssi} dBm, vor {seen_s} gehört), das Gateway darf {days} Tage allein handeln',
  },
  'product.days_unknown': {
    says: 'in Reichweite ({rssi} dBm, vor {seen_s} gehört); wie lange es ohne die Cloud zu öffnen ist, ist ohne Uhrzeit nicht bekannt',
  },
  'product.elsewhere_unknown': {
    says: 'ist hier nicht zu hören; ob {gateways} es hört, ist hier nicht bekannt: Sein Platz in der Konsole zeigt es',
  },
  'product.none': { says: 'dieses Gateway hat keine Produkte' },
  'product.unpaired': {
    says: 'ist nicht gekoppelt: Niemand kann es öffnen',
    todo: 'In der Konsole koppeln (Produkte), mit der Kopplungstaste.',
  },
  'product.error': {
    says: 'meldet einen Fehler: {error}',
    todo: 'Dort nachsehen; wenn es behoben ist, einmal öffnen und schließen.',
  },
  'product.never_seen': {
    says: 'wurde seit dem Start des Gateways nicht gehört',
    todo: 'Hat es Strom? Ist es näher als 20 m, ohne Stahl oder Beton dazwischen? Stimmt die Geräte-ID?',
  },
  'product.lost': {
    says: 'ist außer Reichweite: zuletzt vor {seen_s} gehört',
    todo: 'Strom und Batterie ansehen; Gateway oder Antenne näher bringen.',
  },
  'product.jammed': {
    says: 'klemmt: Es hat sich bewegt und ist nicht angekommen',
    todo: 'Nachsehen, was im Weg ist, und es entfernen. Dann einmal öffnen und schließen: Das beendet den Fehler.',
  },
  'product.dirty': {
    says: 'sein Sensor ist schmutzig: Es öffnet, schließt aber nicht',
    todo: 'Den Sensor abwischen und nachsehen, was davor steht.',
  },
  'product.no_clock': {
    says: 'hat die Uhrzeit verloren: Es weist Schlüssel von Gästen ab, bis seine Uhr gestellt ist',
    todo: 'Einmal öffnen und schließen: Dabei stellt das Gateway die Uhr. Kommt es wieder, ist seine Stützbatterie am Ende.',
  },
  'product.held_open': {
    says: 'wird offen gehalten und bleibt es: Niemand wird angehalten',
    todo: 'Wenn das nicht gewollt ist: am Produkt „Offenhalten beenden“ wählen.',
  },
  'product.held_closed': {
    says: 'wird geschlossen gehalten und bleibt es: Kein Fahrzeug wird dort eingelassen',
    todo: 'Wenn das nicht gewollt ist: am Produkt „Geschlossenhalten beenden“ wählen.',
  },
  'product.other_key': {
    says: 'ist zu hören, hat aber einen anderen Schlüssel: Es wurde anderswo gekoppelt oder ausgetauscht',
    todo: 'In der Konsole neu koppeln (Produkte): zuvor in seinem Gehäuse zurücksetzen oder dort entkoppeln, wo es gekoppelt wurde.',
  },
  'product.key_refused': {
    says: 'hat den Schlüssel dieses Gateways beim letzten Befehl abgewiesen: Es wurde neu gekoppelt, oder der Schlüssel wurde gesperrt',
    todo: 'Das Gateway mit seiner Cloud verbinden, die den Schlüssel erneuert. Weist es auch den ab: in der Konsole neu koppeln (Produkte).',
  },
  'product.weak': {
    says: 'ist schwach zu hören ({rssi} dBm): Öffnen wird langsam sein oder scheitern',
    todo: 'Gateway oder Antenne näher bringen oder ein zweites Gateway aufstellen.',
  },
  'product.credential_low': {
    says: 'ist ohne die Cloud nur noch {days} Tage zu öffnen',
    todo: 'Das Gateway mit seiner Cloud verbinden: Das erneuert die Berechtigung.',
  },
  'product.credential_ended': {
    says: 'ist von diesem Gateway nicht mehr zu öffnen: Seine Berechtigung ist abgelaufen',
    todo: 'Das Gateway mit seiner Cloud verbinden: Das erneuert sie.',
  },
  'product.battery_low': { says: 'Batterie bei {percent} %', todo: 'Laden oder tauschen.' },
  'product.clock_wrong': {
    says: 'seine Uhr geht {off_s±}',
    todo: 'Das Gateway mit seiner Cloud verbinden, die sie richtigstellt.',
  },
  'cycle.ok': { says: 'in {open_s} geöffnet und in {close_s} geschlossen' },
  'cycle.failed': {
    says: 'konnte nicht {operation}: {problem}',
    todo: 'Nachsehen, ob etwas im Weg ist, dann Reichweite und Batterie oben; erneut versuchen.',
  },
  'camera.ok': { says: 'ist da, zuletzt vor {seen_s} gehört' },
  'camera.unknown': {
    says: 'zuletzt vor {seen_s} gehört; ob sie jetzt da ist, ist nicht bekannt: Kameras dieser Art lassen sich nicht fragen',
  },
  'camera.none': { says: 'dieses Gateway hat keine Kameras' },
  'camera.quiet': {
    says: 'antwortet, hat aber seit einem Tag oder seit dem Start des Gateways nichts gesendet',
    todo: 'Ein Fahrzeug vorbeifahren lassen. Kommt nichts, nachsehen, wohin die Kamera ihre Lesungen schickt.',
  },
  'camera.unheard': {
    says: 'hat seit dem Start des Gateways nichts gesendet und lässt sich nicht fragen: Ob sie arbeitet, ist nicht bekannt',
    todo: 'Ein Fahrzeug vorbeifahren lassen. Kommt nichts: Strom und Netz ansehen, und wohin sie ihre Lesungen schickt.',
  },
  'camera.offline': {
    says: 'antwortet nicht: {problem}',
    todo: 'Hat sie Strom und Netz? Stimmt ihre Adresse in der Konsole?',
  },
  'camera.stranger': {
    says: 'unter {address} antwortet etwas anderes als eine Kamera des Treibers {driver}: {answer}',
    todo: 'Ist es ein anderes Gerät? Adresse und Port der Kamera in der Konsole berichtigen, oder ihren Treiber.',
  },
  'camera.no_interface': {
    says: '{address} antwortet, aber nicht die Schnittstelle des Treibers {driver} ({answer}): falscher Treiber oder falscher Port',
    todo: 'Die Adresse im Browser öffnen: Welche Kamera ist es? Treiber oder Port der Adresse in der Konsole berichtigen.',
  },
  'camera.redirects': {
    says: '{address} leitet weiter an {to}: Das Gateway folgt nicht, da es dort das Passwort zeigen würde',
    todo: 'Ist das die Kamera, in der Konsole {to} als Adresse setzen; sonst die Adresse berichtigen.',
  },
  'camera.refused': {
    says: 'weist das Gateway ab: {problem}',
    todo: 'Benutzername und Passwort in der Konsole berichtigen (Geräte, Kameras).',
  },
  'camera.unserved': {
    says: 'kann nicht bedient werden: {problem}',
    todo: 'Treiber und Einstellungen in der Konsole berichtigen oder das Gateway aktualisieren.',
  },
  'camera.clock_wrong': {
    says: 'ihre Uhr geht {off_s±}',
    todo: 'Die Uhr in den Einstellungen der Kamera stellen und sie einem Zeitserver folgen lassen.',
  },
  'camera.problem': {
    says: '{problem}',
    todo: 'Die Kamera ansehen: Strom, Netz, Passwort, und wohin sie ihre Lesungen schickt.',
  },
  'camera.wrong_key': {
    says: 'sendet mit einem Schlüssel, der nicht ihrer ist (von {from}): Nichts davon wird gelesen',
    todo: 'Ihr Schlüssel wurde in der Konsole geändert oder falsch eingetragen: neu einrichten, oder ihre Adresse zum Senden aus der Konsole in ihr eintragen.',
  },
  'camera.wrong_driver': {
    says: 'sendet an die Adresse des Treibers {posted} (von {from}), ihr Treiber hier ist aber {driver}: Nichts davon wird gelesen',
    todo: 'Welche Kamera ist es? Den Treiber in der Konsole berichtigen, oder die Adresse, an die sie sendet.',
  },
  'camera.not_understood': {
    says: 'sendet, was nicht verstanden wird: {problem}',
    todo: 'Es wurde zurückgelegt. Stimmen ihr Treiber und das Format, in dem sie sendet? Aus dem Zurückgelegten lässt sich eine Zuordnung machen.',
  },
  'camera.misdirected': {
    says: 'von {from} wird als {camera} gesendet: Das ist keine Kamera dieses Gateways',
    todo: 'Gehört sie zu einem anderen Gateway des Parkplatzes, soll sie dorthin senden. Sonst die Geräte-ID in ihrer Adresse zum Senden ansehen.',
  },
  'camera.without_key': {
    says: 'sendet ohne Schlüssel: Wer ihre Adresse hat, wird in ihrem Namen gehört',
    todo: 'Ihr einen Schlüssel geben, wenn sie das kann; sonst den Kameras ein eigenes Netz geben.',
  },
  'decision.opens': { says: 'Kennzeichen {plate} würde {product} öffnen: {reason}' },
  'decision.admits': {
    says: 'Kennzeichen {plate} würde eingelassen und nichts geöffnet, da kein Produkt gesetzt ist: {reason}',
  },
  'decision.denies': { says: 'Kennzeichen {plate} würde abgewiesen: {reason}' },
  'decision.undecided': {
    says: 'über Kennzeichen {plate} würde nichts entschieden: Die Richtung ist nicht bekannt',
    todo: 'Die Richtung der Kamera auf ein oder aus setzen oder von ihr melden lassen.',
  },
  'decision.held_closed': {
    says: 'Kennzeichen {plate} würde eingelassen, aber {product} wird geschlossen gehalten und bleibt es',
    todo: 'In der Konsole beenden, wenn es nicht gewollt ist: „geschlossen halten“ aufheben.',
  },
  'decision.no_zone': {
    says: 'ihre Zone ist nicht in der Konfiguration: Nur Mitglieder würden eingelassen',
    todo: 'Das Gateway mit seiner Cloud verbinden; die Zone der Kamera in der Konsole ansehen.',
  },
  'decision.no_product': {
    says: 'soll {product} öffnen, das dieses Gateway nicht kennt: Nichts würde geöffnet',
    todo: 'Das Gateway mit seiner Cloud verbinden; das Produkt der Kamera in der Konsole ansehen.',
  },
  'sensor.ok': { says: 'online, Plätze: {places}' },
  'sensor.none': { says: 'dieses Gateway hat keine Sensoren' },
  'sensor.offline': {
    says: 'ist nicht zu hören: {problem}',
    todo: 'Hat es Strom und Netz? Stimmt die Adresse in der Konsole?',
  },
  'sensor.unheard': {
    says: 'wurde drei Lebenszeichen lang nicht gehört, ein Grund ist nicht bekannt',
    todo: 'Hat es Strom und Netz? Stimmen seine Einstellungen in der Konsole: Adresse, Einheit, Anwendung?',
  },
  'sensor.no_places': {
    says: 'hat keine Plätze: Es wird nichts gefragt',
    todo: 'In der Konsole Plätzen des Parkplatzes seine Sensoren geben (Geräte, Sensoren).',
  },
  'sensor.silent': {
    says: 'stumme Sensoren: {places}',
    todo: 'Ihre Batterien ansehen, und was zwischen ihnen und ihrem Empfänger steht.',
  },
  'sensor.fault': { says: '{problem}', todo: 'Ihre Einstellungen in der Konsole ansehen (Geräte, Sensoren).' },
  'display.ok': { says: 'zeigt ihren Text' },
  'display.none': { says: 'dieses Gateway hat keine Anzeigen' },
  'display.fault': {
    says: 'zeigt ihren Text nicht: {problem}',
    todo: 'Hat sie Strom und Netz? Sie wird jede Minute von selbst wieder versucht.',
  },
  'display.waiting': {
    says: 'hat noch keinen Text angenommen',
    todo: 'Eine Minute warten. Zeigt sie noch nichts, ihre Adresse in der Konsole ansehen (Anzeigen).',
  },
};
