import type { EquipmentFindingWords } from '../doctor-words.js';

export const EQUIPMENT_HU: EquipmentFindingWords = {
  'radio.ok': { says: 'bekapcsolva ({adapters})' },
  'radio.unneeded': { says: 'kikapcsolva, és egyetlen sorompónak sem kell' },
  'radio.off': {
    says: 'a BLE_HCI=off beállítás kikapcsolta: egyetlen sorompó sem nyitható',
    todo: 'Az eszköz beállítója kapcsolta ki: neki kell bekapcsolnia.',
  },
  'radio.unavailable': {
    says: 'egyetlen adapter sem működik: egyetlen sorompó sem nyitható',
    todo: 'Be van dugva Bluetooth-adapter? Dugja be újra; ha nem segít, tíz másodpercre válassza le az eszközt a tápellátásról.',
  },
  'radio.held': {
    says: '{program} használja: egyetlen sorompó sem nyitható',
    todo: 'Állítsa le, és ne induljon az eszközzel.',
  },
  'radio.adapter_gone': { says: 'nem működik, mások igen: {adapter}', todo: 'Dugja be újra.' },
  'radio.healed': {
    says: 'magától helyreállt ({step}), azóta {ago_s} telt el',
    todo: 'Ha újra előfordul, dugja az adaptert másik USB-aljzatba vagy hosszabbítóra, távol az USB 3-as eszközöktől.',
  },
  'product.ok': {
    says: 'hatótávon belül ({rssi} dBm, utolsó jele óta {seen_s} telt el), még {days} napig működhet önállóan',
  },
  'product.days_unknown': {
    says: 'hatótávon belül ({rssi} dBm, utolsó jele óta {seen_s} telt el); a pontos idő nélkül nem tudni, meddig nyitható a felhő nélkül',
  },
  'product.elsewhere_unknown': {
    says: 'itt nem hallható; hogy {gateways} hallja-e, a konzol megmutatja',
  },
  'product.none': { says: 'ennek az átjárónak nincs sorompója' },
  'product.unpaired': {
    says: 'nincs párosítva: senki sem nyithatja',
    todo: 'Párosítsa a konzolban (Sorompók), a párosítógombjával.',
  },
  'product.error': {
    says: 'hibát jelez: {error}',
    todo: 'Menjen oda, és nézze meg; ha rendbe jött, nyissa és zárja egyszer.',
  },
  'product.never_seen': {
    says: 'nem jelentkezett az átjáró indulása óta',
    todo: 'Van árama? Közelebb van 20 méternél, acél és beton nélkül közöttük? Helyes az eszközazonosítója?',
  },
  'product.lost': {
    says: 'hatótávon kívül van: utolsó jele óta {seen_s} telt el',
    todo: 'Nézze meg a tápellátását és az akkumulátorát; vigye közelebb az átjárót vagy az antennáját.',
  },
  'product.jammed': {
    says: 'elakadt: megindult, de nem ért a végére',
    todo: 'Nézze meg, mi akadályozza, és vegye el. Aztán nyissa és zárja egyszer: ezzel a hiba megszűnik.',
  },
  'product.dirty': {
    says: 'szennyezett az érzékelője: nyílik, de nem záródik',
    todo: 'Törölje le az érzékelőt, és nézze meg, mi áll előtte.',
  },
  'product.no_clock': {
    says: 'elvesztette az időt: a vendégek kulcsait elutasítja, amíg nincs beállítva az órája',
    todo: 'Nyissa és zárja egyszer: az átjáró ezzel beállítja az óráját. Ha visszatér, elhasználódott a tartalékeleme.',
  },
  'product.held_open': {
    says: 'nyitva van tartva, és úgy is marad: senkit sem állít meg',
    todo: 'Ha ez nem szándékos, szüntesse meg a nyitva tartást a sorompónál.',
  },
  'product.held_closed': {
    says: 'zárva van tartva, és úgy is marad: egy jármű sem juthat be',
    todo: 'Ha ez nem szándékos, szüntesse meg a zárva tartást a sorompónál.',
  },
  'product.other_key': {
    says: 'hallható, de más a kulcsa: máshol párosították, vagy kicserélték',
    todo: 'Párosítsa újra a konzolban (Sorompók): előtte állítsa alaphelyzetbe a házában, vagy bontsa a párosítást ott, ahol párosították.',
  },
  'product.key_refused': {
    says: 'a legutóbbi parancsnál elutasította az átjáró kulcsát: újra párosították, vagy visszavonták a kulcsot',
    todo: 'Kapcsolja össze az átjárót a felhővel, amely megújítja a kulcsot. Ha azt is elutasítja, párosítsa újra a konzolban (Sorompók).',
  },
  'product.weak': {
    says: 'gyengén hallható ({rssi} dBm): a nyitások lassúak lesznek vagy elmaradnak',
    todo: 'Vigye közelebb az átjárót vagy az antennáját, vagy állítson fel egy második átjárót.',
  },
  'product.credential_low': {
    says: 'felhő nélkül még {days} napig nyitható',
    todo: 'Kapcsolja össze az átjárót a felhővel: ez megújítja a jogosultságot.',
  },
  'product.credential_ended': {
    says: 'ez az átjáró már nem nyithatja: lejárt a jogosultsága',
    todo: 'Kapcsolja össze az átjárót a felhővel: ez megújítja a jogosultságot.',
  },
  'product.battery_low': {
    says: 'akkumulátorának töltöttsége {percent}%',
    todo: 'Töltse fel vagy cserélje ki.',
  },
  'product.clock_wrong': {
    says: 'az órája {off_s±}',
    todo: 'Kapcsolja össze az átjárót a felhővel, amely beállítja.',
  },
  'cycle.ok': { says: 'nyitási idő: {open_s}, zárási idő: {close_s}' },
  'cycle.failed': {
    says: 'sikertelen {operation}: {problem}',
    todo: 'Nézze meg, nem akadályozza-e valami, majd fentebb a hatótávját és az akkumulátorát; próbálja újra.',
  },
  'camera.ok': { says: 'jelen van, utolsó jele óta {seen_s} telt el' },
  'camera.unknown': {
    says: 'utolsó jele óta {seen_s} telt el; hogy most jelen van-e, nem tudni: az ilyen kamerák nem kérdezhetők',
  },
  'camera.none': { says: 'ennek az átjárónak nincs kamerája' },
  'camera.quiet': {
    says: 'válaszol, de egy napja vagy az átjáró indulása óta semmit sem küldött',
    todo: 'Hajtson el előtte egy járművel. Ha semmi sem érkezik, nézze meg, hová küldi a kamera a leolvasásait.',
  },
  'camera.unheard': {
    says: 'az átjáró indulása óta semmit sem küldött, és nem kérdezhető: nem tudni, működik-e',
    todo: 'Hajtson el előtte egy járművel. Ha semmi sem érkezik, nézze meg tápellátását, hálózatát, és hová küldi a leolvasásait.',
  },
  'camera.offline': {
    says: 'nem válaszol: {problem}',
    todo: 'Van árama és hálózata? Helyes a címe a konzolban?',
  },
  'camera.stranger': {
    says: 'a(z) {address} címen nem {driver} gyártmányú kamera válaszol: {answer}',
    todo: 'Másik eszköz az? Javítsa a kamera címét és portját a konzolban, vagy a gyártmányát.',
  },
  'camera.no_interface': {
    says: '{address} válaszol, de nem a(z) {driver} felületén ({answer}): rossz gyártmány vagy rossz port',
    todo: 'Nyissa meg a címet böngészőben: milyen kamera ez? Javítsa a gyártmányt vagy a cím portját a konzolban.',
  },
  'camera.redirects': {
    says: '{address} ide irányít át: {to}; az átjáró nem követi, mert ott megmutatná a jelszót',
    todo: 'Ha az a kamera, állítsa be a konzolban címként: {to}; különben javítsa a címet.',
  },
  'camera.refused': {
    says: 'elutasítja az átjárót: {problem}',
    todo: 'Javítsa a felhasználónevét és a jelszavát a konzolban (Eszközök, Kamerák).',
  },
  'camera.unserved': {
    says: 'nem kezelhető: {problem}',
    todo: 'Javítsa a gyártmányát és a beállításait a konzolban, vagy frissítse az átjárót.',
  },
  'camera.clock_wrong': {
    says: 'az órája {off_s±}',
    todo: 'Állítsa be az óráját a saját beállításaiban, és kövessen időkiszolgálót.',
  },
  'camera.problem': {
    says: '{problem}',
    todo: 'Nézze meg a kamerát: a tápellátását, hálózatát, jelszavát, és hogy hová küldi a leolvasásait.',
  },
  'camera.wrong_key': {
    says: 'nem a saját kulcsával küld (innen: {from}): semmit sem olvasunk belőle',
    todo: 'A kulcsa megváltozott a konzolban, vagy elírták: állítsa be újra, vagy írja be a kamerába a küldési címét a konzolból.',
  },
  'camera.wrong_driver': {
    says: 'a(z) {posted} gyártmány címére küld (innen: {from}), de itt a gyártmánya {driver}: semmit sem olvasunk belőle',
    todo: 'Milyen kamera ez? Javítsa a gyártmányt a konzolban, vagy a címet, ahová küld.',
  },
  'camera.not_understood': {
    says: 'olyat küld, ami nem érthető: {problem}',
    todo: 'Félre lett téve. Helyes a gyártmánya és a formátum, amelyben küld? A félretettből leképezés készíthető.',
  },
  'camera.misdirected': {
    says: '{from} címről valaki {camera} néven küld, de az nem ennek az átjárónak a kamerája',
    todo: 'Ha a parkoló másik átjárójához tartozik, oda küldjön. Különben nézze meg az eszközazonosítót a küldési címében.',
  },
  'camera.without_key': {
    says: 'kulcs nélkül küld: aki ismeri a címét, az ő nevében küldhet',
    todo: 'Adjon neki push-kulcsot, ha tud ilyet; különben tartsa a kamerákat saját hálózatban.',
  },
  'decision.opens': { says: '{plate} rendszámra ez nyílna: {product}; {reason}' },
  'decision.admits': {
    says: '{plate} rendszámmal be lehetne hajtani, de semmi sem nyílna, mert nincs megadva sorompó: {reason}',
  },
  'decision.denies': { says: '{plate} rendszámra elutasítás következne: {reason}' },
  'decision.undecided': {
    says: '{plate} rendszámról nem születne döntés: az iránya nem ismert',
    todo: 'Állítsa a kamera irányát be- vagy kihajtásra, vagy vegye át az irányt abból, amit jelent.',
  },
  'decision.held_closed': {
    says: '{plate} rendszámmal be lehetne hajtani, de ez zárva van tartva, és úgy is marad: {product}',
    todo: 'Ha ez nem kívánt, vessen neki véget a konzolban: „Zárva tartás vége”.',
  },
  'decision.no_zone': {
    says: 'zónája hiányzik a konfigurációból: csak tagok hajthatnának be',
    todo: 'Kapcsolja össze az átjárót a felhővel; nézze meg a kamera zónáját a konzolban.',
  },
  'decision.no_product': {
    says: 'ezt kellene nyitnia, de ez az átjáró nem ismeri: {product}; semmi sem nyílna',
    todo: 'Kapcsolja össze az átjárót a felhővel; nézze meg a konzolban, mit nyit a kamera.',
  },
  'sensor.ok': { says: 'elérhető, helyek: {places}' },
  'sensor.none': { says: 'ennek az átjárónak nincs érzékelője' },
  'sensor.offline': {
    says: 'nem jelentkezik: {problem}',
    todo: 'Van árama és hálózata? Helyes a címe a konzolban?',
  },
  'sensor.unheard': {
    says: 'három életjelnyi ideje nem jelentkezik, és az oka nem ismert',
    todo: 'Van árama és hálózata? Helyesek a beállításai a konzolban: cím, egység, alkalmazás?',
  },
  'sensor.no_places': {
    says: 'nincsenek helyei: semmit sem kérdezünk tőle',
    todo: 'Rendeljen a konzolban helyeket az érzékelőihez (Eszközök, Érzékelők).',
  },
  'sensor.silent': {
    says: 'nem jelentkező érzékelők: {places}',
    todo: 'Nézze meg az elemeiket, és azt, ami köztük és a vevőjük között áll.',
  },
  'sensor.fault': {
    says: '{problem}',
    todo: 'Nézze meg az érzékelők beállításait a konzolban (Eszközök, Érzékelők).',
  },
  'display.ok': { says: 'mutatja a szövegét' },
  'display.none': { says: 'ennek az átjárónak nincs kijelzője' },
  'display.fault': {
    says: 'nem mutatja a szövegét: {problem}',
    todo: 'Van árama és hálózata? Az átjáró percenként magától újra próbálja.',
  },
  'display.waiting': {
    says: 'még nem vett át szöveget',
    todo: 'Várjon egy percet. Ha akkor sem mutat semmit, nézze meg a címét a konzolban (Kijelzők).',
  },
};
