import { GATE_WORDS } from '../wording/hr.js';
import type { DoctorWords } from './doctor-words.js';
import { EQUIPMENT_HR } from './equipment/hr.js';
import { HR_REACH } from './reach/hr.js';

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
    ...GATE_WORDS.decisions.reasons,
    cloud: 'oblaku',
    device: 'ovom uređaju',
    open: 'otvaranje',
    close: 'zatvaranje',
    no_address: 'njegovo ime nema adresu',
    no_tls: 'ne govori TLS',
    other_gateway: 'drugi gateway parkirališta',
    other_program: 'drugi program',
  },
  unknown: 'pronađeno je nešto za što tek novija verzija ima riječi',
  durations: { s: '{n} s', min: '{n} min', h: '{n} h', days: '{n} dana' },
  follows: 'slijedi iz toga',
  sides: { ahead: 'žuri {n}', behind: 'kasni {n}' },
  summary: ({ failures, warnings, following, oks, unknowns }) =>
    `greške: ${failures}, upozorenja: ${warnings}${following === 0 ? '' : `, slijedi iz toga: ${following}`}, u redu: ${oks}${unknowns === 0 ? '' : `, nepoznato: ${unknowns}`}`,
  findings: {
    'gateway.running': { says: 'radi {uptime_s}, verzija {version}' },
    'gateway.claimed': { says: 'pripada oblaku {cloud}' },
    'gateway.unclaimed': {
      says: 'ne pripada još nijednom oblaku',
      todo: 'U konzoli napravite kod (Uređaji, Gatewayi) i upišite ga na vlastitoj stranici gatewaya.',
    },
    'gateway.deleted': {
      says: 'oblak ga je obrisao ({time}) i sada ne pripada nijednom',
      todo: 'Ako je to bila pogreška, u konzoli (Uređaji, Gatewayi) napravite gateway i kod te ga unesite na stranici samog gatewaya.',
    },
    'gateway.replaced': {
      says: 'na njegovo mjesto prijavljen je drugi uređaj ({time}): ovaj sada ne pripada nijednom oblaku',
      todo: 'Ako je to bila namjera, ne treba ništa učiniti. Inače u konzoli napravite kod tog gatewaya i unesite ga na stranici ovog uređaja.',
    },
    'gateway.reset': {
      says: 'netko ga je resetirao ({time}) i sada ne pripada nijednom oblaku',
      todo: 'U konzoli (Uređaji, Gatewayi) napravite kod i unesite ga na stranici samog gatewaya.',
    },
    'gateway.no_configuration': {
      says: 'prijavljen je, ali još nema konfiguraciju: ne odlučuje ništa',
      todo: 'Jednom ga spojite s oblakom i u konzoli stavite na parkiralište.',
    },
    'gateway.rules_old': {
      says: 'odlučuje po onome što je oblak rekao prije {days} dana',
      todo: 'Spojite gateway s oblakom. Ako je spojen, a ovo ostaje, onaj tko vodi oblak mora vidjeti zašto ne stiže ništa novo.',
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
    'clock.time_unknown': { says: 'pokazuje {time}, a ništa ovdje ne kaže je li to točno' },
    'clock.off': {
      says: '{off_s±} u odnosu na oblak',
      todo: 'Njegova usluga točnog vremena je isključena ili ne doseže poslužitelj: neka pogleda onaj tko se brine o uređaju.',
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
    'disk.no_inodes': {
      says: 'ne prima više datoteka (još {free}), iako mjesta ima: ništa se novo ne može spremiti',
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
    ...HR_REACH,
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
