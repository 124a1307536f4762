/** What a row of any list of stays shows. */
import type { ComponentChildren } from 'preact';
import { spanOf } from '../wording/sentences.js';
import { moneyOf, timeOf, words } from './browser.js';
import { Picture } from './picture.js';
import type { Column, RowTableOf } from './row-table.js';
import { plateOf, shownPlateOf } from './session-plates.js';
import { isOverstay, SessionDetails, stayedMs } from './session-rows.js';
import { pictureOf, renewStay } from './stay-pictures.js';
import { type Session, timezoneOf, zoneName } from './store.js';

const say = words.sessions;

const by =
  (valueOf: (session: Session) => string | number) =>
  (a: Session, b: Session): number => {
    const [left, right] = [valueOf(a), valueOf(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };

/** The service writes all times alike: of thousands the texts are compared far sooner than the times. */
const byEntry = by(({ created_at }) => created_at);

const timeAt = (iso: string, { zone_id }: Session) => timeOf(iso, timezoneOf(zone_id));

/** The columns of a list of stays: of those that are open, or of all. */
function columnsOf(isOpenOnly: boolean): Column<Session>[] {
  /** A list that the service sorts is sorted by what the service knows to sort by. */
  const own = (compare: (a: Session, b: Session) => number, isDownFirst: boolean) =>
    isOpenOnly ? { sort: { isDownFirst, compare } } : {};
  const both = (compare: (a: Session, b: Session) => number) => ({
    sort: isOpenOnly ? { isDownFirst: true, compare } : { isDownFirst: true },
  });
  const left: Column<Session> = {
    key: 'left',
    head: say.left,
    // Beside an open row there is no room for it, and the row says it.
    look: 'col-time col-left',
    cell: (session) => (session.ended_at === null ? '' : timeAt(session.ended_at, session)),
    ...both(by(({ ended_at }) => ended_at ?? '')),
  };
  return [
    { key: 'picture', head: words.rows.picture, look: 'col-pic', cell: (session) => <StayPicture session={session} /> },
    { key: 'plate', head: words.forms.plate, look: 'col-id', cell: shownPlateOf, ...own(by(plateOf), false) },
    {
      key: 'entered',
      head: say.entered,
      look: 'col-time',
      cell: (session) => timeAt(session.created_at, session),
      ...both(byEntry),
    },
    ...(isOpenOnly ? [] : [left]),
    {
      key: 'stayed',
      head: say.stayed,
      look: 'col-num',
      cell: (session) => spanOf(stayedMs(session) / 1000, words),
      ...both((a, b) => byEntry(b, a)),
    },
    {
      key: 'due',
      head: say.due,
      look: 'col-num',
      cell: ({ amount_due, currency }) => moneyOf(amount_due, currency),
      ...own(
        by(({ amount_due }) => amount_due),
        true,
      ),
    },
    {
      key: 'paid',
      head: say.paid,
      look: 'col-num',
      cell: ({ amount_paid, currency }) => (amount_paid > 0 ? moneyOf(amount_paid, currency) : ''),
      ...both(by(({ amount_paid }) => amount_paid)),
    },
    {
      key: 'zone',
      head: words.forms.zone,
      look: 'col-minor',
      cell: ({ zone_id }) => zoneName(zone_id),
      ...own(
        by(({ zone_id }) => zoneName(zone_id)),
        false,
      ),
    },
    {
      key: 'state',
      head: words.forms.status,
      look: 'col-said',
      cell: (session) => <Tags session={session} isOpenOnly={isOpenOnly} />,
    },
  ];
}

function StayPicture({ session }: { session: Session }) {
  const { url, plate } = pictureOf(session);
  return <Picture url={url} alt="" isSmall plate={plate} onEnded={() => renewStay(session.id)} />;
}

/** What is to be known of a stay. Whether it may have left is a question of those that have not ended. */
function Tags({ session, isOpenOnly }: { session: Session; isOpenOnly: boolean }) {
  const isOpen = session.ended_at === null;
  return (
    <span class="tags">
      {isOpen && !isOpenOnly && <span class="tag good">{say.statuses.open}</span>}
      {isOverstay(session) && <span class="tag bad">{say.overstay}</span>}
      {isOpen && session.possibly_exited === true && <span class="tag warn">{say.maybeGone}</span>}
      {session.overpaid > 0 && (
        <span class="tag warn">
          {say.overpaid} {moneyOf(session.overpaid, session.currency)}
        </span>
      )}
    </span>
  );
}

/** @param more what a view adds to an open stay */
export const sessionTable = (
  isOpenOnly: boolean,
  more?: (session: Session) => ComponentChildren,
): RowTableOf<Session> => ({
  name: 'session',
  label: isOpenOnly ? words.views.inside : words.views.sessions,
  columns: columnsOf(isOpenOnly),
  // Who has been inside for longest is looked for, and of all stays the last ones.
  usual: { by: 'entered', isDown: !isOpenOnly },
  look: (session) => `stay ${isOverstay(session) ? 'bad' : ''}`,
  title: shownPlateOf,
  details: (session) => <SessionDetails session={session} more={more} />,
});
