import { GATE_WORDS } from '../wording/hu.js';
import type { DoctorWords } from './doctor-words.js';
import { EQUIPMENT_HU } from './equipment/hu.js';
import { HU_REACH } from './reach/hu.js';

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
    ...GATE_WORDS.decisions.reasons,
    cloud: 'a felhő',
    device: 'ez az eszköz',
    open: 'nyitás',
    close: 'zárás',
    no_address: 'a nevének nincs címe',
    no_tls: 'nem beszél TLS-t',
    other_gateway: 'egy másik átjáró',
    other_program: 'egy másik program',
  },
  unknown: 'olyasmit talált, amire csak egy újabb verziónak van szava',
  durations: { s: '{n} mp', min: '{n} perc', h: '{n} óra', days: '{n} nap' },
  follows: 'ebből következik',
  sides: { ahead: 'siet ({n})', behind: 'késik ({n})' },
  summary: ({ failures, warnings, following, oks, unknowns }) =>
    `${failures} hiba, ${warnings} figyelmeztetés${following === 0 ? '' : `, ebből következik: ${following}`}, ${oks} rendben${unknowns === 0 ? '' : `, ${unknowns} ismeretlen`}`,
  findings: {
    'gateway.running': { says: '{uptime_s} óta fut, verziója: {version}' },
    'gateway.claimed': { says: 'ehhez a felhőhöz tartozik: {cloud}' },
    'gateway.unclaimed': {
      says: 'még egyetlen felhőhöz sem tartozik',
      todo: 'Készítsen csatlakoztatási kódot a konzolban (Eszközök, Átjárók), és írja be az átjáró saját lapján.',
    },
    'gateway.deleted': {
      says: 'a felhője törölte ({time}), és most egyikhez sem tartozik',
      todo: 'Ha tévedés volt, hozzon létre a konzolban (Eszközök, Átjárók) átjárót és csatlakoztatási kódot, és írja be az átjáró saját lapján.',
    },
    'gateway.replaced': {
      says: 'másik eszköz csatlakozott a helyén ({time}): ez most egyik felhőhöz sem tartozik',
      todo: 'Ha ez volt a szándék, nincs teendő. Különben hozzon létre a konzolban (Eszközök, Átjárók) csatlakoztatási kódot, és írja be az átjáró saját lapján.',
    },
    'gateway.reset': {
      says: 'valaki visszaállította ({time}), és most egyik felhőhöz sem tartozik',
      todo: 'Hozzon létre a konzolban (Eszközök, Átjárók) csatlakoztatási kódot, és írja be az átjáró saját lapján.',
    },
    'gateway.no_configuration': {
      says: 'csatlakoztatva van, de még nincs konfigurációja: semmiről sem dönt',
      todo: 'Kapcsolja össze egyszer a felhővel, és rendelje parkolóhoz a konzolban.',
    },
    'gateway.rules_old': {
      says: 'aszerint dönt, amit a felhője {days} napja mondott',
      todo: 'Kapcsolja össze az átjárót a felhővel. Ha kapcsolódik, és ez marad, a felhő üzemeltetője nézze meg, miért nem jön új.',
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
    'clock.time_unknown': { says: 'ezt mutatja: {time}; hogy pontos-e, itt semmi sem mondja meg' },
    'clock.off': {
      says: 'a felhőhöz képest {off_s±}',
      todo: 'Az időszolgáltatása ki van kapcsolva, vagy nem ér el időkiszolgálót: az eszköz gondozójának kell ránéznie.',
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
      says: 'megtelt (szabad: {free_bytes})',
      todo: 'Hívja az ügyfélszolgálatot: régi fájlokat kell eltávolítani.',
    },
    'disk.no_inodes': {
      says: 'nem fogad több fájlt (még {free}), bár van hely: semmi új nem tárolható',
      todo: 'Hívja az ügyfélszolgálatot: régi fájlokat kell eltávolítani.',
    },
    'disk.read_only': {
      says: 'csak olvasható: {problem}',
      todo: 'A memóriakártya akkor lesz ilyen, ha elkopott: cserélje ki. Egyébként indítsa újra az eszközt.',
    },
    'disk.unwritable': {
      says: 'ez a mappa nem írható: {path}; {problem}',
      todo: 'Hívja az ügyfélszolgálatot.',
    },
    'disk.unknown': {
      says: 'nem vizsgálható ({path}): {problem}',
      todo: 'Hívja az ügyfélszolgálatot.',
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
    ...HU_REACH,
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
