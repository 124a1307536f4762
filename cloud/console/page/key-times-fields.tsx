/** From when until when a key opens, by the clocks of the lot where it does. */
import { type KeyTimes, startInput } from '../wording/key-times.js';
import { commonTimezone, words } from './browser.js';
import { productOf, products, timezoneOfLot } from './store.js';
import { LotTimeField } from './fields.js';

/** Of the lots of these products; where their clocks show different times, the browser's. @param ids none: of all products */
export function timezoneOfProducts(ids: readonly string[]): string {
  const chosen = ids.length === 0 ? products.value : ids.map((id) => productOf(Number(id)));
  return commonTimezone(chosen.map((product) => timezoneOfLot(product?.lot_id)));
}

export function KeyTimesFields(props: {
  times: KeyTimes;
  timezone: string;
  set: (changed: { start: string } | { end: string }) => void;
  faults: { start_time?: string; end_time?: string };
}) {
  const { times, timezone, set, faults } = props;
  return (
    <div class="pair">
      <LotTimeField
        label={words.forms.from}
        timezone={timezone}
        value={startInput(times, timezone)}
        onValue={(start) => set({ start })}
        fault={faults.start_time}
      />
      <LotTimeField
        label={words.forms.until}
        timezone={timezone}
        hint={words.keys.endHint}
        value={times.end}
        onValue={(end) => set({ end })}
        fault={faults.end_time}
      />
    </div>
  );
}
