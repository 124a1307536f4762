/** Applies gateways' reports of products, cameras and parking gateways: each report of the first two sends an event for each of them (specification, "lot_change"). */
import { createBoundedLog } from '../../shared/bounded-log.js';
import { every, type Clock } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { type GatewayReport, gatewayReportSchema, type ProductReport } from '../../shared/uplink-reports.js';
import type { Pairings } from '../pairing/pairings.js';
import { applyCameraReport } from '../camera/camera-reports.js';
import { applyParkingGatewayReport } from '../sensor/parking-gateway-reports.js';
import type { CloudStore, Db, Tx } from '../store/cloud-store.js';
import { LOCKS } from '../store/locks.js';
import { createGroupedChanges } from '../store/grouped-changes.js';
import { saveGatewayHealth } from '../gateway/gateway-health-queries.js';
import { findGatewayByUuid, saveGatewaySeen, type GatewayRow } from '../gateway/gateway-queries.js';
import {
  productIdsOfLot,
  productViewsOfLot,
  saveProductOffline,
  saveProductsSeen,
  staleProducts,
} from './product-queries.js';
import { decideReportedState } from './decide-reported-state.js';
import type { ClockCorrections } from './clock-corrections.js';
import type { ProductView } from './lot-change-payload.js';
import type { HeardProduct, RevocationCarrier } from './revocation-carrier.js';
import { pruneSignals, saveSignals, SIGNALS_KEPT_MS } from './signal-queries.js';
import type { ProductReceptions } from './product-receptions.js';
import { journalReportPair, saveReportedState, type SavedState } from './reported-state.js';

export interface ProductReports {
  handleReport(uuid: GatewayUuid, payload: unknown): Promise<void>;
  /** Forgets how well products were heard long ago. */
  prune(): Promise<void>;
  close(): Promise<void>;
}

export interface ProductReportsDeps {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  receptions: ProductReceptions;
  /** PRODUCT_SEEN_WITHIN_MS: a product that no gateway reports for this long is offline. */
  seenWithinMs: number;
  /** Pairs the product if an advertisement proves that it holds a key that it was offered. */
  adoptSeen?: Pairings['adoptSeen'];
  /** Corrects the product's clock if its gateway cannot. */
  corrections?: ClockCorrections;
  /** Has the products that the gateway hears refuse gateways that are gone. */
  revocations?: RevocationCarrier;
}

const STALE_CHECK_MS = 30_000;

export function createProductReports(deps: ProductReportsDeps): ProductReports {
  const { store, clock, logger } = deps;
  const outsiders = createBoundedLog(deps);
  const changes = createGroupedChanges(store);
  let checking: Promise<void> = Promise.resolve();

  const timer = every({
    clock,
    periodMs: STALE_CHECK_MS,
    work: () => (checking = store.change((tx) => markStaleOffline(deps, tx))),
    onError: (error) => logger.error({ err: error }, 'products that nobody reports could not be marked offline'),
  });

  return {
    async handleReport(uuid, payload) {
      // A report says how long ago something was heard: what it waits for its transaction does not count.
      const now = clock.now();
      const parsed = gatewayReportSchema.safeParse(payload);
      if (!parsed.success) {
        outsiders
          .from(uuid)
          .warn({ uuid, reason: parsed.error.issues[0]?.message }, 'report of a gateway cannot be read');
        return;
      }
      await changes.change((tx) => applyReport(deps, { tx, uuid, report: parsed.data, now }));
    },
    async prune() {
      await store.change((tx) => pruneSignals(tx, clock.now() - SIGNALS_KEPT_MS));
    },
    async close() {
      timer.cancel();
      await checking.catch(() => {});
    },
  };
}

interface ReportWork {
  tx: Tx;
  uuid: GatewayUuid;
  report: GatewayReport;
  /** When it arrived, in wall milliseconds. */
  now: number;
}

