/** Takes gateways' reports of what they know of products and cameras, and tells of each in every report (specification, "lot_change"). */
import { every, type Clock } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { type GatewayReport, gatewayReportSchema, type ProductReport } from '../../shared/uplink.js';
import type { Pairings } from '../command/pairings.js';
import { applyCameraReport } from '../lpr/camera-reports.js';
import type { CloudStore, Db, EventRecorder } from '../store/cloud-store.js';
import { createGroupedChanges } from '../store/grouped-changes.js';
import { findGatewayByUuid, saveGatewaySeen, type GatewayRow } from '../store/queries/gateways.js';
import { productViewsOfLot, saveProductOffline, saveProductsSeen, staleProducts } from '../store/queries/products.js';
import { decideReportedState } from './decide-reported-state.js';
import type { ProductView } from './lot-change-payload.js';
import type { ProductSightings } from './product-sightings.js';
import { recordReportPair, saveReportedState, type SavedState } from './reported-state.js';

export interface ProductReports {
  take(uuid: GatewayUuid, payload: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface ProductReportsDeps {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  sightings: ProductSightings;
  /** PRODUCT_SEEN_WITHIN_MS: a product that no gateway reports for so long is offline. */
  seenWithinMs: number;
  /** Whether an advertisement proves that the product holds a key it was offered: then it is paired with it. */
  adoptSeen?: Pairings['adoptSeen'];
  /** A product of this lot was paired so, and that is committed. */
  onPaired?: (lot: { lot_id: number }) => void;
}

const STALE_CHECK_MS = 30_000;

export function createProductReports(deps: ProductReportsDeps): ProductReports {
  const { store, clock, logger } = deps;
  const changes = createGroupedChanges(store);
  let checking: Promise<void> = Promise.resolve();

  const timer = every({
    clock,
    periodMs: STALE_CHECK_MS,
    work: () => (checking = store.change((tx, events) => markStaleOffline(deps, tx, events))),
    onError: (error) => logger.error({ error }, 'products that nobody reports could not be marked offline'),
  });

  return {
    async take(uuid, payload) {
      const parsed = gatewayReportSchema.safeParse(payload);
      if (!parsed.success) {
        logger.warn({ uuid, reason: parsed.error.issues[0]?.message }, 'report of a gateway cannot be read');
        return;
      }
      const pairedLot = await changes.change((tx, events) =>
        applyReport(deps, { tx, events, uuid, report: parsed.data }),
      );
      if (pairedLot !== null) deps.onPaired?.(pairedLot);
    },
    async close() {
      timer.cancel();
      await checking.catch(() => {});
    },
  };
}

interface ReportWork {
  tx: Db;
  events: EventRecorder;
  uuid: GatewayUuid;
  report: GatewayReport;
}

/** Answers the lot when a product of it was found to be paired anew. */
async function applyReport(
  deps: ProductReportsDeps,
  { tx, events, uuid, report }: ReportWork,
): Promise<{ lot_id: number } | null> {
  const { products, cameras } = report;
  const now = deps.clock.now();
  const gateway = await findGatewayByUuid(tx, uuid);
  if (gateway === undefined) return null;
  await saveGatewaySeen(tx, { id: gateway.id, now });
  if (gateway.lot_id === null) return null;
  const { lot_id } = gateway;
  const product_ids = products.map(({ product_id }) => product_id);
  const views = await productViewsOfLot(tx, { lot_id, product_ids });
  const seen: number[] = [];
  let isPaired = false;
  for (const reported of products) {
    const view = views.get(reported.product_id);
    if (view?.product.device_id !== reported.device_id || view.product.account_id !== gateway.account_id) {
      deps.logger.debug({ uuid, product_id: reported.product_id }, 'reported product is not of the lot');
      continue;
    }
    if (reported.status === 'online') seen.push(reported.product_id);
    isPaired = (await applyUnproven(deps, { tx, gateway, view, report: reported })) || isPaired;
    const after = await applyProduct(deps, { tx, gateway, view, report: reported, now });
    await recordReportPair(events, after);
  }
  await saveProductsSeen(tx, { ids: seen, seen_at: now });
  if (cameras !== undefined) {
    const reporter = { id: gateway.id, account_id: gateway.account_id, lot_id };
    await applyCameraReport({ tx, events, logger: deps.logger, gateway: reporter, cameras, now });
  }
  return isPaired ? { lot_id } : null;
}

/** Whether the product proves to hold a key that it was offered. */
async function applyUnproven(
  deps: ProductReportsDeps,
  work: { tx: Db; gateway: GatewayRow; view: ProductView; report: ProductReport },
): Promise<boolean> {
  const { tx, gateway, view, report } = work;
  if (report.unproven === undefined) return false;
  const { rssi, advertisement_data: advertisement } = report.unproven;
  deps.sightings.sawUnproven(view.product.id, { gateway_id: gateway.id, rssi });
  return deps.adoptSeen === undefined ? false : deps.adoptSeen(tx, { product: view.product, advertisement });
}

async function applyProduct(
  deps: ProductReportsDeps,
  work: { tx: Db; gateway: GatewayRow; view: ProductView; report: ProductReport; now: number },
): Promise<SavedState> {
  const { tx, gateway, view, report, now } = work;
  const { sightings } = deps;
  const { id } = view.product;
  if (report.status === 'online') sightings.saw(id, { gateway_id: gateway.id, rssi: report.rssi });
  else sightings.lost(id, gateway.id);
  const decided = decideReportedState(view, report, sightings.recent(id)[0]?.rssi);
  return saveReportedState(tx, { view, decided, now });
}

async function markStaleOffline(deps: ProductReportsDeps, tx: Db, events: EventRecorder): Promise<void> {
  const now = deps.clock.now();
  for (const { id, lot_id } of await staleProducts(tx, now - deps.seenWithinMs)) {
    await saveProductOffline(tx, { id, now });
    if (lot_id === null) continue;
    const view = (await productViewsOfLot(tx, { lot_id, product_ids: [id] })).get(id);
    if (view !== undefined) await recordReportPair(events, { view, isChanged: true });
  }
}
