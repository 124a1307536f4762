import { GATE_WORDS } from '../wording/hr.js';
import type { DoctorWords } from './doctor-words.js';
import { EQUIPMENT_HR } from './equipment/hr.js';

export const HR: DoctorWords = {
  levels: { ok: 'u redu', warning: 'upozorenje', failure: 'greška', unknown: 'nepoznato' },
  areas: {
    gateway: 'gateway',
    service: 'servis',
    radio: 'Bluetooth',
    product: 'uređaj',
    cycle: 'otvaranje',
    camera: 'kamera',
    decision: 'probna registracija',
    sensor: 'senzori',
    display: 'zaslon',
    clock: 'sat',
    store: 'datoteka podataka',
    queue: 'red čekanja',
    disk: 'disk',
    wear: 'istrošenost diska',
    power: 'napajanje',
    heat: 'temperatura',
    memory: 'memorija',
    network: 'mreža',
    dns: 'imena',
    cloud: 'oblak',
    broker: 'broker',
    session: 'veza',
    certificate: 'certifikat',
    authority: 'izdavatelj certifikata',
    check: 'provjera',
  },
  values: {
    ...GATE_WORDS.productErrors,
    pin_broken: 'klin je slomljen: potreban je tehničar',
    battery_empty: 'baterija je prazna: napunite je ili zamijenite',
    other: 'ne kaže koju',
    ahead: 'žuri',
    behind: 'kasni',
    ...GATE_WORDS.decisions.reasons,
    cloud: 'oblaku',
    device: 'ovom uređaju',
    open: 'otvaranje',
    close: 'zatvaranje',
  },
  unknown: 'pronađeno je nešto za što tek novija verzija ima riječi',
  durations: { s: '{n} s', min: '{n} min', h: '{n} h', days: '{n} dana' },
  summary: ({ failures, warnings, oks, unknowns }) =>
    `greške: ${failures}, upozorenja: ${warnings}, u redu: ${oks}${unknowns === 0 ? '' : `, nepoznato: ${unknowns}`}`,
  findings: {
    'gateway.running': { says: 'radi {uptime_s}, verzija {version}' },
    'gateway.not_running': {
      says: 'ne radi: na {url} ništa ne odgovara; provjeren je samo uređaj',
      todo: 'Pogledajte ima li uređaj struje. Ako ima, isključite mu struju na deset sekundi.',
    },
    'gateway.not_asked': {
      says: 'radi, ali nije odgovorio: {problem}; provjeren je samo uređaj',
      todo: 'Ponovno pokrenite uređaj: isključite mu struju na deset sekundi. Ništa što čeka ne gubi se.',
    },
    'gateway.other_version': {
      says: 'radi verzija {running}, instalirana je {installed}',
      todo: 'Sam se zamjenjuje u sljedećem mirnom trenutku; ranije ako mu na deset sekundi isključite struju.',
    },
    'gateway.claimed': { says: 'pripada oblaku {cloud}' },
    'gateway.unclaimed': {
      says: 'ne pripada još nijednom oblaku',
      todo: 'U konzoli napravite kod (Uređaji, Gatewayi) i upišite ga na vlastitoj stranici gatewaya.',
    },
    'gateway.erasing': {
      says: 'njegovo brisanje je započeto i nije gotovo: nastavlja se pri sljedećem pokretanju',
      todo: 'Isključite mu struju na deset sekundi i pričekajte minutu. Zatim ga ponovno prijavite. Ne vraćajte sigurnosnu kopiju.',
    },
    'gateway.identity_unreadable': {
      says: 'njegov identitet može čitati samo njegov korisnik: {path}',
      todo: 'Umjesto toga pogledajte vlastitu stranicu gatewaya: ondje se provjeravaju i oblak i broker.',
    },
    'gateway.identity_damaged': {
      says: 'njegov identitet je oštećen: {path}',
      todo: 'Vratite sigurnosnu kopiju datoteke; bez nje je maknite i ponovno prijavite gateway.',
    },
    'gateway.no_configuration': {
      says: 'prijavljen je, ali još nema konfiguraciju: ne odlučuje ništa',
      todo: 'Jednom ga spojite s oblakom i u konzoli stavite na parkiralište.',
    },
    'service.watched': { says: 'systemd ga ponovno pokreće kad stane ili zapne' },
    'service.started': { says: 'systemd ga ponovno pokreće kad stane' },
    'service.by_hand': { says: 'nije ga pokrenuo systemd: kad stane, ništa ga ne pokreće' },
    ...EQUIPMENT_HR,
    'clock.ok': { says: 'točan je, prema {source}' },
    'clock.unknown': {
      says: 'nije poznat (pokazuje {time}): vremena su procijenjena, a što treba vrijeme ne otvara',
      todo: 'Spojite gateway na mrežu s poslužiteljem vremena ili s njegovim oblakom: sat se sam namješta.',
    },
    'clock.off': {
      says: 'griješi za {off_s} u odnosu na oblak',
      todo: 'Njegova je usluga vremena isključena ili ne doseže poslužitelj: neka pogleda tko održava uređaj.',
    },
    'clock.synchronised': { says: 'prati poslužitelj vremena' },
    'clock.unsynchronised': {
      says: 'trenutačno ne prati nijedan poslužitelj vremena',
      todo: 'Propušta li mreža UDP port 123? Usluga vremena ga treba.',
    },
    'clock.sync_unknown': { says: 'nepoznato prati li poslužitelj vremena: sustav to ne kaže' },
    'clock.battery': { says: 'ima sat s baterijom, koji ide i bez struje' },
    'clock.no_battery': { says: 'nema sat s baterijom: nakon nestanka struje treba mrežu da zna vrijeme' },
    'store.ok': { says: 'u redu, {size_bytes}' },
    'store.failed': {
      says: 'ništa se ne može spremiti: {problem}',
      todo: 'Oslobodite mjesto na disku ili ga zamijenite ako se može samo čitati; zatim ponovno pokrenite gateway.',
    },
    'store.quarantined': {
      says: 'bila je oštećena i započeta iznova; stara je {path}',
      todo: 'Sačuvajte tu datoteku za podršku i pogledajte disk niže.',
    },
    'queue.ok': { says: 'za slanje: {waiting}' },
    'queue.old': {
      says: 'za slanje: {waiting}, najstarije čeka {oldest_s}',
      todo: 'Spojite gateway s oblakom: dok ima mjesta, ništa se ne gubi.',
    },
    'queue.full': {
      says: 'pun je {percent} %: od onoga što čeka prvo se odbacuju najstarije slike',
      todo: 'Uskoro spojite gateway s oblakom; čitanja i otvaranja čuvaju se najdulje.',
    },
    'disk.ok': { says: 'slobodno {free_bytes} ({percent} %)' },
    'disk.low': {
      says: 'slobodno samo {free_bytes} ({percent} %)',
      todo: 'Nazovite podršku: stare datoteke treba ukloniti.',
    },
    'disk.full': {
      says: 'pun je (slobodno {free_bytes}): ništa se više ne može spremiti',
      todo: 'Odmah nazovite podršku: stare datoteke treba ukloniti.',
    },
    'disk.read_only': {
      says: 'može se samo čitati: {problem}',
      todo: 'Memorijska kartica postane takva kad se istroši: zamijenite je. Inače ponovno pokrenite uređaj.',
    },
    'disk.unwritable': {
      says: 'u mapu {path} ne može se pisati: {problem}',
      todo: 'Nazovite podršku: mapu treba vratiti gatewayu.',
    },
    'disk.unknown': {
      says: 'nije se mogao provjeriti ({path}): {problem}',
      todo: 'Nazovite podršku: mapa se ne može pregledati.',
    },
    'wear.ok': { says: 'potrošeno najviše {percent} % vijeka' },
    'wear.worn': {
      says: 'potrošeno {percent} % vijeka',
      todo: 'Zamijenite ga idućih mjeseci; odmah napravite sigurnosnu kopiju.',
    },
    'wear.ending': { says: 'na kraju je vijeka', todo: 'Napravite sigurnosnu kopiju i odmah ga zamijenite.' },
    'wear.unknown': { says: 'nepoznato: ovaj disk ne kaže koliko je istrošen' },
    'power.ok': { says: 'napon je u redu' },
    'power.low': {
      says: 'napon je sada prenizak: uređaj može svaki čas stati',
      todo: 'Koristite napajanje proizvođača i kratak, debeo kabel; skinite USB uređaje.',
    },
    'power.was_low': {
      says: 'napon je od pokretanja bio prenizak',
      todo: 'Koristite napajanje proizvođača i kratak, debeo kabel; skinite USB uređaje.',
    },
    'power.unknown': { says: 'nepoznato: ovaj uređaj ne kaže svoj napon' },
    'heat.ok': { says: '{celsius} °C' },
    'heat.high': { says: '{celsius} °C: vruće', todo: 'Dajte kućištu zraka ili hlada.' },
    'heat.critical': {
      says: '{celsius} °C: prevruće, uređaj usporava ili staje',
      todo: 'Odmah dajte kućištu zraka ili hlada.',
    },
    'heat.unknown': { says: 'nepoznato: ovaj uređaj ne kaže svoju temperaturu' },
    'memory.ok': { says: 'slobodno {free_bytes}' },
    'memory.low': {
      says: 'slobodno samo {free_bytes}',
      todo: 'Zatvorite druge programe na uređaju ili uzmite onaj s više memorije.',
    },
    'memory.unknown': { says: 'nepoznato: ovaj sustav ne kaže svoju memoriju' },
    'network.ok': { says: '{interfaces}' },
    'network.down': {
      says: 'nema mreže: nijedno sučelje nema adresu',
      todo: 'Je li kabel utaknut i svijetle li mu lampice? Je li Wi-Fi postavljen?',
    },
    'network.no_route': {
      says: 'nema izlaza: nema zadane rute',
      todo: 'Dodjeljuje li usmjerivač adrese (DHCP)? Ponovno ga pokrenite.',
    },
    'network.weak_wifi': {
      says: 'Wi-Fi je slab ({signal} dBm)',
      todo: 'Koristite kabel ili pomaknite antenu ili pristupnu točku.',
    },
    'dns.ok': { says: 'pronađeno (IPv4: {v4}, IPv6: {v6})' },
    'dns.unneeded': { says: 'adresa ne treba ime' },
    'dns.failed': {
      says: 'ovo ime nije pronađeno: {problem}',
      todo: 'Je li ime točno? Ponovno pokrenite usmjerivač: on odgovara na imena.',
    },
    'dns.half': {
      says: 'poslužitelj imena ne radi za {family}: {problem}',
      todo: 'Veze mogu biti spore. Ponovno pokrenite usmjerivač: on odgovara na imena.',
    },
    'cloud.ok': { says: 'odgovara za {latency_ms} ms' },
    'cloud.slow': {
      says: 'odgovara sporo: {latency_ms} ms',
      todo: 'Pogledajte signal Wi-Fija ili mobilne mreže; otvaranje telefonom bit će sporo.',
    },
    'cloud.unreachable': {
      says: 'nije dostupan: {problem}',
      todo: 'Gateway dotad odlučuje sam. Propušta li ga usmjernik ili vatrozid i radi li oblak?',
    },
    'cloud.portal': {
      says: 'na njegovu mjestu odgovara nešto drugo ({answer}): stranica za prijavu ili proxy',
      todo: 'Prijavite ovaj uređaj na stranici mreže ili neka ga mreža pušta bez nje.',
    },
    'cloud.unwell': {
      says: 'odgovara, ali nije u redu (status {status})',
      todo: 'Pričekajte nekoliko minuta, zatim javite onome tko vodi oblak.',
    },
    'broker.ok': { says: 'dostupan za {latency_ms} ms' },
    'broker.unreachable': {
      says: 'nije dostupan: {problem}',
      todo: 'Propušta li usmjerivač ili vatrozid njegov port? Inače onaj tko vodi oblak treba pogledati njegovu adresu.',
    },
    'broker.refused': {
      says: 'odbija ovaj gateway: {problem}',
      todo: 'Je li obrisan ili zamijenjen drugim uređajem? Tada ga ponovno prijavite.',
    },
    'session.ok': { says: 'spojeno {since_s}' },
    'session.none': {
      says: 'nije spojeno s oblakom {since_s}',
      todo: 'Vidi ovdje oblak i broker; spaja se samo od sebe.',
    },
    'certificate.ok': { says: 'vrijedi još {days} dana' },
    'certificate.near_end': { says: 'istječe za {days} dana', todo: 'Mora ga obnoviti onaj tko vodi to računalo.' },
    'certificate.ended': {
      says: 'istekao prije {days} dana',
      todo: 'Mora ga obnoviti onaj tko vodi to računalo. Je li sat ovog uređaja točan?',
    },
    'certificate.early': { says: 'vrijedi tek za {days} dana', todo: 'Je li sat ovog uređaja točan?' },
    'certificate.refused': {
      says: 'nije prihvaćen: {problem}',
      todo: 'Je li ondje netko drugi ili je izdavatelj promijenjen? Tada ponovno prijavite gateway.',
    },
    'authority.ok': { says: 'vrijedi još {days} dana' },
    'authority.near_end': {
      says: 'istječe za {days} dana',
      todo: 'Tko vodi uslugu mora napraviti novog izdavatelja; prije toga gatewayi se ponovno prijavljuju.',
    },
    'authority.ended': {
      says: 'istekao prije {days} dana: gateway se više ne može spojiti',
      todo: 'Tko vodi uslugu mora napraviti novog izdavatelja; zatim se gatewayi ponovno prijavljuju.',
    },
    'check.late': {
      says: 'provjera „{check}” nije završila na vrijeme',
      todo: 'Ponovno pokrenite doctor; ako se ponovi, ponovno pokrenite gateway.',
    },
    'check.failed': {
      says: 'sama provjera „{check}” nije uspjela: {problem}',
      todo: 'Ponovno pokrenite doctor; ako se ponovi, javite podršci.',
    },
  },
};
