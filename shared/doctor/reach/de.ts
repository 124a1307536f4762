import type { ReachWords } from '../doctor-words.js';

export const DE_REACH: ReachWords = {
  'network.ok': { says: '{interfaces}' },
  'network.down': {
    says: 'kein Netz: Keine Schnittstelle hat eine Adresse',
    todo: 'Steckt das Kabel, und leuchten seine Lämpchen? Ist das WLAN eingerichtet?',
  },
  'network.no_route': {
    says: 'kein Weg hinaus: Es gibt keine Standardroute',
    todo: 'Vergibt der Router Adressen (DHCP)? Ihn neu starten.',
  },
  'network.weak_wifi': {
    says: 'das WLAN ist schwach ({signal} dBm)',
    todo: 'Ein Kabel benutzen oder Antenne oder Zugangspunkt umstellen.',
  },
  'network.dead_v6': {
    says: 'die IPv6-Adresse {address} antwortet nicht, IPv4 schon: Verbindungen beginnen spät',
    todo: 'Der Betreiber dieses Netzes muss IPv6 in Ordnung bringen oder abschalten.',
  },
  'dns.ok': { says: 'gefunden (IPv4: {v4}, IPv6: {v6})' },
  'dns.unneeded': { says: 'die Adresse braucht keinen Namen' },
  'dns.failed': {
    says: 'dieser Name wird nicht gefunden: {problem}',
    todo: 'Stimmt der Name? Wenn ja, muss der Betreiber dieses Netzes nach seinem Namensserver sehen.',
  },
  'dns.half': {
    says: 'der Namensserver versagt für {family}: {problem}',
    todo: 'Verbindungen können langsam sein. Der Betreiber dieses Netzes muss nach seinem Namensserver sehen oder dem Gerät einen anderen geben.',
  },
  'dns.silent': {
    says: 'kein Namensserver antwortet: {servers}',
    todo: 'Das ist meist der Router: seinen Strom für zehn Sekunden trennen. Schweigt er weiter, muss dieses Netz dem Gerät einen anderen Namensserver geben (DHCP).',
  },
  'dns.no_server': {
    says: 'diesem Gerät wurde kein Namensserver genannt',
    todo: 'Das Netzkabel ziehen und wieder stecken. Bleibt es so, muss der Router einen Namensserver nennen (DHCP).',
  },
  'dns.no_such_name': {
    says: 'Namensserver {server} sagt, dass es diesen Namen nicht gibt',
    todo: 'Stimmt der Name? Wenn ja, ist es der falsche Namensserver: Dieses Netz muss dem Gerät einen anderen geben (DHCP).',
  },
  'dns.wrong': {
    says: 'Namensserver {server} antwortet falsch: {answer}',
    todo: 'Er sperrt diesen Namen oder kennt ihn nicht: Der Betreiber dieses Netzes muss den Namen zulassen oder dem Gerät einen anderen Namensserver geben (DHCP).',
  },
  'dns.slow': {
    says: 'Namensserver {servers} antwortet nicht, ein anderer schon: Verbindungen beginnen spät',
    todo: 'Der Betreiber dieses Netzes muss ihn in Ordnung bringen oder dem Gerät nur Namensserver geben, die antworten (DHCP).',
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
  'cloud.proxy': {
    says: 'dieses Netz verlangt einen Proxy mit Passwort (407)',
    todo: 'Das Gateway benutzt keinen Proxy: Der Betreiber dieses Netzes muss das Gerät ohne ihn hinauslassen.',
  },
  'cloud.unwell': {
    says: 'antwortet, ist aber nicht in Ordnung (Status {status})',
    todo: 'Einige Minuten warten, dann dem Betreiber der Cloud sagen.',
  },
  'broker.ok': { says: 'ist in {latency_ms} ms zu erreichen' },
  'broker.unreachable': {
    says: 'ist nicht zu erreichen: {problem}',
    todo: 'Lassen Router oder Firewall seinen Port hinaus? Sonst muss, wer die Cloud betreibt, ihre Adresse ansehen.',
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
  'certificate.other_name': {
    says: 'zeigt ein Zertifikat für {name}, erwartet wird {expected}',
    todo: 'Am Gerät ist nichts zu tun: Der Betreiber der Cloud muss ihr ein Zertifikat für {expected} geben.',
  },
  'certificate.foreign': {
    says: 'jemand anderes antwortet für {expected}, mit einem Zertifikat für {name}: eine Anmeldeseite dieses Netzes oder etwas, das in seine Verbindungen sieht',
    todo: 'Das Gerät auf der Seite des Netzes anmelden, oder der Betreiber dieses Netzes lässt es ohne sie hinaus.',
  },
  'authority.ok': { says: 'noch {days} Tage gültig' },
  'authority.near_end': {
    says: 'endet in {days} Tagen',
    todo: 'Wer den Dienst betreibt, muss eine neue Zertifizierungsstelle anlegen; vorher werden die Gateways neu angemeldet.',
  },
  'authority.ended': {
    says: 'vor {days} Tagen abgelaufen: Das Gateway kann sich nicht mehr verbinden',
    todo: 'Wer den Dienst betreibt, muss eine neue Zertifizierungsstelle anlegen; dann werden die Gateways neu angemeldet.',
  },
};
