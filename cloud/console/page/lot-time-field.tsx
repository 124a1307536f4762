/** A time at a lot, typed by the lot's clocks. Where the person's show another time, the field says whose are meant. */
import { showSame } from '../wording/lot-time.js';
import { ownTimezone, words } from './browser.js';
import { Field } from './parts.js';

export function LotTimeField(props: {
  label: string;
  /** As `<input type=datetime-local>` has it. */
  value: string;
  onValue: (value: string) => void;
  timezone: string;
  fault?: string | undefined;
  hint?: string;
}) {
  const { timezone, hint, ...field } = props;
  const whose = showSame(Date.now(), timezone, ownTimezone) ? undefined : words.forms.lotTime(timezone);
  const said = [hint, whose].filter((each) => each !== undefined).join(' ');
  return <Field {...field} type="datetime-local" hint={said} />;
}