async function applyReport(deps: ProductReportsDeps, { tx, uuid, report, now }: ReportWork): Promise<void> {
  const { products, cameras, parking_gateways: parkingGateways, health } = report;
  const gateway = await findGatewayByUuid(tx, uuid);
  if (gateway === undefined) return;
  await saveGatewaySeen(tx, { id: gateway.id, now });
  if (health !== undefined) await saveGatewayHealth(tx, { gateway_id: gateway.id, health, now });
  if (gateway.lot_id === null) return;
  const { lot_id } = gateway;
  const reports = new Map(products.map((product) => [product.product_id, product]));
  // Only the lot's products are locked: a gateway may name whatever it likes.
  const product_ids = await productIdsOfLot(tx, { lot_id, product_ids: [...reports.keys()] });
  await tx.lock(...product_ids.map(LOCKS.productState));
  const views = await productViewsOfLot(tx, { lot_id, product_ids });
  if (views.size < reports.size) {
    deps.logger.debug(
      { uuid, gateway_id: gateway.id, lot_id, unknown: reports.size - views.size },
      'reported products are not of the lot',
    );
  }
  const seen: HeardProduct[] = [];
  const heard: { product_id: number; rssi: number }[] = [];
  for (const reported of reports.values()) {
    const view = views.get(reported.product_id);
    if (view?.product.device_id !== reported.device_id || view.product.account_id !== gateway.account_id) continue;
    const { product_id, status, rssi } = reported;
    if (status === 'online') seen.push({ product: view.product, report: reported });
    if (status === 'online' && rssi !== null) heard.push({ product_id, rssi });
    await applyUnproven(deps, { tx, gateway, view, report: reported });
    await deps.corrections?.answer(tx, { uuid, product: view.product, report: reported });
    const after = await applyProduct(deps, { tx, gateway, view, report: reported, now });
    journalReportPair(tx, after);
  }
  await deps.revocations?.answer(tx, { uuid, heard: seen });
  await saveProductsSeen(tx, { ids: seen.map(({ product }) => product.id), seen_at: now });
  await saveSignals(tx, { gateway_id: gateway.id, heard, now });
  const reporter = { id: gateway.id, account_id: gateway.account_id, lot_id };
  if (parkingGateways !== undefined) {
    await applyParkingGatewayReport({ tx, logger: deps.logger, gateway: reporter, parkingGateways, now });
  }
  if (cameras !== undefined) {
    await applyCameraReport({ tx, logger: deps.logger, gateway: reporter, cameras, now });
  }
}

/** Pairs the product, if its advertisement proves that it holds a key that it was offered. */
async function applyUnproven(
  deps: ProductReportsDeps,
  work: { tx: Tx; gateway: GatewayRow; view: ProductView; report: ProductReport },
): Promise<void> {
  const { tx, gateway, view, report } = work;
  if (report.unproven === undefined) return;
  const { rssi, advertisement_data: advertisement } = report.unproven;
  deps.receptions.heardUnproven(view.product.id, { gateway_id: gateway.id, rssi });
  await deps.adoptSeen?.(tx, { product: view.product, advertisement });
}

async function applyProduct(
  deps: ProductReportsDeps,
  work: { tx: Db; gateway: GatewayRow; view: ProductView; report: ProductReport; now: number },
): Promise<SavedState> {
  const { tx, gateway, view, report, now } = work;
  const { receptions } = deps;
  const { id } = view.product;
  if (report.status === 'online') receptions.heard(id, { gateway_id: gateway.id, rssi: report.rssi });
  else receptions.lost(id, gateway.id);
  const decided = decideReportedState(view, report, receptions.recent(id)[0]?.rssi);
  return saveReportedState(tx, { view, decided, now });
}

async function markStaleOffline(deps: ProductReportsDeps, tx: Tx): Promise<void> {
  const now = deps.clock.now();
  const stale = () => staleProducts(tx, now - deps.seenWithinMs);
  // The query runs again under the lock, when no report of these products is under way.
  await tx.lock(...(await stale()).map(({ id }) => LOCKS.productState(id)));
  for (const { id, lot_id } of await stale()) {
    await saveProductOffline(tx, { id, now });
    if (lot_id === null) continue;
    const view = (await productViewsOfLot(tx, { lot_id, product_ids: [id] })).get(id);
    if (view !== undefined) journalReportPair(tx, { view, isChanged: true });
  }
}
