/** What the console says in Hungarian of a gateway's look at itself, and of its reset. */
import type { GatewayCareWords } from '../en/gateway-care.js';

export const GATEWAY_CARE_WORDS: GatewayCareWords = {
  doctor: {
    states: { needsYou: 'Önre vár', unknown: 'Nem ismert', ok: 'Rendben' },
    counted: (state, n) => `${state}: ${n}`,
    looked: (at, age) => `Vizsgálat: ${at}, azóta eltelt ${age}`,
    was: (age) => `rendben volt, azóta eltelt ${age}`,
    notLooked: 'nem volt vizsgálható',
    old: 'A jelentés régi, ezért ami akkor rendben volt, nem ismertként látható. Következő lépés: „Jelentés kérése”.',
    alone:
      'Az átjáró nem kapcsolódik, ezért ami akkor rendben volt, most nem ismert. Következő lépés: nézzen utána a tápellátásának és a hálózatának; az eszköz saját lapja hálózat nélkül is megvizsgálja.',
    notLookedNext:
      'Következő lépés: kérjen még egy jelentést. Ha így marad, nyissa meg az eszköz saját lapját, amely többet tud megvizsgálni.',
    noStep: 'Erre senki sem ismer teendőt. Következő lépés: a lap, amely az eredmény neve mögött van.',
    okNext: 'Nincs teendő.',
  },
  reset: {
    button: 'Visszaállítás',
    title: (name) => `Visszaállítás: ${name}?`,
    intro:
      'A visszaállítás végleg elveszi az eszközt ettől az átjárótól: mostantól a szolgáltatás nem engedi be, és amikor legközelebb jelentkezik, akár hetek múlva is, törli magát.',
    lostTitle: 'Elvész',
    lost: [
      'Az eszközön: az azonosítója, a rendszámok, képek, kulcsok és beállítások.',
      'Amit rögzített, de még nem küldött el: leolvasások, parkolások, nyitások, képek.',
      'A csatlakoztatása: amit csak ez az átjáró ér el, nem nyílik sem rendszámra, sem innen.',
    ],
    keptTitle: 'Megmarad',
    kept: [
      'Itt: az átjáró a nevével, a sorompók, kapuk, kamerák, tagok, tarifák, és minden, amit elküldött.',
      'A kulccsal rendelkező telefonok ugyanúgy nyitják a sorompókat és kapukat, csak Bluetoothon.',
      'Az eszköz szoftvere, és a legrégebbi verzió, amelyet elfogad.',
    ],
    onSiteTitle: 'Helyszíni személy',
    onSite: [
      'Magához a visszaállításhoz senki sem kell.',
      'Ahhoz, hogy a sorompók újra működjenek, valakinek az eszköznél kell lennie, vagy másikat kell vinnie: az kapja meg az átjáró új csatlakoztatási kódját.',
      'Az eszköznek küldő kameráknak utána új cím kellhet (Eszközök, Kamerák).',
    ],
    nothingWaits: 'Utolsó közlése szerint semmi sem vár az eszközön.',
    waiting: (n) => `Az eszközön vár, és elvész: ${n} rekord, utolsó közlése szerint.`,
    waitingUnknown: 'Nem ismert, mennyi vár az eszközön: nem közölte, vagy nem kapcsolódik.',
    queueOf: (n, age) =>
      `${n} rekord várt az eszközön, azóta eltelt ${age}. Nem kapcsolódik, ezért most több is lehet; mind elvész.`,
    type: (name) => `A folytatáshoz írja be a nevet: ${name}`,
    wrong: 'Nem ez a neve.',
    yes: 'Átjáró visszaállítása',
    done: (name) => `${name}: már nincs eszköze. Eszközre és új csatlakoztatási kódra vár.`,
  },
};
