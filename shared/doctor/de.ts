import type { DoctorWords } from './doctor-words.js';

export const DE: DoctorWords = {
  levels: { ok: 'in Ordnung', warning: 'Warnung', failure: 'Fehler' },
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
    whitelist: 'das Kennzeichen gehört einem Mitglied oder zum Tor',
    tariff: 'es parkt gegen Gebühr',
    session_exit: 'sein Aufenthalt endet',
    debounce: 'dasselbe Kennzeichen wurde gerade eben gelesen',
    direction_mismatch: 'es fährt in die andere Richtung als die dieser Kamera',
    max_capacity: 'die Zone ist voll',
    no_active_session: 'keine Einfahrt ist bekannt',
    no_tariff: 'es gehört keinem Mitglied, und die Zone hat keinen Tarif für andere',
    unknown_direction: 'seine Richtung ist nicht bekannt',
    cloud: 'die Cloud',
    device: 'dieses Gerät',
    open: 'öffnen',
    close: 'schließen',
  },
  unknown: 'hat etwas gefunden, wofür erst eine neuere Version Worte hat',
  durations: { s: '{n} s', min: '{n} min', h: '{n} h', days: '{n} Tagen' },
  summary: ({ failures, warnings, oks }) =>
    `${failures} Fehler, ${warnings} ${warnings === 1 ? 'Warnung' : 'Warnungen'}, ${oks} in Ordnung`,
  findings: {
    'gateway.running': { says: 'läuft seit {uptime_s}, Version {version}' },
    'gateway.not_running': {
      says: 'läuft nicht: unter {url} antwortet nichts; nur das Gerät wurde geprüft',
      todo: 'Starten: systemctl start parking-agent, oder parking-agent run. Wenn es läuft: Ist AGENT_HTTP_PORT hier gleich?',
    },
    'gateway.not_asked': {
      says: 'läuft, war aber nicht zu befragen: {problem}; nur das Gerät wurde geprüft',
      todo: 'Das Protokoll ansehen und neu starten: systemctl restart parking-agent.',
    },
    'gateway.other_version': {
      says: 'Version {running} läuft, {installed} ist installiert',
      todo: 'Neu starten: systemctl restart parking-agent.',
    },
    'gateway.claimed': { says: 'gehört zur Cloud {cloud}' },
    'gateway.unclaimed': {
      says: 'gehört noch zu keiner Cloud',
      todo: 'In der Konsole einen Code anlegen (Geräte, Gateways), dann: parking-agent claim --cloud URL --code CODE.',
    },
    'gateway.identity_unreadable': {
      says: 'nur sein eigener Benutzer kann seine Identität lesen: {path}',
      todo: 'Doctor als dieser Benutzer oder mit sudo starten, um auch Cloud und Broker zu prüfen.',
    },
    'gateway.identity_damaged': {
      says: 'seine Identität ist beschädigt: {path}',
      todo: 'Eine Sicherung der Datei zurücklegen; ohne Sicherung sie beiseitelegen und das Gateway neu anmelden.',
    },
    'gateway.no_configuration': {
      says: 'ist angemeldet, hat aber noch keine Konfiguration: Es entscheidet nichts',
      todo: 'Einmal mit der Cloud verbinden und in der Konsole einem Parkplatz zuordnen.',
    },
    'service.watched': { says: 'systemd startet es neu, wenn es endet oder hängt' },
    'service.started': { says: 'systemd startet es neu, wenn es endet' },
    'service.by_hand': { says: 'nicht von systemd gestartet: Nichts startet es neu, wenn es endet' },
    'radio.ok': { says: 'an ({adapters})' },
    'radio.unneeded': { says: 'aus, und kein Produkt braucht es' },
    'radio.off': {
      says: 'durch BLE_HCI=off abgeschaltet: Kein Produkt lässt sich öffnen',
      todo: 'BLE_HCI auf den Adapter setzen (hci0) und das Gateway neu starten.',
    },
    'radio.unavailable': {
      says: 'kein Adapter arbeitet: Kein Produkt lässt sich öffnen',
      todo: 'Steckt ein Adapter (hciconfig -a)? Ist er gesperrt (rfkill list)? Darf das Gateway ihn benutzen (CAP_NET_RAW)?',
    },
    'radio.adapter_gone': {
      says: 'Adapter {adapter} arbeitet nicht, andere schon',
      todo: 'Ihn wieder einstecken oder aus BLE_HCI nehmen.',
    },
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
      todo: 'Ein Fahrzeug vorbeifahren lassen; wenn nichts kommt: parking-agent cameras setup NAME.',
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
      todo: 'Einem Zeitserver folgen lassen: parking-agent cameras setup NAME --ntp HOST; dann: parking-agent cameras clock NAME.',
    },
    'camera.problem': { says: '{problem}', todo: 'Prüfen: parking-agent cameras test NAME.' },
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
      todo: 'Ihre Batterien ansehen und parking-agent sensors list.',
    },
    'sensor.fault': { says: '{problem}', todo: 'Siehe parking-agent sensors list.' },
    'display.ok': { says: 'zeigt ihren Text' },
    'display.none': { says: 'dieses Gateway hat keine Anzeigen' },
    'display.fault': {
      says: 'zeigt ihren Text nicht: {problem}',
      todo: 'Hat sie Strom und Netz? Versuchen: parking-agent displays test NAME.',
    },
    'display.waiting': {
      says: 'hat noch keinen Text angenommen',
      todo: 'Eine Minute warten, dann: parking-agent displays test NAME.',
    },
    'clock.ok': { says: 'geht richtig, nach {source}' },
    'clock.unknown': {
      says: 'ist nicht gestellt (sie zeigt {time}): Zeiten sind geschätzt, und was die Zeit braucht, öffnet nicht',
      todo: 'Das Gateway mit einem Netz mit Zeitserver verbinden oder stellen: sudo date -s "JJJJ-MM-TT HH:MM".',
    },
    'clock.off': {
      says: 'geht mit einem Fehler von {off_s}, verglichen mit der Cloud',
      todo: 'Ihren Zeitdienst einschalten: sudo timedatectl set-ntp true.',
    },
    'clock.synchronised': { says: 'folgt einem Zeitserver' },
    'clock.unsynchronised': {
      says: 'folgt zurzeit keinem Zeitserver',
      todo: 'Ihren Zeitdienst einschalten: sudo timedatectl set-ntp true. Lässt das Netz UDP-Port 123 hinaus?',
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
      todo: 'Alte Protokolle und Dateien entfernen: journalctl --vacuum-size=100M.',
    },
    'disk.full': {
      says: 'ist voll ({free_bytes} frei): Nichts kann mehr aufbewahrt werden',
      todo: 'Jetzt alte Protokolle und Dateien entfernen: journalctl --vacuum-size=100M.',
    },
    'disk.read_only': {
      says: 'ist nur lesbar: {problem}',
      todo: 'Eine Speicherkarte wird so, wenn sie verschlissen ist: tauschen. Sonst das Gerät neu starten.',
    },
    'disk.unwritable': {
      says: 'in den Ordner {path} lässt sich nicht schreiben: {problem}',
      todo: 'Ihn dem Benutzer des Gateways geben: chown -R, oder AGENT_DATA_DIR berichtigen.',
    },
    'disk.unknown': {
      says: 'ließ sich nicht ansehen ({path}): {problem}',
      todo: 'AGENT_DATA_DIR berichtigen oder doctor als Benutzer des Gateways starten.',
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
    'network.ok': { says: '{interfaces}' },
    'network.down': {
      says: 'kein Netz: Keine Schnittstelle hat eine Adresse',
      todo: 'Steckt das Kabel, und leuchtet es? Ist das WLAN eingerichtet (nmcli device)?',
    },
    'network.no_route': {
      says: 'kein Weg hinaus: Es gibt keine Standardroute',
      todo: 'Vergibt der Router Adressen (DHCP)? Sonst seine Adresse als Gateway setzen (nmcli).',
    },
    'network.weak_wifi': {
      says: 'das WLAN ist schwach ({signal} dBm)',
      todo: 'Ein Kabel benutzen oder Antenne oder Zugangspunkt umstellen.',
    },
    'dns.ok': { says: 'gefunden (IPv4: {v4}, IPv6: {v6})' },
    'dns.unneeded': { says: 'die Adresse braucht keinen Namen' },
    'dns.failed': {
      says: 'dieser Name wird nicht gefunden: {problem}',
      todo: 'Stimmt der Name? Antwortet der Namensserver des Netzes (resolvectl query NAME)?',
    },
    'dns.half': {
      says: 'der Namensserver versagt für {family}: {problem}',
      todo: 'Verbindungen können langsam sein: einen anderen Namensserver benutzen (resolvectl status).',
    },
    'cloud.ok': { says: 'antwortet in {latency_ms} ms' },
    'cloud.slow': {
      says: 'antwortet langsam: {latency_ms} ms',
      todo: 'Das Signal von WLAN oder Mobilfunk ansehen; Öffnen per Telefon wird langsam sein.',
    },
    'cloud.unreachable': {
      says: 'ist nicht zu erreichen: {problem}',
      todo: 'Das Gateway entscheidet inzwischen allein. Lässt Router oder Firewall es hinaus, und läuft die Cloud?',
    },
    'cloud.portal': {
      says: 'etwas anderes antwortet an ihrer Stelle ({answer}): eine Anmeldeseite oder ein Proxy',
      todo: 'Dieses Gerät auf der Seite des Netzes anmelden oder es ohne sie hinauslassen.',
    },
    'cloud.unwell': {
      says: 'antwortet, ist aber nicht in Ordnung (Status {status})',
      todo: 'Einige Minuten warten, dann dem Betreiber der Cloud sagen.',
    },
    'broker.ok': { says: 'ist in {latency_ms} ms zu erreichen' },
    'broker.unreachable': {
      says: 'ist nicht zu erreichen: {problem}',
      todo: 'Lässt Router oder Firewall seinen Port hinaus? Stimmt MQTT_PUBLIC_URL der Cloud?',
    },
    'broker.refused': {
      says: 'weist dieses Gateway ab: {problem}',
      todo: 'Wurde es gelöscht oder durch ein anderes Gerät ersetzt? Dann neu anmelden.',
    },
    'session.ok': { says: 'verbunden seit {since_s}' },
    'session.none': {
      says: 'seit {since_s} nicht mit der Cloud verbunden',
      todo: 'Siehe hier Cloud und Broker; es verbindet sich von selbst wieder.',
    },
    'certificate.ok': { says: 'noch {days} Tage gültig' },
    'certificate.near_end': { says: 'endet in {days} Tagen', todo: 'Der Betreiber dieses Rechners muss es erneuern.' },
    'certificate.ended': {
      says: 'vor {days} Tagen abgelaufen',
      todo: 'Der Betreiber dieses Rechners muss es erneuern. Geht die Uhr dieses Geräts richtig?',
    },
    'certificate.early': { says: 'gilt erst in {days} Tagen', todo: 'Geht die Uhr dieses Geräts richtig?' },
    'certificate.refused': {
      says: 'wird nicht angenommen: {problem}',
      todo: 'Ist dort jemand anderes, oder hat die Zertifizierungsstelle gewechselt? Dann das Gateway neu anmelden.',
    },
    'authority.ok': { says: 'noch {days} Tage gültig' },
    'authority.near_end': {
      says: 'endet in {days} Tagen',
      todo: 'Eine neue Zertifizierungsstelle anlegen (parking-cloud ca init) und die Gateways vorher neu anmelden.',
    },
    'authority.ended': {
      says: 'vor {days} Tagen abgelaufen: Das Gateway kann sich nicht mehr verbinden',
      todo: 'Eine neue Zertifizierungsstelle anlegen (parking-cloud ca init) und die Gateways neu anmelden.',
    },
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
