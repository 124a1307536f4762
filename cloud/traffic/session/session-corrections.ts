/** The sessions of a reading whose plate is corrected, and the one that ends by it. */
import type { ConfigChanged } from '../../rest/entry.js';
import type { PlateCorrections } from '../reading/plate-correction.js';
import { saveReadingSession } from '../reading/reading-queries.js';
import { columnsOfPlate } from './entry-plate.js';
import { changeSession, endSession, findSessionBegunBy } from './session-change-queries.js';
import { endByLetOuts, endStayOfLetOut } from './let-out-queries.js';
import { sourceOf } from './session-changes.js';
import { journalChange } from './session-journal.js';
import { lockOpenSessions } from './session-queries.js';

export const sessionCorrections = ({ configChanged }: { configChanged: ConfigChanged }): PlateCorrections => ({
  /** Gives the session that the reading began the corrected plate, also after the session ended. No event is sent. */
  async corrected(tx, { reading, plate_normalised, now }) {
    const session = await findSessionBegunBy(tx, reading);
    if (session === null) {
      // Another session of the reading shows its plate, too.
      if (reading.session_id !== null) await changeSession(tx, { id: reading.session_id, now, set: {} });
      return;
    }
    const set =
      session.ended_at === null
        ? await columnsOfPlate(tx, session, { plate_normalised, field: 'plate' })
        : { plate_normalised };
    await changeSession(tx, { id: session.id, now, set });
    const { lot_id, created_at } = session;
    if (session.ended_at === null) await endByLetOuts(tx, [{ lot_id, plate_normalised, created_at }], now);
    tx.onCommit(() => configChanged({ lot_id }, ['sessions']));
  },
  async endLetOut(tx, { id, now }) {
    const lot_id = await endStayOfLetOut(tx, { id, now });
    if (lot_id !== null) tx.onCommit(() => configChanged({ lot_id }, ['sessions']));
  },
  async sessionsLeft(tx, { lot_id, plate_normalised, created_at }) {
    const open = await lockOpenSessions(tx, { lot_id, plates_normalised: [plate_normalised] });
    return open.filter((session) => session.created_at < created_at).map(({ id }) => id);
  },
  async endSession(tx, { session_id, exit, caller, now }) {
    const source = sourceOf(caller);
    await endSession(tx, {
      id: session_id,
      ended_at: exit.created_at,
      exit_type: source.type,
      exit_source_id: source.id,
      exit_reading_id: exit.id,
      ended_by_look_alike: false,
      possibly_exited: null,
      now,
    });
    await saveReadingSession(tx, { id: exit.id, session_id });
    await journalChange({ tx, now }, 'session_update', session_id);
    tx.onCommit(() => configChanged({ lot_id: exit.lot_id }, ['sessions']));
  },
});
