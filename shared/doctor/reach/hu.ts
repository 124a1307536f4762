import type { ReachWords } from '../doctor-words.js';

export const HU_REACH: ReachWords = {
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
  'network.dead_v6': {
    says: 'az IPv6-címe ({address}) nem válaszol, az IPv4 igen: a kapcsolatok későn kezdődnek',
    todo: 'A hálózat üzemeltetőjének meg kell javítania vagy ki kell kapcsolnia az IPv6-ot.',
  },
  'dns.ok': { says: 'megvan (IPv4: {v4}, IPv6: {v6})' },
  'dns.unneeded': { says: 'a címéhez nem kell név' },
  'dns.failed': {
    says: 'ez a név nem található: {problem}',
    todo: 'Helyes a név? Ha igen, a hálózat üzemeltetőjének meg kell néznie a névkiszolgálóját.',
  },
  'dns.half': {
    says: 'a névkiszolgáló hibázik ({family}): {problem}',
    todo: 'A kapcsolatok lassúak lehetnek. A hálózat üzemeltetője nézze meg a névkiszolgálóját, vagy adjon másikat.',
  },
  'dns.silent': {
    says: 'egyik névkiszolgáló sem válaszol: {servers}',
    todo: 'Ez többnyire az útválasztó: tíz másodpercre válassza le a tápellátásról. Ha tovább hallgat, a hálózatnak másik névkiszolgálót kell adnia.',
  },
  'dns.no_server': {
    says: 'ez az eszköz nem kapott névkiszolgálót',
    todo: 'Húzza ki a hálózati kábelt, és dugja vissza. Ha így marad, az útválasztónak kell névkiszolgálót adnia (DHCP).',
  },
  'dns.no_such_name': {
    says: 'ez a névkiszolgáló azt mondja, nincs ilyen név: {server}',
    todo: 'Helyes a név? Ha igen, rossz a névkiszolgáló: a hálózatnak másikat kell adnia az eszköznek (DHCP).',
  },
  'dns.wrong': {
    says: 'ez a névkiszolgáló rosszul válaszol: {server}; {answer}',
    todo: 'Letiltja ezt a nevet, vagy nem ismeri: a hálózat üzemeltetője engedje a nevet, vagy adjon másik névkiszolgálót (DHCP).',
  },
  'dns.slow': {
    says: 'ez a névkiszolgáló nem válaszol: {servers}; egy másik igen: a kapcsolatok későn kezdődnek',
    todo: 'A hálózat üzemeltetőjének meg kell javítania, vagy csak olyan névkiszolgálót adnia az eszköznek, amely válaszol (DHCP).',
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
  'cloud.proxy': {
    says: 'ez a hálózat jelszavas proxyt kíván (407)',
    todo: 'Az átjáró nem használ proxyt: a hálózat üzemeltetőjének anélkül kell kiengednie az eszközt.',
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
  'certificate.other_name': {
    says: 'a tanúsítványa másnak szól ({name}), ezt várjuk: {expected}',
    todo: 'Az eszközön nincs teendő: a felhő üzemeltetőjének ilyen nevű tanúsítványt kell adnia neki: {expected}.',
  },
  'certificate.foreign': {
    says: 'valaki más válaszol ehelyett: {expected}; a tanúsítványa: {name}; a hálózat bejelentkezőlapja, vagy ami belenéz a kapcsolataiba',
    todo: 'Jelentkeztesse be az eszközt a hálózat lapján, vagy a hálózat üzemeltetője engedje ki anélkül.',
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
};
