/** Who gives a command, and for whom it opens. */
import type { OpeningCause } from '../../../shared/opening-words.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Tx } from '../../kernel/store/entry.js';
import { nameOfCaller } from '../../site/entry.js';

/** The giver of a command. A vehicle that it answers counts as let in by that person when the product has opened. */
export interface Giver {
  by?: Caller;
  /** Whoever has this link. */
  link?: { name: string; isOfKey: boolean };
}

/** The vehicle that a command answers. */
export interface AnsweredVehicle {
  plate_reading_id?: number | undefined;
  plate_sighting_id?: number | undefined;
}

export interface Given extends Giver {
  answers?: AnsweredVehicle;
  isEmergency: boolean;
}

/** The columns of a command that say who gives it, and for whom. */
export async function givenColumns(tx: Tx, { answers = {}, by, link, isEmergency }: Given) {
  const { plate_reading_id = null, plate_sighting_id = null } = answers;
  const given_by = by === undefined ? link?.name || null : await nameOfCaller(tx, by);
  return { plate_reading_id, plate_sighting_id, given_by, cause: isEmergency ? 'emergency' : causeOf({ by, link }) };
}

function causeOf({ by, link }: { [Each in keyof Giver]: Giver[Each] | undefined }): OpeningCause {
  if (link !== undefined) return link.isOfKey ? 'key' : 'weblink';
  return by?.kind === 'api' ? 'token' : 'person';
}
