/** What the console says in Croatian on a wall. */
import type { KioskWords } from '../en/kiosk.js';

export const KIOSK_WORDS: KioskWords = {
  allLots: 'Sva parkirališta',
  free: 'slobodno',
  full: 'puno',
  occupied: 'zauzeto',
  inside: (count) => (count === null ? 'unutra: nije poznato' : `unutra: ${count}`),
  ofSpots: (spots) => `od ${spots}`,
  noLimit: 'bez ograničenja',
  notKnown: 'nije poznato',
  gates: 'Rampe i vrata',
  noGates: 'nema ih',
  passages: 'Posljednja vozila',
  noPassages: 'još ih nema',
  troubles: 'Treba nekoga',
  calm: 'Sve radi.',
  unsure: 'Nije poznato radi li sve.',
  more: (count) => `i još: ${count}`,
  asOf: (time) => `stanje ${time}`,
  lost: (time) => `Nema veze: sve je ovo stanje ${time}`,
  noLot: 'Ovdje nema takvoga parkirališta ili ga ne smijete vidjeti.',
  noLots: 'Još nema nijednoga parkirališta.',
  passable: (count, all) => `otvoreno: ${count} od ${all}`,
};
