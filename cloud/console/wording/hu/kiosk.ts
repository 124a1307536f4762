/** What the console says in Hungarian on a wall. */
import type { KioskWords } from '../en/kiosk.js';

export const KIOSK_WORDS: KioskWords = {
  allLots: 'Minden parkoló',
  free: 'szabad',
  full: 'megtelt',
  occupied: 'foglalt',
  inside: (count) => (count === null ? 'bent: nem ismert' : `${count} bent`),
  ofSpots: (spots) => `/ ${spots}`,
  noLimit: 'nincs korlát',
  notKnown: 'nem ismert',
  gates: 'Sorompók és kapuk',
  noGates: 'nincs',
  passages: 'Utolsó járművek',
  noPassages: 'még nem volt',
  troubles: 'Beavatkozást kíván',
  calm: 'Minden működik.',
  unsure: 'Nem ismert, minden működik-e.',
  more: (count) => `és még ${count}`,
  asOf: (time) => `állapot ekkor: ${time}`,
  lost: (time) => `Nincs kapcsolat: mindez ekkori állapot: ${time}`,
  noLot: 'Itt nincs ilyen parkoló, vagy Ön nem láthatja.',
  noLots: 'Még nincs parkoló.',
  passable: (count, all) => `${count} / ${all} nyitva`,
};
