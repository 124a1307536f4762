/** The plates of a stay, as they are shown. */
import { words } from './browser.js';
import { type AskedPlates, shownPlate } from './plate-mask.js';
import type { Session } from './records.js';

export const plateOf = ({ entry_license_plate, exit_license_plate }: Session): string =>
  entry_license_plate?.plate ?? exit_license_plate?.plate ?? words.sessions.noPlate;

/** What is shown of its plate. */
export const shownPlateOf = (session: Session): string =>
  platesOf(session).length === 0 ? words.sessions.noPlate : shownPlate(plateOf(session));

/** Those of entry and exit, which may differ. */
const platesOf = ({ entry_license_plate, exit_license_plate }: Session): string[] =>
  [entry_license_plate, exit_license_plate].flatMap((side) => (side === null ? [] : [side.plate]));

/** What is asked of the service to see a stay's plates. */
export const askedOf = (session: Session): AskedPlates => ({
  of: { list: 'sessions', id: session.id },
  plates: platesOf(session),
});
