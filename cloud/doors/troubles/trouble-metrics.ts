/** Measures how many things need a person. */
import type { Clock } from '../../../shared/clock.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { addKindGauge, type DatabaseGaugeDeps } from '../../kernel/measure/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { countTroubles } from './count-troubles.js';

export function measureTroubles(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: Pick<Clock, 'now'> },
): void {
  addKindGauge(deps, () => countTroubles(store.reader, deps.clock.now()), {
    name: 'parking_troubles',
    help: 'What needs a person, by kind, of all accounts; of the kind awaited, what was only just set up',
    // It looks through every gateway.
    freshMs: MINUTE_MS,
  });
}
