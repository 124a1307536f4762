import type { Migration } from 'kysely';
import { up as first } from './0001-first.js';
import { up as commandsAndPlaces } from './0002-commands-and-places.js';
import { up as autocloseSetting } from './0003-autoclose-setting.js';
import { up as records } from './0003-records.js';
import { up as sessionPayments } from './0003-session-payments.js';
import { up as webhooks } from './0004-webhooks.js';
import { up as weblinkEvents } from './0004-weblink-events.js';
import { up as sessionIndices } from './0005-session-indices.js';
import { up as pendingPairings } from './0006-pending-pairings.js';
import { up as refinements } from './0006-refinements.js';

/** In the order of their names. One that was released is never changed: the next one changes what it made. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-first': { up: first },
  '0002-commands-and-places': { up: commandsAndPlaces },
  '0003-autoclose-setting': { up: autocloseSetting },
  '0003-records': { up: records },
  '0003-session-payments': { up: sessionPayments },
  '0004-webhooks': { up: webhooks },
  '0004-weblink-events': { up: weblinkEvents },
  '0005-session-indices': { up: sessionIndices },
  '0006-pending-pairings': { up: pendingPairings },
  '0006-refinements': { up: refinements },
};
