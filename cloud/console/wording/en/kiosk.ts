/** What the console says in English on a wall. */
export const KIOSK_WORDS = {
  allLots: 'All car parks',
  free: 'free',
  full: 'full',
  occupied: 'taken',
  inside: (count: number | null) => (count === null ? 'inside: not known' : `${count} inside`),
  ofSpots: (spots: number) => `of ${spots}`,
  noLimit: 'no limit',
  notKnown: 'not known',
  gates: 'Barriers and gates',
  noGates: 'none',
  passages: 'Last vehicles',
  noPassages: 'none yet',
  troubles: 'Needs somebody',
  calm: 'Everything works.',
  unsure: 'Whether everything works is not known.',
  more: (count: number) => `and ${count} more`,
  asOf: (time: string) => `as of ${time}`,
  lost: (time: string) => `No connection: all of this is as of ${time}`,
  noLot: 'There is no such car park here, or it is not yours to see.',
  noLots: 'There is no car park yet.',
  passable: (count: number, all: number) => `${count} of ${all} open`,
};

export type KioskWords = typeof KIOSK_WORDS;
