/** What the console says in German on a wall. */
import type { KioskWords } from '../en/kiosk.js';

export const KIOSK_WORDS: KioskWords = {
  allLots: 'Alle Parkplätze',
  free: 'frei',
  full: 'voll',
  occupied: 'belegt',
  inside: (count) => (count === null ? 'drinnen: nicht bekannt' : `${count} drinnen`),
  ofSpots: (spots) => `von ${spots}`,
  noLimit: 'unbegrenzt',
  notKnown: 'nicht bekannt',
  gates: 'Schranken und Tore',
  noGates: 'keine',
  passages: 'Letzte Fahrzeuge',
  noPassages: 'noch keine',
  troubles: 'Braucht jemanden',
  calm: 'Alles funktioniert.',
  unsure: 'Ob alles funktioniert, ist nicht bekannt.',
  more: (count) => `und ${count} weitere`,
  asOf: (time) => `Stand ${time}`,
  lost: (time) => `Keine Verbindung: alles hier ist vom Stand ${time}`,
  noLot: 'Diesen Parkplatz gibt es hier nicht, oder Sie dürfen ihn nicht sehen.',
  noLots: 'Es gibt noch keinen Parkplatz.',
  passable: (count, all) => `${count} von ${all} offen`,
};
