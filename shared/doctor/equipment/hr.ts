import type { EquipmentFindingWords } from '../doctor-words.js';

export const EQUIPMENT_HR: EquipmentFindingWords = {
  'radio.ok': { says: 'uključen ({adapters})' },
  'radio.unneeded': { says: 'isključen, a nijedan uređaj ga ne treba' },
  'radio.off': {
    says: 'isključen s BLE_HCI=off: nijedan uređaj se ne može otvoriti',
    todo: 'Isključio ga je onaj tko je uređaj postavio: neka ga uključi.',
  },
  'radio.unavailable': {
    says: 'nijedan adapter ne radi: nijedan uređaj se ne može otvoriti',
    todo: 'Je li Bluetooth adapter utaknut? Ponovno ga utaknite; ako ne pomogne, isključite uređaju struju na deset sekundi.',
  },
  'radio.held': {
    says: 'koristi ga {program}, a ne gateway: nijedan uređaj se ne može otvoriti',
    todo: 'Zaustavite taj program i isključite njegovo pokretanje s uređajem.',
  },
  'radio.adapter_gone': { says: 'adapter {adapter} ne radi, drugi rade', todo: 'Ponovno ga utaknite.' },
  'radio.healed': {
    says: 'sam se oporavio prije {ago_s} ({step})',
    todo: 'Ako se ponavlja, stavite adapter na drugi USB priključak ili produžni kabel, dalje od USB 3 uređaja.',
  },
  'product.ok': { says: 'u dometu ({rssi} dBm, viđen prije {seen_s}), gateway smije sam djelovati još {days} dana' },
  'product.days_unknown': {
    says: 'u dometu ({rssi} dBm, viđen prije {seen_s}); koliko se dugo smije otvarati bez oblaka ne zna se, jer se ne zna vrijeme',
  },
  'product.elsewhere_unknown': {
    says: 'ovdje se ne čuje; čuje li ga {gateways}, ovdje se ne zna: to pokazuje konzola',
  },
  'product.none': { says: 'ovaj gateway nema uređaja za otvaranje' },
  'product.unpaired': {
    says: 'nije uparen: nitko ga ne može otvoriti',
    todo: 'Uparite ga u konzoli (Uređaji), tipkom za uparivanje.',
  },
  'product.error': {
    says: 'javlja pogrešku: {error}',
    todo: 'Pogledajte na licu mjesta; kad je otklonjena, jednom otvorite i zatvorite.',
  },
  'product.never_seen': {
    says: 'nije viđen otkad je gateway pokrenut',
    todo: 'Ima li struje? Je li bliže od 20 m, bez čelika ili betona između? Je li oznaka uređaja točna?',
  },
  'product.lost': {
    says: 'izvan je dometa: zadnji put viđen prije {seen_s}',
    todo: 'Provjerite struju i bateriju; približite gateway ili antenu.',
  },
  'product.jammed': {
    says: 'zapelo je: krenulo je i nije stiglo do kraja',
    todo: 'Pogledajte što smeta i uklonite to. Zatim jednom otvorite i zatvorite: time pogreška prestaje.',
  },
  'product.dirty': {
    says: 'senzor mu je prljav: otvara se, ali se ne zatvara',
    todo: 'Obrišite senzor i pogledajte što stoji ispred njega.',
  },
  'product.no_clock': {
    says: 'izgubio je vrijeme: odbija ključeve gostiju dok mu se sat ne namjesti',
    todo: 'Jednom otvorite i zatvorite: time gateway namješta sat. Ako se ponovi, pomoćna baterija je istrošena.',
  },
  'product.held_open': {
    says: 'drži se otvorenim i takav ostaje: nikoga ne zaustavlja',
    todo: 'Ako to nije namjera, prekinite: kod uređaja odaberite završetak držanja otvorenim.',
  },
  'product.held_closed': {
    says: 'drži se zatvorenim i takav ostaje: nijedno vozilo ne ulazi',
    todo: 'Ako to nije namjera, prekinite: kod uređaja odaberite završetak držanja zatvorenim.',
  },
  'product.other_key': {
    says: 'čuje se, ali ima drugi ključ: uparen je drugdje ili je zamijenjen',
    todo: 'Ponovno ga uparite u konzoli (Uređaji): prije toga ga poništite u kućištu ili raskinite uparivanje ondje gdje je uparen.',
  },
  'product.key_refused': {
    says: 'odbio je ključ ovog gatewaya kod zadnje naredbe: ponovno je uparen ili je ključ opozvan',
    todo: 'Spojite gateway s oblakom, koji obnavlja ključ. Ako i njega odbije, ponovno ga uparite u konzoli (Uređaji).',
  },
  'product.weak': {
    says: 'signal je slab ({rssi} dBm): otvaranje će biti sporo ili neće uspjeti',
    todo: 'Približite gateway ili antenu ili postavite drugi gateway.',
  },
  'product.credential_low': {
    says: 'bez oblaka se može otvarati još {days} dana',
    todo: 'Spojite gateway s oblakom: to obnavlja ovlast.',
  },
  'product.credential_ended': {
    says: 'ovaj ga gateway više ne može otvoriti: ovlast je istekla',
    todo: 'Spojite gateway s oblakom: to je obnavlja.',
  },
  'product.battery_low': { says: 'baterija je na {percent} %', todo: 'Napunite je ili zamijenite.' },
  'product.clock_wrong': {
    says: 'sat mu {off_s±}',
    todo: 'Spojite gateway s oblakom, koji će ga ispraviti.',
  },
  'cycle.ok': { says: 'otvoreno za {open_s} i zatvoreno za {close_s}' },
  'cycle.failed': {
    says: '{operation} nije uspjelo: {problem}',
    todo: 'Pogledajte smeta li što, zatim domet i bateriju gore; pokušajte ponovno.',
  },
  'camera.ok': { says: 'tu je, zadnji put se javila prije {seen_s}' },
  'camera.unknown': {
    says: 'zadnji put se javila prije {seen_s}; je li sada tu ne zna se: kamere ove vrste ne mogu se pitati',
  },
  'camera.none': { says: 'ovaj gateway nema kamera' },
  'camera.quiet': {
    says: 'odgovara, ali već dan ili otkad je gateway pokrenut ništa nije poslala',
    todo: 'Provezite vozilo pokraj nje. Ako ništa ne dođe, pogledajte kamo kamera šalje očitanja.',
  },
  'camera.unheard': {
    says: 'otkad je gateway pokrenut ništa nije poslala i ne može se pitati: ne zna se radi li',
    todo: 'Provezite vozilo pokraj nje. Ako ništa ne dođe, pogledajte struju i mrežu i kamo šalje očitanja.',
  },
  'camera.offline': { says: 'ne odgovara: {problem}', todo: 'Ima li struje i mreže? Je li adresa u konzoli točna?' },
  'camera.stranger': {
    says: 'na {address} odgovara nešto drugo, a ne kamera upravljačkog programa {driver}: {answer}',
    todo: 'Je li to drugi uređaj? Ispravite adresu i port kamere u konzoli, ili njezin upravljački program.',
  },
  'camera.no_interface': {
    says: '{address} odgovara, ali ne sučeljem upravljačkog programa {driver} ({answer}): pogrešan program ili pogrešan port',
    todo: 'Otvorite tu adresu u pregledniku: koja je to kamera? Ispravite upravljački program ili port adrese u konzoli.',
  },
  'camera.redirects': {
    says: '{address} preusmjerava na {to}: gateway to ne slijedi, jer bi ondje pokazao lozinku',
    todo: 'Ako je to kamera, u konzoli postavite {to} kao adresu; inače ispravite adresu.',
  },
  'camera.refused': {
    says: 'odbija gateway: {problem}',
    todo: 'Ispravite korisničko ime i lozinku u konzoli (Uređaji, Kamere).',
  },
  'camera.unserved': {
    says: 'ne može se koristiti: {problem}',
    todo: 'Ispravite upravljački program i postavke u konzoli ili nadogradite gateway.',
  },
  'camera.clock_wrong': {
    says: 'sat joj {off_s±}',
    todo: 'Namjestite sat u postavkama kamere i neka prati poslužitelj vremena.',
  },
  'camera.problem': { says: '{problem}', todo: 'Pogledajte kameru: struju, mrežu, lozinku i kamo šalje očitanja.' },
  'camera.wrong_key': {
    says: 'šalje s ključem koji nije njezin (s {from}): ništa se od toga ne čita',
    todo: 'Ključ je u konzoli promijenjen ili krivo upisan: ponovno je namjestite ili u nju upišite adresu za slanje iz konzole.',
  },
  'camera.wrong_driver': {
    says: 'šalje na adresu upravljačkog programa {posted} (s {from}), a njezin je ovdje {driver}: ništa se od toga ne čita',
    todo: 'Koja je to kamera? Ispravite upravljački program u konzoli ili adresu na koju šalje.',
  },
  'camera.not_understood': {
    says: 'šalje ono što se ne razumije: {problem}',
    todo: 'Stavljeno je sa strane. Jesu li upravljački program i oblik u kojem šalje točni? Iz toga se može napraviti pravilo čitanja.',
  },
  'camera.misdirected': {
    says: 's adrese {from} netko šalje kao {camera}, a to nije kamera ovog gatewaya',
    todo: 'Ako pripada drugom gatewayu parkirališta, neka šalje onamo. Inače pogledajte oznaku uređaja u adresi na koju šalje.',
  },
  'camera.without_key': {
    says: 'šalje bez ključa: tko ima njezinu adresu, javlja se u njezino ime',
    todo: 'Dajte joj ključ ako ga može imati; inače držite kamere u vlastitoj mreži.',
  },
  'decision.opens': { says: 'registracija {plate} otvorila bi {product}: {reason}' },
  'decision.admits': {
    says: 'registracija {plate} bila bi puštena, a ništa otvoreno jer nije postavljen uređaj: {reason}',
  },
  'decision.denies': { says: 'registracija {plate} bila bi odbijena: {reason}' },
  'decision.undecided': {
    says: 'o registraciji {plate} ne bi bilo odluke: smjer nije poznat',
    todo: 'Postavite smjer kamere na ulaz ili izlaz ili neka smjer javlja kamera.',
  },
  'decision.held_closed': {
    says: 'registracija {plate} bila bi puštena, ali {product} se drži zatvoreno i tako ostaje',
    todo: 'Ako to ne želite, završite u konzoli: poništite „drži zatvoreno”.',
  },
  'decision.no_zone': {
    says: 'njezina zona nije u konfiguraciji: bili bi pušteni samo članovi',
    todo: 'Spojite gateway s oblakom; pogledajte zonu kamere u konzoli.',
  },
  'decision.no_product': {
    says: 'treba otvarati {product}, a ovaj ga gateway ne poznaje: ništa se ne bi otvorilo',
    todo: 'Spojite gateway s oblakom; pogledajte uređaj kamere u konzoli.',
  },
  'sensor.ok': { says: 'na vezi, mjesta: {places}' },
  'sensor.none': { says: 'ovaj gateway nema senzora' },
  'sensor.offline': { says: 'ne javlja se: {problem}', todo: 'Ima li struje i mreže? Je li adresa u konzoli točna?' },
  'sensor.unheard': {
    says: 'nije se javilo tri razdoblja zaredom, a razlog se ne zna',
    todo: 'Ima li struje i mreže? Jesu li postavke u konzoli točne: adresa, jedinica, aplikacija?',
  },
  'sensor.no_places': {
    says: 'nema mjesta: ništa se ne pita',
    todo: 'U konzoli dodijelite mjestima njegove senzore (Uređaji, Senzori).',
  },
  'sensor.silent': {
    says: 'senzori koji šute: {places}',
    todo: 'Pogledajte njihove baterije i što stoji između njih i prijamnika.',
  },
  'sensor.fault': { says: '{problem}', todo: 'Pogledajte postavke senzora u konzoli (Uređaji, Senzori).' },
  'display.ok': { says: 'prikazuje svoj tekst' },
  'display.none': { says: 'ovaj gateway nema zaslona' },
  'display.fault': {
    says: 'ne prikazuje svoj tekst: {problem}',
    todo: 'Ima li struje i mreže? Svake se minute sam ponovno pokušava.',
  },
  'display.waiting': {
    says: 'još nije prihvatio nijedan tekst',
    todo: 'Pričekajte minutu. Ako i dalje ništa ne prikazuje, pogledajte mu adresu u konzoli (Zasloni).',
  },
};
