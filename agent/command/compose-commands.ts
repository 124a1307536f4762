/** Composes what is ordered of products: by the cloud, and by people at the gateway itself, also without a network. */
import type { Lane } from '../../shared/uplink.js';
import type { ProductCommander, ProductPairer } from '../product/product-commander.js';
import type { ProductWatch } from '../product/product-watch.js';
import { createAdminRecords } from './admin-records.js';
import type { CloudOrderDeps } from './cloud-orders.js';
import { createLocalOperations, type LocalOperationsDeps } from './local-operations.js';
import { createLotRelease, type LotReleaseDeps } from './lot-release.js';
import { createRemoteCommands } from './remote-commands.js';
import { createRemotePairings } from './remote-pairings.js';

export type CloudOrders = ReturnType<typeof composeCloudOrders>;
export type OnSite = ReturnType<typeof composeOnSite>;

export function composeCloudOrders(
  { store, clock, logger }: Pick<CloudOrderDeps, 'store' | 'clock' | 'logger'>,
  of: Pick<CloudOrderDeps, 'cloudOffsetMs' | 'stamp' | 'onCommitted'> & {
    products: {
      commander: ProductCommander & ProductPairer;
      watch: Pick<ProductWatch, 'noteAdminAnswer'>;
      reporter: { reportSoon(): void };
    };
    newEventId: LotReleaseDeps['newEventId'];
  },
) {
  const { cloudOffsetMs, stamp, newEventId } = of;
  const { commander, watch, reporter } = of.products;
  const onCommitted = (lane: Lane) => {
    of.onCommitted(lane);
    reporter.reportSoon();
  };
  const orders: CloudOrderDeps = { store, clock, cloudOffsetMs, stamp, logger, onCommitted };
  return {
    commands: createRemoteCommands(orders, commander),
    pairings: createRemotePairings(orders, commander),
    adminRecords: createAdminRecords(orders, {
      commander,
      newEventId,
      onDone(device_id, answer) {
        if (answer !== undefined) watch.noteAdminAnswer(device_id, answer);
        reporter.reportSoon();
      },
    }),
  };
}

export function composeOnSite(
  { clock, logger }: Pick<LotReleaseDeps, 'clock' | 'logger'>,
  of: Pick<LotReleaseDeps, 'products' | 'commander' | 'actions' | 'newEventId'> &
    Pick<LocalOperationsDeps, 'product' | 'vehicle' | 'handled' | 'sessions' | 'store'>,
) {
  const { product, products, vehicle, handled, sessions, store, commander, actions, newEventId } = of;
  return {
    localOperations: createLocalOperations({
      product,
      vehicle,
      handled,
      sessions,
      store,
      commander,
      actions,
      clock,
      newEventId,
      logger,
    }),
    lotRelease: createLotRelease({ products, commander, actions, clock, newEventId, logger }),
  };
}
