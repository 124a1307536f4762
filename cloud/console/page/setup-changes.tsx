/** Leads to what stands in a lot, to change it. The forms for it come when somebody looks. */
import { useSignal } from '@preact/signals';
import { words } from './browser.js';
import { lazyView } from './lazy-views.js';
import type { Lot } from './store.js';

const SetupThings = lazyView(async () => (await import('./setup-things.js')).SetupThings);

export function SetupChanges({ lot }: { lot: Lot }) {
  const isOpen = useSignal(false);
  return (
    <details class="others" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary aria-label={`${words.setup.change}: ${lot.name}`}>{words.setup.change}</summary>
      {isOpen.value && <SetupThings lot={lot} />}
    </details>
  );
}
