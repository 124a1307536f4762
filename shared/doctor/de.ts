import { GATE_WORDS } from '../wording/de.js';
import type { DoctorWords } from './doctor-words.js';
import { EQUIPMENT_DE } from './equipment/de.js';
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
    pin_broken: 'Ein Stift ist gebrochen: Hier hilft die Technik',
    battery_empty: 'Die Batterie ist leer: laden oder tauschen',
    other: 'welchen, sagt es nicht',
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
  sides: { ahead: '{n} vor', behind: '{n} nach' },
  summary: ({ failures, warnings, following, oks, unknowns }) =>
    `${failures} Fehler, ${warnings} ${warnings === 1 ? 'Warnung' : 'Warnungen'}${following === 0 ? '' : `, ${following} ${following === 1 ? 'folgt' : 'folgen'} daraus`}, ${oks} in Ordnung${unknowns === 0 ? '' : `, ${unknowns} unbekannt`}`,
  findings: {
    'gateway.running': { says: 'läuft seit {uptime_s}, Version {version}' },
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
    'gateway.no_configuration': {
      says: 'ist angemeldet, hat aber noch keine Konfiguration: Es entscheidet nichts',
      todo: 'Einmal mit der Cloud verbinden und in der Konsole einem Parkplatz zuordnen.',
    },
    'gateway.rules_old': {
      says: 'entscheidet nach dem, was seine Cloud vor {days} Tagen sagte',
      todo: 'Das Gateway mit seiner Cloud verbinden. Ist es verbunden und bleibt das so, muss der Betreiber der Cloud nachsehen, warum nichts Neues kommt.',
    },
    'service.watched': { says: 'systemd startet es neu, wenn es endet oder hängt' },
    'service.started': { says: 'systemd startet es neu, wenn es endet' },
    'service.by_hand': { says: 'nicht von systemd gestartet: Nichts startet es neu, wenn es endet' },
    ...EQUIPMENT_DE,
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
    'disk.low': { says: 'nur {free_bytes} frei ({percent} %)', todo: 'Die Hilfe anrufen: Alte Dateien müssen weg.' },
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
