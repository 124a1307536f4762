import type { Migration } from 'kysely';
import { up as first } from './0001-first.js';
import { up as commandsAndPlaces } from './0002-commands-and-places.js';
import { up as sessionPaymentsAndIndices } from './0003-session-payments-and-indices.js';

/** In the order of their names. One that was released is never changed: the next one changes what it made. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-first': { up: first },
  '0002-commands-and-places': { up: commandsAndPlaces },
  '0003-session-payments-and-indices': { up: sessionPaymentsAndIndices },
};
