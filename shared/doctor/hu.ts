import { GATE_WORDS } from '../wording/hu.js';
import type { DoctorWords } from './doctor-words.js';
import { EQUIPMENT_HU } from './equipment/hu.js';

export const HU: DoctorWords = {
  levels: { ok: 'rendben', warning: 'figyelmeztetés', failure: 'hiba', unknown: 'ismeretlen' },
  areas: {
    gateway: 'átjáró',
    service: 'szolgáltatás',
    radio: 'Bluetooth',
    product: 'sorompó',
    cycle: 'nyitás',
    camera: 'kamera',
    decision: 'próbarendszám',
    sensor: 'érzékelők',
    display: 'kijelző',
    clock: 'óra',
    store: 'adatfájl',
    queue: 'várakozási sor',
    disk: 'lemez',
    wear: 'lemezkopás',
    power: 'tápellátás',
    heat: 'hőmérséklet',
    memory: 'memória',
    network: 'hálózat',
    dns: 'névfeloldás',
    cloud: 'felhő',
    broker: 'bróker',
    session: 'kapcsolat',
    certificate: 'tanúsítvány',
    authority: 'tanúsítványkiadó',
    check: 'vizsgálat',
  },
  values: {
    ...GATE_WORDS.productErrors,
    pin_broken: 'eltört egy csapja: szerelő kell hozzá',
    battery_empty: 'lemerült az akkumulátora: töltse fel vagy cserélje ki',
    other: 'nem mondja meg, melyiket',
    ahead: 'siet',
    behind: 'késik',
    ...GATE_WORDS.decisions.reasons,
    cloud: 'a felhő',
    device: 'ez az eszköz',
    open: 'nyitás',
    close: 'zárás',
  },
  unknown: 'olyasmit talált, amire csak egy újabb verziónak van szava',
  durations: { s: '{n} mp', min: '{n} perc', h: '{n} óra', days: '{n} nap' },
  summary: ({ failures, warnings, oks, unknowns }) =>
    `${failures} hiba, ${warnings} figyelmeztetés, ${oks} rendben${unknowns === 0 ? '' : `, ${unknowns} ismeretlen`}`,
  findings: {
    'gateway.running': { says: '{uptime_s} óta fut, verziója: {version}' },
    'gateway.not_running': {
      says: 'nem fut: itt semmi sem válaszol: {url}; csak az eszköz vizsgálata történt meg',
      todo: 'Nézze meg, van-e árama az eszköznek. Ha van, tíz másodpercre válassza le a tápellátásról.',
    },
    'gateway.not_asked': {
      says: 'fut, de nem lehetett lekérdezni: {problem}; csak az eszköz vizsgálata történt meg',
      todo: 'Indítsa újra az eszközt: tíz másodpercre válassza le a tápellátásról. Semmi sem vész el abból, ami várakozik.',
    },
    'gateway.other_version': {
      says: 'a futó verzió: {running}, a telepített: {installed}',
      todo: 'A következő nyugodt pillanatban magától lecseréli; hamarabb, ha tíz másodpercre leválasztja a tápellátásról.',
    },
    'gateway.claimed': { says: 'ehhez a felhőhöz tartozik: {cloud}' },
    'gateway.unclaimed': {
      says: 'még egyetlen felhőhöz sem tartozik',
      todo: 'Készítsen csatlakoztatási kódot a konzolban (Eszközök, Átjárók), és írja be az átjáró saját lapján.',
    },
    'gateway.erasing': {
      says: 'a törlése elkezdődött, de nem fejeződött be: a következő indításkor folytatódik',
      todo: 'Válassza le tíz másodpercre a tápellátásról, és várjon egy percet. Utána csatlakoztassa újra. Biztonsági mentést ne tegyen vissza.',
    },
    'gateway.identity_unreadable': {
      says: 'azonosítóját csak a saját felhasználója olvashatja: {path}',
      todo: 'Nézze inkább az átjáró saját lapját: ott a felhő és a bróker vizsgálata is megtörténik.',
    },
    'gateway.identity_damaged': {
      says: 'sérült az azonosítója: {path}',
      todo: 'Tegye vissza a fájlt biztonsági mentésből; ha nincs, vigye máshová, és csatlakoztassa újra az átjárót.',
    },
    'gateway.no_configuration': {
      says: 'csatlakoztatva van, de még nincs konfigurációja: semmiről sem dönt',
      todo: 'Kapcsolja össze egyszer a felhővel, és rendelje parkolóhoz a konzolban.',
    },
    'service.watched': { says: 'a systemd újraindítja, ha leáll vagy lefagy' },
    'service.started': { says: 'a systemd újraindítja, ha leáll' },
    'service.by_hand': { says: 'nem a systemd indította: semmi sem indítja újra, ha leáll' },
    ...EQUIPMENT_HU,
    'clock.ok': { says: 'pontos, forrása: {source}' },
    'clock.unknown': {
      says: 'nem ismert (ezt mutatja: {time}): az időpontok becsültek, és semmi sem nyílik, amihez pontos idő kell',
      todo: 'Kapcsolja az átjárót időkiszolgálóval rendelkező hálózathoz vagy a felhőhöz: az órája magától beáll.',
    },
    'clock.off': {
      says: 'a felhőhöz képest ennyit téved: {off_s}',
      todo: 'Időszolgáltatása ki van kapcsolva, vagy nem ér el időkiszolgálót: az eszköz gondozójának kell megnéznie.',
    },
    'clock.synchronised': { says: 'időkiszolgálót követ' },
    'clock.unsynchronised': {
      says: 'jelenleg nem követ időkiszolgálót',
      todo: 'Kiengedi a hálózat a 123-as UDP-portot? Az időszolgáltatásnak szüksége van rá.',
    },
    'clock.sync_unknown': { says: 'nem ismert, követ-e időkiszolgálót: ez a rendszer nem mondja meg' },
    'clock.battery': { says: 'van elemes órája, amely áram nélkül is jár' },
    'clock.no_battery': { says: 'nincs elemes órája: áramszünet után hálózat kell neki a pontos időhöz' },
    'store.ok': { says: 'rendben, {size_bytes}' },
    'store.failed': {
      says: 'semmi sem tárolható: {problem}',
      todo: 'Szabadítson fel helyet a lemezen, vagy cserélje ki, ha csak olvasható; azután indítsa újra az átjárót.',
    },
    'store.quarantined': {
      says: 'megsérült, és új kezdődött; a régi itt van: {path}',
      todo: 'Őrizze meg ezt a fájlt az ügyfélszolgálatnak, és nézze meg lentebb a lemezt.',
    },
    'queue.ok': { says: 'elküldésre vár: {waiting}' },
    'queue.old': {
      says: 'elküldésre vár: {waiting}, a legrégebbi {oldest_s} óta',
      todo: 'Kapcsolja össze az átjárót a felhővel: semmi sem vész el, amíg van hely.',
    },
    'queue.full': {
      says: '{percent}%-ig megtelt: a várakozók közül először a legrégebbi képek vesznek el',
      todo: 'Kapcsolja össze az átjárót mielőbb a felhővel; a leolvasások és a nyitások maradnak meg a legtovább.',
    },
    'disk.ok': { says: 'szabad: {free_bytes} ({percent}%)' },
    'disk.low': {
      says: 'csak ennyi szabad: {free_bytes} ({percent}%)',
      todo: 'Hívja az ügyfélszolgálatot: régi fájlokat kell eltávolítani.',
    },
    'disk.full': {
      says: 'megtelt (szabad: {free_bytes}): több nem tárolható',
      todo: 'Hívja most az ügyfélszolgálatot: régi fájlokat kell eltávolítani.',
    },
    'disk.read_only': {
      says: 'csak olvasható: {problem}',
      todo: 'A memóriakártya akkor lesz ilyen, ha elkopott: cserélje ki. Egyébként indítsa újra az eszközt.',
    },
    'disk.unwritable': {
      says: 'ez a mappa nem írható: {path}; {problem}',
      todo: 'Hívja az ügyfélszolgálatot: vissza kell adni az átjárónak a mappáját.',
    },
    'disk.unknown': {
      says: 'nem vizsgálható ({path}): {problem}',
      todo: 'Hívja az ügyfélszolgálatot: az átjáró mappája nem vizsgálható.',
    },
    'wear.ok': { says: 'élettartamának legfeljebb {percent}%-a használódott el' },
    'wear.worn': {
      says: 'élettartamának {percent}%-a elhasználódott',
      todo: 'Cserélje ki a következő hónapokban; most készítsen biztonsági mentést.',
    },
    'wear.ending': { says: 'élettartama végére ért', todo: 'Készítsen biztonsági mentést, és cserélje ki most.' },
    'wear.unknown': { says: 'nem ismert: ez a lemez nem közli a kopását' },
    'power.ok': { says: 'a feszültség rendben' },
    'power.low': {
      says: 'a feszültség most túl alacsony: az eszköz bármikor leállhat',
      todo: 'Használja a gyártó tápegységét és rövid, vastag kábelt; húzza ki az USB-eszközöket.',
    },
    'power.was_low': {
      says: 'az indulás óta volt már túl alacsony a feszültség',
      todo: 'Használja a gyártó tápegységét és rövid, vastag kábelt; húzza ki az USB-eszközöket.',
    },
    'power.unknown': { says: 'nem ismert: ez az eszköz nem közli a feszültségét' },
    'heat.ok': { says: '{celsius} °C' },
    'heat.high': { says: '{celsius} °C: forró', todo: 'Adjon a háznak levegőt vagy árnyékot.' },
    'heat.critical': {
      says: '{celsius} °C: túl forró, az eszköz lelassul vagy leáll',
      todo: 'Most adjon a háznak levegőt vagy árnyékot.',
    },
    'heat.unknown': { says: 'nem ismert: ez az eszköz nem közli a hőmérsékletét' },
    'memory.ok': { says: 'szabad: {free_bytes}' },
    'memory.low': {
      says: 'csak ennyi szabad: {free_bytes}',
      todo: 'Állítson le más programokat ezen az eszközön, vagy használjon több memóriával rendelkezőt.',
    },
    'memory.unknown': { says: 'nem ismert: ez a rendszer nem közli a memóriáját' },
    'network.ok': { says: '{interfaces}' },
    'network.down': {
      says: 'nincs hálózat: egyik csatolónak sincs címe',
      todo: 'Be van dugva a kábel, és világítanak a fényei? Be van állítva a Wi-Fi?',
    },
    'network.no_route': {
      says: 'nincs kijárat: hiányzik az alapértelmezett útvonal',
      todo: 'Oszt címeket az útválasztó (DHCP)? Indítsa újra.',
    },
    'network.weak_wifi': {
      says: 'gyenge a Wi-Fi ({signal} dBm)',
      todo: 'Használjon kábelt, vagy helyezze át az antennát vagy a hozzáférési pontot.',
    },
    'dns.ok': { says: 'megvan (IPv4: {v4}, IPv6: {v6})' },
    'dns.unneeded': { says: 'a címéhez nem kell név' },
    'dns.failed': {
      says: 'ez a név nem található: {problem}',
      todo: 'Helyes a név? Indítsa újra az útválasztót: az válaszol a nevekre.',
    },
    'dns.half': {
      says: 'a névkiszolgáló hibázik ({family}): {problem}',
      todo: 'A kapcsolatok lassúak lehetnek. Indítsa újra az útválasztót: az válaszol a nevekre.',
    },
    'cloud.ok': { says: '{latency_ms} ms alatt válaszol' },
    'cloud.slow': {
      says: 'lassan válaszol: {latency_ms} ms',
      todo: 'Nézze meg a Wi-Fi vagy a mobilhálózat jelét; a telefonos nyitások lassúak lesznek.',
    },
    'cloud.unreachable': {
      says: 'nem érhető el: {problem}',
      todo: 'Az átjáró addig egyedül dönt. Kiengedi az útválasztó vagy a tűzfal, és fut-e a felhő?',
    },
    'cloud.portal': {
      says: 'valami más válaszol helyette ({answer}): bejelentkezőlap vagy proxy',
      todo: 'Jelentkeztesse be ezt az eszközt a hálózat lapján, vagy engedtesse ki a hálózaton anélkül.',
    },
    'cloud.unwell': {
      says: 'válaszol, de nincs jól (állapota: {status})',
      todo: 'Várjon néhány percet, azután szóljon a felhő üzemeltetőjének.',
    },
    'broker.ok': { says: '{latency_ms} ms alatt elérhető' },
    'broker.unreachable': {
      says: 'nem érhető el: {problem}',
      todo: 'Kiengedi az útválasztó vagy a tűzfal a portját? Különben a felhő üzemeltetőjének kell megnéznie a címét.',
    },
    'broker.refused': {
      says: 'elutasítja ezt az átjárót: {problem}',
      todo: 'Törölték, vagy másik eszköz vette át a helyét? Akkor csatlakoztassa újra.',
    },
    'session.ok': { says: '{since_s} óta kapcsolódik' },
    'session.none': {
      says: '{since_s} óta nem kapcsolódik a felhőhöz',
      todo: 'Nézze meg itt a felhőt és a brókert; magától újra kapcsolódik.',
    },
    'certificate.ok': { says: 'még {days} napig érvényes' },
    'certificate.near_end': { says: '{days} nap múlva lejár', todo: 'A kiszolgáló üzemeltetőjének meg kell újítania.' },
    'certificate.ended': {
      says: '{days} napja lejárt',
      todo: 'A kiszolgáló üzemeltetőjének meg kell újítania. Pontos ennek az eszköznek az órája?',
    },
    'certificate.early': { says: 'csak {days} nap múlva lesz érvényes', todo: 'Pontos ennek az eszköznek az órája?' },
    'certificate.refused': {
      says: 'nem elfogadható: {problem}',
      todo: 'Valaki más van ott, vagy megváltozott a kiadó? Akkor csatlakoztassa újra az átjárót.',
    },
    'authority.ok': { says: 'még {days} napig érvényes' },
    'authority.near_end': {
      says: '{days} nap múlva lejár',
      todo: 'A szolgáltatás üzemeltetőjének új kiadót kell létrehoznia; az átjárókat még előtte újra kell csatlakoztatni.',
    },
    'authority.ended': {
      says: '{days} napja lejárt: az átjáró már nem tud kapcsolódni',
      todo: 'A szolgáltatás üzemeltetőjének új kiadót kell létrehoznia; azután az átjárókat újra kell csatlakoztatni.',
    },
    'check.late': {
      says: 'nem ért véget időben ez a vizsgálat: „{check}”',
      todo: 'Futtassa újra a diagnosztikát; ha megismétlődik, indítsa újra az átjárót.',
    },
    'check.failed': {
      says: 'maga hibázott ez a vizsgálat: „{check}”; {problem}',
      todo: 'Futtassa újra a diagnosztikát; ha megismétlődik, szóljon az ügyfélszolgálatnak.',
    },
  },
};
