/** A lot is made, changed or deleted. */
import { parseUpdateHours } from '../../../shared/update-hours.js';
import { words } from './browser.js';
import { Editor } from './editor.js';
import { missing, worded } from './fields.js';
import { countsOfLot, type SetupFormProps, timezoneOptions, wholeFault } from './setup-fields.js';
import { loadAll, type Lot } from './store.js';

const OFFLINE_EXITS = ['open', 'deny'] as const;
const AUTONOMY_DAYS = { least: 7, most: 366 };

const lotFormOf = (lot: Lot | null) => ({
  name: lot?.name ?? '',
  address: lot?.address ?? '',
  timezone: lot?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  offline_exit: String(lot?.offline_exit ?? OFFLINE_EXITS[0]),
  autonomy_days: String(lot?.autonomy_days ?? 31),
  update_hours: lot?.update_hours ?? '',
});

/** @param props.lot that is changed; left out: a new one is made */
export function LotForm({ lot, onClose }: { lot?: Lot; onClose: SetupFormProps['onClose'] }) {
  const say = words.setup;
  return (
    <Editor
      list="/v2/lots"
      thing={lot}
      title={lot?.name ?? say.lot}
      draft={`lot-${lot?.id ?? 'new'}`}
      formOf={lotFormOf}
      faultsOf={({ name, autonomy_days, update_hours }) => ({
        ...missing('name', name),
        ...wholeFault('autonomy_days', autonomy_days, AUTONOMY_DAYS),
        ...(update_hours === '' || parseUpdateHours(update_hours) !== null
          ? {}
          : { update_hours: words.updates.hoursWrong }),
      })}
      bodyOf={({ offline_exit, autonomy_days, update_hours, ...form }) => ({
        ...form,
        offline_exit: OFFLINE_EXITS.find((each) => each === offline_exit) ?? OFFLINE_EXITS[0],
        autonomy_days: Number(autonomy_days),
        update_hours: update_hours === '' ? null : update_hours,
      })}
      after={loadAll}
      onClose={onClose}
      remove={lot && { title: words.admin.deleteTitle(lot.name), what: say.deleteLot(...countsOfLot(lot)) }}
    >
      {({ form, field, choice }) => (
        <>
          {field('name', words.forms.name)}
          {field('address', words.forms.address, { hint: words.forms.optional })}
          {choice('timezone', say.timezone, timezoneOptions(form.timezone))}
          <div class="pair">
            {choice('offline_exit', say.offlineExit, worded(say.offlineExits, OFFLINE_EXITS))}
            {field('autonomy_days', say.autonomyDays, { inputmode: 'numeric', hint: say.autonomyDaysHint })}
          </div>
          {field('update_hours', words.updates.hours, { hint: words.updates.hoursHint })}
        </>
      )}
    </Editor>
  );
}
