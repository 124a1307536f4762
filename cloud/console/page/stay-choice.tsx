/** A choice among the open stays of a lot: of many, only those with the most similar plates are listed. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { mostAlike } from '../wording/alike-plates.js';
import { timeOf, words } from './browser.js';
import { plateOf, shownPlateOf } from './session-plates.js';
import { type Session, timezoneOf } from './store.js';
import { Choice, Field } from './fields.js';

/** More are no list to choose from. */
const SHOWN_MAX = 50;

/** @param props.alike the plate that the stay may have been taken under */
export function StayChoice(props: {
  label: string;
  stays: readonly Session[];
  alike: string;
  value: string;
  onValue: (id: string) => void;
  fault?: string | undefined;
}) {
  const { stays, alike, ...choice } = props;
  const part = useSignal('');
  const isLong = stays.length > SHOWN_MAX;
  // Not with every vehicle that comes: to compare thousands of plates takes a while.
  const found = useMemo(
    () => mostAlike(stays, { plateOf, plate: part.value.trim() === '' ? alike : part.value, most: SHOWN_MAX }),
    [part.value, alike, isLong],
  );
  const shown = isLong ? found : stays;
  // The chosen stay remains in the list when the search changes.
  const chosen = stays.find(({ id }) => String(id) === choice.value);
  const listed = chosen === undefined || shown.includes(chosen) ? shown : [chosen, ...shown];
  return (
    <>
      {isLong && (
        <Field
          label={words.stays.findStay}
          hint={words.stays.someStays(shown.length, stays.length)}
          value={part.value}
          onValue={(value) => (part.value = value)}
        />
      )}
      <Choice
        {...choice}
        options={[
          { value: '', text: words.stays.chooseStay },
          ...listed.map((each) => ({
            value: String(each.id),
            text: `${shownPlateOf(each)} · ${timeOf(each.created_at, timezoneOf(each.zone_id))}`,
          })),
        ]}
      />
    </>
  );
}
