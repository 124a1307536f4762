/** What the console says in German of what the browser tells while nobody looks at the page. */
import type { BrowserAlertWords } from '../en/browser-alerts.js';

export const BROWSER_ALERT_WORDS: BrowserAlertWords = {
  title: 'Hinweise dieses Browsers',
  what: 'Solange dieser Browser die Konsole offen hat, in welchem Tab auch immer, kann er Sie auf das hinweisen, was geschieht, auch wenn Sie anderswo hinsehen. Das tut nur ein Tab, für jedes Ereignis einmal, und keiner für das, was Sie gerade vor sich haben.',
  notice: 'Mitteilungen zeigen',
  sound: 'Ton abspielen',
  tryIt: 'Ausprobieren',
  tried: 'So sieht es aus und so klingt es.',
  kinds: {
    waits: 'Ein Fahrzeug wartet',
    trouble: 'Eine Störung begann',
    plate: 'Ein beobachtetes Kennzeichen wurde erfasst',
    emergency: 'Ein Notfall begann',
  },
  ofAccount: 'Das Konto, etwa Mails und Webhooks',
  kindOf: (kind, lot) => `${kind}: ${lot}`,
  permission: {
    default: 'Der Browser darf noch keine Mitteilungen zeigen. Er fragt, wenn Sie „Mitteilungen zeigen“ wählen.',
    denied:
      'Der Browser lehnt Mitteilungen dieser Seite ab, weil jemand sie abgelehnt hat. Erlauben Sie sie wieder über das Zeichen vor der Adresse (Benachrichtigungen: Zulassen) und laden Sie die Seite neu. Töne gehen auch so.',
    unsupported:
      'Dieser Browser zeigt keine Mitteilungen dieser Seite: Er ist zu alt, oder die Adresse beginnt nicht mit https. Töne gehen auch so.',
    failed: 'Dieser Browser nimmt Mitteilungen nur von installierten Apps an. Töne gehen auch so.',
  },
  silent: 'Der Browser lässt die Seite stumm, bis Sie einmal in ihr klicken oder tippen.',
  closed:
    'Ist kein Tab der Konsole offen oder sind Sie abgemeldet, wird auf nichts hingewiesen: Dafür gibt es Kennzeichen-Alarme per Mail und Webhooks.',
  vehicle: (plate, where) => `${plate} wartet: ${where}`,
  vehicleUnread: (where) => `Ein Fahrzeug ohne lesbares Kennzeichen wartet: ${where}`,
  plate: (alert, plate, where) => `${alert}: ${plate}, ${where}`,
  emergency: (by) => `${by} hat alles geöffnet`,
  somewhere: 'eine Kamera',
  sample: 'Das ist ein Versuch',
  sampleText: 'AB 123 CD wartet: Kamera an der Einfahrt',
};
