/** Composes the updates of the device's software. They begin their work at `start`. */
import type { AccessRules } from '../access/access-rules.js';
import type { ProductWatch } from '../product/product-watch.js';
import type { RadioHealth } from '../product/radio-health.js';
import type { AgentStore } from '../store/agent-store.js';
import { createOfferFinder } from './find-offers.js';
import type { Passage } from './passage.js';
import { createUpdates, type Updates, type UpdatesDeps } from './updates.js';

export function composeUpdates(
  ports: Pick<UpdatesDeps, 'clock' | 'logger'> & {
    updates: Pick<UpdatesDeps, 'installer' | 'directory'>;
    radioHealth(): RadioHealth;
    store: AgentStore;
  },
  of: {
    rules: AccessRules;
    watch: ProductWatch;
    passage: Passage;
    knownTime: UpdatesDeps['knownTime'];
    isOnline(): boolean;
  },
): Updates {
  const { updates, clock, logger, radioHealth, store } = ports;
  const { rules, watch, passage, knownTime, isOnline } = of;
  const { installer, directory } = updates;
  return createUpdates({
    installer,
    directory,
    offers: createOfferFinder({ installer }),
    clock,
    logger,
    wanted: () => rules.gateway()?.updates,
    timezone: () => rules.gateway()?.timezone ?? 'UTC',
    knownTime,
    busy: () => passage.busy({ products: rules.products(), watch }),
    moves: () => passage.moves({ products: rules.products(), watch }),
    decisions: passage.decisions,
    cloud: isOnline,
    radio: () => radioHealth().state === 'on',
    // A disk that is full or cannot be written is not the software's fault: the software before it has the same.
    store: () => !store.health.is_broken,
  });
}
