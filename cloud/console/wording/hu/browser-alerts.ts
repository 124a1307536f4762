/** What the console says in Hungarian of what the browser tells while nobody looks at the page. */
import type { BrowserAlertWords } from '../en/browser-alerts.js';

export const BROWSER_ALERT_WORDS: BrowserAlertWords = {
  title: 'Ennek a böngészőnek az értesítései',
  what: 'Amíg ebben a böngészőben nyitva van a konzol, bármelyik fülön, értesítheti Önt arról, ami történik, akkor is, ha mást néz. Csak egy fül értesít, mindenről egyszer, és arról nem, ami Ön előtt van.',
  notice: 'Értesítések megmutatása',
  sound: 'Hangjelzés',
  tryIt: 'Kipróbálás',
  tried: 'Így néz ki, és így szól.',
  kinds: {
    waits: 'Jármű várakozik',
    trouble: 'Zavar kezdődött',
    plate: 'Figyelt rendszám leolvasva',
    emergency: 'Vészhelyzet kezdődött',
  },
  ofAccount: 'A fiók, például e-mailek és webhookok',
  kindOf: (kind, lot) => `${kind}: ${lot}`,
  permission: {
    default:
      'A böngészőnek még senki sem engedte, hogy értesítéseket mutasson. Akkor kérdezi meg, amikor az „Értesítések megmutatása” lehetőséget választja.',
    denied:
      'A böngésző elutasítja ennek a lapnak az értesítéseit, mert valaki nemet mondott rájuk. Engedélyezze újra a cím előtti jelnél (Értesítések: engedélyezés), és töltse be újra a lapot. A hangjelzés enélkül is működik.',
    unsupported:
      'Ez a böngésző nem mutatja ennek a lapnak az értesítéseit: túl régi, vagy a cím nem https kezdetű. A hangjelzés enélkül is működik.',
    failed: 'Ez a böngésző csak telepített alkalmazások értesítéseit fogadja. A hangjelzés enélkül is működik.',
  },
  silent: 'A böngésző addig némán tartja a lapot, amíg egyszer nem kattint vagy nem ír benne.',
  closed:
    'Nincs értesítés, ha a konzol egyik fülön sincs nyitva, vagy ha Ön kijelentkezett: arra valók az e-mailes rendszámriasztások és a webhookok.',
  vehicle: (plate, where) => `${plate} várakozik itt: ${where}`,
  vehicleUnread: (where) => `Olvasható rendszám nélküli jármű várakozik itt: ${where}`,
  plate: (alert, plate, where) => `${alert}: ${plate}, itt: ${where}`,
  emergency: (by) => `${by} mindent kinyitott`,
  somewhere: 'egy kamera',
  sample: 'Ez próba',
  sampleText: 'Bejárati kamera: AB CD 123 várakozik',
};
