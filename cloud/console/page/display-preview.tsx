/** What a display would show with so many vehicles, at a time: asked of the service as the number is moved. */
import { useEffect, useId } from 'preact/hooks';
import { momentAt } from '../wording/lot-time.js';
import { ownTimezone, words } from './browser.js';
import { useDraft } from './draft.js';
import { type Display, SignText, zonesCountedBy } from './display-sign.js';
import { Refused } from './parts.js';
import { client } from './session.js';
import { timezoneOfLot } from './store.js';
import { useRead } from './use-read.js';
import { LotTimeField } from './fields.js';

/** Of a zone whose number of places is not limited. */
const USUAL_SPOTS = 100;

interface Asked {
  /** Empty: as many as are inside now. */
  count: string;
  at: string;
}

/** @param props.round another one: rules or counts may have changed. @param props.onRule is told the rule that decides */
export function DisplayPreview(props: { display: Display; round: number; onRule: (id: number | null) => void }) {
  const { display, round, onRule } = props;
  const { id } = display;
  const [asked] = useDraft<Asked>(`display-preview-${id}`, { count: '', at: '' });
  const { count, at } = asked.value;
  const field = useId();
  const counted = zonesCountedBy(display);
  const spots = counted.reduce((sum, { spot_count }) => sum + spot_count, 0) || USUAL_SPOTS;
  const inside = counted.reduce((sum, { occupied_count }) => sum + occupied_count, 0);
  const timezone = timezoneOfLot(display.lot_id) ?? ownTimezone;
  const moment = momentAt(at, timezone);
  const body = {
    ...(count === '' ? {} : { occupied_count: Number(count) }),
    ...(moment === null ? {} : { at: moment }),
  };
  const read = useRead(JSON.stringify([body, round, inside]), (signal) =>
    client().post('/v2/rgb-displays/{id}/preview', { path: { id }, body, signal }),
  );
  const found = read.found;
  const rule = found?.rule_id ?? null;
  useEffect(() => onRule(rule), [rule]);
  const say = words.displays;
  return (
    <section class="preview" aria-label={say.preview}>
      <h3>{say.preview}</h3>
      <div class="preview-line">
        <div class="field">
          <label for={field}>
            {say.vehicles}: <output class="count">{count === '' ? inside : count}</output>
          </label>
          <input
            id={field}
            type="range"
            min={0}
            max={Math.ceil(spots * 1.1)}
            value={count === '' ? inside : count}
            onInput={(event) => (asked.value = { ...asked.value, count: event.currentTarget.value })}
          />
        </div>
        <LotTimeField
          label={say.at}
          timezone={timezone}
          hint={words.forms.emptyNow}
          value={at}
          onValue={(value) => (asked.value = { ...asked.value, at: value })}
        />
      </div>
      <Refused refusal={read.refusal} onAgain={read.again} />
      {found !== null && (
        <div aria-live="polite">
          <SignText text={found.text} label={say.wouldShow} />
          {rule === null && <p class="facts">{say.byNoRule}</p>}
        </div>
      )}
    </section>
  );
}
