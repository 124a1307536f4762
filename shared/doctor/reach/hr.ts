import type { ReachWords } from '../doctor-words.js';

export const HR_REACH: ReachWords = {
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
  'network.dead_v6': {
    says: 'IPv6 adresa {address} ne odgovara, a IPv4 odgovara: veze počinju kasno',
    todo: 'Tko vodi ovu mrežu mora popraviti njezin IPv6 ili ga isključiti.',
  },
  'dns.ok': { says: 'pronađeno (IPv4: {v4}, IPv6: {v6})' },
  'dns.unneeded': { says: 'adresa ne treba ime' },
  'dns.failed': {
    says: 'ovo ime nije pronađeno: {problem}',
    todo: 'Je li ime točno? Ako jest, tko vodi ovu mrežu mora pogledati njezin poslužitelj imena.',
  },
  'dns.half': {
    says: 'poslužitelj imena ne radi za {family}: {problem}',
    todo: 'Veze mogu biti spore. Tko vodi ovu mrežu mora pogledati njezin poslužitelj imena ili uređaju dati drugi.',
  },
  'dns.silent': {
    says: 'nijedan poslužitelj imena ne odgovara: {servers}',
    todo: 'To je najčešće usmjerivač: isključite mu struju na deset sekundi. Ako i dalje šuti, ova mreža uređaju mora dati drugi poslužitelj imena (DHCP).',
  },
  'dns.no_server': {
    says: 'uređaj nije dobio poslužitelj imena',
    todo: 'Izvucite mrežni kabel i ponovno ga utaknite. Ako ostane tako, usmjerivač mora dati poslužitelj imena (DHCP).',
  },
  'dns.no_such_name': {
    says: 'poslužitelj imena {server} kaže da to ime ne postoji',
    todo: 'Je li ime točno? Ako jest, to je pogrešan poslužitelj imena: ova mreža uređaju mora dati drugi (DHCP).',
  },
  'dns.wrong': {
    says: 'poslužitelj imena {server} odgovara pogrešno: {answer}',
    todo: 'Blokira to ime ili ga ne zna: tko vodi ovu mrežu mora dopustiti ime ili uređaju dati drugi poslužitelj imena (DHCP).',
  },
  'dns.slow': {
    says: 'poslužitelj imena {servers} ne odgovara, a drugi odgovara: veze počinju kasno',
    todo: 'Tko vodi ovu mrežu mora ga popraviti ili uređaju dati samo poslužitelje imena koji odgovaraju (DHCP).',
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
  'cloud.proxy': {
    says: 'ova mreža traži proxy s lozinkom (407)',
    todo: 'Gateway ne koristi proxy: tko vodi ovu mrežu mora uređaj pustiti van bez njega.',
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
  'certificate.other_name': {
    says: 'pokazuje certifikat za {name}, a očekuje se {expected}',
    todo: 'Na uređaju ne treba ništa učiniti: tko vodi oblak mora mu dati certifikat za {expected}.',
  },
  'certificate.foreign': {
    says: 'netko drugi odgovara za {expected}, s certifikatom za {name}: stranica za prijavu ove mreže ili nešto što gleda u njezine veze',
    todo: 'Prijavite uređaj na stranici mreže ili neka ga onaj tko vodi ovu mrežu pusti van bez nje.',
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
};
