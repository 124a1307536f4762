/** What the console says in Croatian of what the browser tells while nobody looks at the page. */
import type { BrowserAlertWords } from '../en/browser-alerts.js';

export const BROWSER_ALERT_WORDS: BrowserAlertWords = {
  title: 'Dojave ovoga preglednika',
  what: 'Dok je konzola otvorena u ovom pregledniku, u kojoj god kartici, može vam javiti što se događa, i kad gledate nešto drugo. To čini samo jedna kartica, jednom za svaki događaj, a nijedna za ono što upravo imate pred sobom.',
  notice: 'Prikazuj obavijesti',
  sound: 'Oglasi se zvukom',
  tryIt: 'Isprobaj',
  tried: 'Ovako to izgleda i zvuči.',
  kinds: {
    waits: 'Vozilo čeka',
    trouble: 'Nastala je smetnja',
    plate: 'Pročitana je praćena registracija',
    emergency: 'Nastala je opasnost',
  },
  ofAccount: 'Račun, primjerice e-pošta i webhookovi',
  kindOf: (kind, lot) => `${kind}: ${lot}`,
  permission: {
    default: 'Preglednik još ne smije prikazivati obavijesti. Pitat će kad odaberete „Prikazuj obavijesti”.',
    denied:
      'Preglednik odbija obavijesti ove stranice jer ih je netko odbio. Ponovno ih dopustite znakom ispred adrese (Obavijesti: Dopusti) i učitajte stranicu iznova. Zvuk radi i bez toga.',
    unsupported:
      'Ovaj preglednik ne prikazuje obavijesti ove stranice: prestar je ili adresa ne počinje s https. Zvuk radi i bez toga.',
    failed: 'Ovaj preglednik prima obavijesti samo od instaliranih aplikacija. Zvuk radi i bez toga.',
  },
  silent: 'Preglednik drži stranicu tihom dok u njoj jednom ne kliknete ili nešto ne upišete.',
  closed:
    'Kad nijedna kartica konzole nije otvorena ili kad ste odjavljeni, ne javlja se ništa: za to postoje dojave registracija e-poštom i webhookovi.',
  vehicle: (plate, where) => `${plate} čeka: ${where}`,
  vehicleUnread: (where) => `Vozilo bez čitljive registracije čeka: ${where}`,
  plate: (alert, plate, where) => `${alert}: ${plate}, ${where}`,
  emergency: (by) => `${by} otvara sve`,
  somewhere: 'kamera',
  sample: 'Ovo je proba',
  sampleText: 'AB 123 CD čeka: kamera na ulazu',
};
