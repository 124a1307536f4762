import { GATE_WORDS } from '../wording/de.js';
import type { DoctorWords } from './doctor-words.js';
import { DE_REACH } from './reach/de.js';

export const DE: DoctorWords = {
  levels: { ok: 'in Ordnung', warning: 'Warnung', failure: 'Fehler', unknown: 'unbekannt' },
  areas: {
    gateway: 'Gateway',
    service: 'Dienst',
    radio: 'Bluetooth',
    product: 'Produkt',
    cycle: 'Öffnen',
    camera: 'Kamera',
    decision: 'Probekennzeichen',
    sensor: 'Sensoren',
    display: 'Anzeige',
    clock: 'Uhr',
    store: 'Speicherdatei',
    queue: 'Warteschlange',
    disk: 'Datenträger',
    wear: 'Verschleiß',
    power: 'Strom',
    heat: 'Temperatur',
    memory: 'Arbeitsspeicher',
    network: 'Netz',
    dns: 'Namen',
    cloud: 'Cloud',
    broker: 'Broker',
    session: 'Verbindung',
    certificate: 'Zertifikat',
    authority: 'Zertifizierungsstelle',
    check: 'Prüfung',
  },
  values: {
    ...GATE_WORDS.productErrors,
    ...GATE_WORDS.decisions.reasons,
    cloud: 'die Cloud',
    device: 'dieses Gerät',
    open: 'öffnen',
    close: 'schließen',
    no_address: 'sein Name hat keine Adresse',
    no_tls: 'er spricht kein TLS',
    other_program: 'ein anderes Programm',
  },
  unknown: 'hat etwas gefunden, wofür erst eine neuere Version Worte hat',
  durations: { s: '{n} s', min: '{n} min', h: '{n} h', days: '{n} Tagen' },
  follows: 'folgt daraus',
  sides: { ahead: 'mit {n} Abstand vor', behind: 'mit {n} Abstand nach' },
  summary: ({ failures, warnings, following, oks, unknowns }) =>
    `${failures} Fehler, ${warnings} ${warnings === 1 ? 'Warnung' : 'Warnungen'}${following === 0 ? '' : `, ${following} ${following === 1 ? 'folgt' : 'folgen'} daraus`}, ${oks} in Ordnung${unknowns === 0 ? '' : `, ${unknowns} unbekannt`}`,
  findings: {
    'gateway.running': { says: 'läuft seit {uptime_s}, Version {version}' },
    'gateway.not_running': {
      says: 'läuft nicht: unter {url} antwortet nichts; nur das Gerät wurde geprüft',
      todo: 'Nachsehen, ob das Gerät Strom hat. Wenn ja: den Strom für zehn Sekunden trennen.',
    },
    'gateway.not_asked': {
      says: 'läuft, war aber nicht zu befragen: {problem}; nur das Gerät wurde geprüft',
      todo: 'Das Gerät neu starten: den Strom für zehn Sekunden trennen. Was wartet, geht nicht verloren.',
    },
    'gateway.other_version': {
      says: 'Version {running} läuft, {installed} ist installiert',
      todo: 'Es tauscht sich im nächsten ruhigen Augenblick selbst aus; früher, wenn der Strom für zehn Sekunden getrennt wird.',
    },
    'gateway.claimed': { says: 'gehört zur Cloud {cloud}' },
    'gateway.unclaimed': {
      says: 'gehört noch zu keiner Cloud',
      todo: 'In der Konsole einen Code anlegen (Geräte, Gateways) und auf der eigenen Seite des Gateways eingeben.',
    },
    'gateway.deleted': {
      says: 'wurde von seiner Cloud gelöscht ({time}) und gehört jetzt zu keiner',
      todo: 'War das ein Versehen: In der Konsole (Geräte, Gateways) ein Gateway und einen Code anlegen und ihn auf der eigenen Seite des Gateways eingeben.',
    },
    'gateway.replaced': {
      says: 'an seiner Stelle wurde ein anderes Gerät angemeldet ({time}): Dieses gehört jetzt zu keiner Cloud',
      todo: 'War das gewollt, ist nichts zu tun. Sonst in der Konsole einen Code für das Gateway anlegen und ihn auf der eigenen Seite dieses Geräts eingeben.',
    },
    'gateway.reset': {
      says: 'wurde von einem Menschen zurückgesetzt ({time}) und gehört jetzt zu keiner Cloud',
      todo: 'In der Konsole (Geräte, Gateways) einen Code anlegen und ihn auf der eigenen Seite des Gateways eingeben.',
    },
    'gateway.identity_unreadable': {
      says: 'nur sein eigener Benutzer kann seine Identität lesen: {path}',
      todo: 'Stattdessen die eigene Seite des Gateways ansehen: Dort werden auch Cloud und Broker geprüft.',
    },
    'gateway.identity_damaged': {
      says: 'seine Identität ist beschädigt: {path}',
      todo: 'Eine Sicherung der Datei zurücklegen; ohne Sicherung sie beiseitelegen und das Gateway neu anmelden.',
    },
    'gateway.no_configuration': {
      says: 'ist angemeldet, hat aber noch keine Konfiguration: Es entscheidet nichts',
      todo: 'Einmal mit der Cloud verbinden und in der Konsole einem Parkplatz zuordnen.',
    },
    'gateway.rules_old': {
      says: 'entscheidet nach dem, was seine Cloud vor {days} Tagen sagte',
      todo: 'Das Gateway mit seiner Cloud verbinden. Ist es verbunden und bleibt das so, muss der Betreiber der Cloud nachsehen, warum nichts Neues kommt.',
    },
    'gateway.port_taken': {
      says: 'kann nicht starten: Seinen Port {port} hält {program}',
      todo: 'Dieses Programm beenden oder ihm einen anderen Port geben: Das Gateway startet dann von selbst.',
    },
    'gateway.port_refused': {
      says: 'kann nicht starten: {problem}',
      todo: 'Wer das Gerät eingerichtet hat, muss Adresse und Port des Gateways berichtigen.',
    },
    'service.watched': { says: 'systemd startet es neu, wenn es endet oder hängt' },
    'service.started': { says: 'systemd startet es neu, wenn es endet' },
    'service.by_hand': { says: 'nicht von systemd gestartet: Nichts startet es neu, wenn es endet' },
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
    'radio.adapter_gone': { says: 'Adapter {adapter} arbeitet nicht, andere schon', todo: 'Neu einstecken.' },
    'radio.healed': {
      says: 'hat sich vor {ago_s} selbst geheilt ({step})',
      todo: 'Wenn das wiederkehrt: anderer USB-Anschluss oder Verlängerung, fern von USB-3-Geräten.',
    },
    'product.ok': {
      says: 'in Reichweite ({rssi} dBm, vor {seen_s} gehört), das Gateway darf {days} Tage allein handeln',
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
      says: 'seine Uhr geht mit einem Fehler von {off_s}',
      todo: 'Das Gateway mit seiner Cloud verbinden, die sie richtigstellt.',
    },
    'cycle.ok': { says: 'in {open_s} geöffnet und in {close_s} geschlossen' },
    'cycle.failed': {
      says: 'konnte nicht {operation}: {problem}',
      todo: 'Nachsehen, ob etwas im Weg ist, dann Reichweite und Batterie oben; erneut versuchen.',
    },
    'camera.ok': { says: 'ist da, zuletzt vor {seen_s} gehört' },
    'camera.none': { says: 'dieses Gateway hat keine Kameras' },
    'camera.quiet': {
      says: 'antwortet, hat aber seit einem Tag oder seit dem Start des Gateways nichts gesendet',
      todo: 'Ein Fahrzeug vorbeifahren lassen. Kommt nichts, nachsehen, wohin die Kamera ihre Lesungen schickt.',
    },
    'camera.offline': {
      says: 'antwortet nicht: {problem}',
      todo: 'Hat sie Strom und Netz? Stimmt ihre Adresse in der Konsole?',
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
      says: 'ihre Uhr geht mit einem Fehler von {off_s}',
      todo: 'Die Uhr in den Einstellungen der Kamera stellen und sie einem Zeitserver folgen lassen.',
    },
    'camera.problem': {
      says: '{problem}',
      todo: 'Die Kamera ansehen: Strom, Netz, Passwort, und wohin sie ihre Lesungen schickt.',
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
    'clock.ok': { says: 'geht richtig, nach {source}' },
    'clock.unknown': {
      says: 'ist nicht gestellt (sie zeigt {time}): Zeiten sind geschätzt, und was die Zeit braucht, öffnet nicht',
      todo: 'Das Gateway mit einem Netz mit Zeitserver oder mit seiner Cloud verbinden: Seine Uhr stellt sich selbst.',
    },
    'clock.time_unknown': { says: 'zeigt {time}; ob das stimmt, sagt hier nichts' },
    'clock.off': {
      says: 'geht {off_s±}, verglichen mit der Cloud',
      todo: 'Ihr Zeitdienst ist aus oder erreicht keinen Zeitserver: Wer das Gerät betreut, muss danach sehen.',
    },
    'clock.synchronised': { says: 'folgt einem Zeitserver' },
    'clock.unsynchronised': {
      says: 'folgt zurzeit keinem Zeitserver',
      todo: 'Lässt das Netz UDP-Port 123 hinaus? Der Zeitdienst braucht ihn.',
    },
    'clock.sync_unknown': { says: 'unbekannt, ob sie einem Zeitserver folgt: Das System sagt es nicht' },
    'clock.battery': { says: 'hat eine Uhr mit Batterie, die ohne Strom weitergeht' },
    'clock.no_battery': { says: 'hat keine Uhr mit Batterie: Nach einem Stromausfall braucht sie Netz für die Zeit' },
    'store.ok': { says: 'in Ordnung, {size_bytes}' },
    'store.failed': {
      says: 'nichts kann aufbewahrt werden: {problem}',
      todo: 'Platz auf dem Datenträger schaffen oder ihn tauschen, wenn er nur lesbar ist; dann das Gateway neu starten.',
    },
    'store.quarantined': {
      says: 'war beschädigt und wurde neu begonnen; die alte ist {path}',
      todo: 'Diese Datei für die Hilfe aufheben und den Datenträger unten ansehen.',
    },
    'queue.ok': { says: '{waiting} zu senden' },
    'queue.old': {
      says: '{waiting} zu senden, das älteste seit {oldest_s}',
      todo: 'Das Gateway mit seiner Cloud verbinden: Solange Platz ist, geht nichts verloren.',
    },
    'queue.full': {
      says: 'ist zu {percent} % voll: Von dem, was wartet, werden die ältesten Bilder zuerst aufgegeben',
      todo: 'Das Gateway bald mit seiner Cloud verbinden; Lesungen und Öffnungen bleiben am längsten.',
    },
    'disk.ok': { says: '{free_bytes} frei ({percent} %)' },
    'disk.low': {
      says: 'nur {free_bytes} frei ({percent} %)',
      todo: 'Die Hilfe anrufen: Alte Dateien müssen entfernt werden.',
    },
    'disk.full': {
      says: 'ist voll ({free_bytes} frei): Nichts kann mehr aufbewahrt werden',
      todo: 'Jetzt die Hilfe anrufen: Alte Dateien müssen entfernt werden.',
    },
    'disk.no_inodes': {
      says: 'nimmt keine Dateien mehr auf (noch {free}), obwohl Platz ist: Neues kann nicht mehr bewahrt werden',
      todo: 'Jetzt die Hilfe anrufen: Alte Dateien müssen weg.',
    },
    'disk.read_only': {
      says: 'ist nur lesbar: {problem}',
      todo: 'Eine Speicherkarte wird so, wenn sie verschlissen ist: tauschen. Sonst das Gerät neu starten.',
    },
    'disk.unwritable': {
      says: 'in den Ordner {path} lässt sich nicht schreiben: {problem}',
      todo: 'Die Hilfe anrufen: Der Ordner muss wieder dem Gateway gehören.',
    },
    'disk.unknown': {
      says: 'ließ sich nicht ansehen ({path}): {problem}',
      todo: 'Die Hilfe anrufen: Der Ordner lässt sich nicht ansehen.',
    },
    'wear.ok': { says: 'höchstens {percent} % der Lebensdauer verbraucht' },
    'wear.worn': {
      says: '{percent} % der Lebensdauer verbraucht',
      todo: 'In den nächsten Monaten tauschen; jetzt eine Sicherung machen.',
    },
    'wear.ending': { says: 'am Ende der Lebensdauer', todo: 'Eine Sicherung machen und jetzt tauschen.' },
    'wear.unknown': { says: 'unbekannt: Dieser Datenträger nennt seinen Verschleiß nicht' },
    'power.ok': { says: 'die Spannung ist in Ordnung' },
    'power.low': {
      says: 'die Spannung ist jetzt zu niedrig: Das Gerät kann jederzeit stehen bleiben',
      todo: 'Das Netzteil des Herstellers und ein kurzes, dickes Kabel benutzen; USB-Geräte abnehmen.',
    },
    'power.was_low': {
      says: 'die Spannung war seit dem Start zu niedrig',
      todo: 'Das Netzteil des Herstellers und ein kurzes, dickes Kabel benutzen; USB-Geräte abnehmen.',
    },
    'power.unknown': { says: 'unbekannt: Dieses Gerät nennt seine Spannung nicht' },
    'heat.ok': { says: '{celsius} °C' },
    'heat.high': { says: '{celsius} °C: heiß', todo: 'Dem Gehäuse Luft oder Schatten geben.' },
    'heat.critical': {
      says: '{celsius} °C: zu heiß, das Gerät wird langsam oder bleibt stehen',
      todo: 'Dem Gehäuse jetzt Luft oder Schatten geben.',
    },
    'heat.unknown': { says: 'unbekannt: Dieses Gerät nennt seine Temperatur nicht' },
    'memory.ok': { says: '{free_bytes} frei' },
    'memory.low': {
      says: 'nur {free_bytes} frei',
      todo: 'Andere Programme auf diesem Gerät beenden oder eines mit mehr Speicher nehmen.',
    },
    'memory.unknown': { says: 'unbekannt: Dieses System nennt seinen Arbeitsspeicher nicht' },
    ...DE_REACH,
    'check.late': {
      says: 'die Prüfung „{check}“ endete nicht rechtzeitig',
      todo: 'Doctor erneut starten; wenn es wiederkehrt, das Gateway neu starten.',
    },
    'check.failed': {
      says: 'die Prüfung „{check}“ scheiterte selbst: {problem}',
      todo: 'Doctor erneut starten; wenn es wiederkehrt, der Hilfe sagen.',
    },
  },
};
