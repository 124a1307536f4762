/**
 * Applies gateways' reports of products, cameras and parking gateways. Each report sends an event for each product and camera in it
 * (specification, "lot_change").
 */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import { every, type Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type GatewayReport, gatewayReportSchema, type ProductReport } from '../../../shared/uplink-reports.js';
import type { Pairings } from '../pairing/pairings.js';
import { saveAnswer } from '../ask/ask-queries.js';
import { applyCameraReport } from '../camera/camera-reports.js';
import { saveShown } from '../display/display-queries.js';
import { applyParkingGatewayReport } from '../sensor/parking-gateway-reports.js';
import { type CloudStore, createGroupedChanges, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { saveDoctorReport } from '../gateway/gateway-doctor-queries.js';
import { saveGatewayHealth } from '../gateway/gateway-health-queries.js';
import { findGatewayByUuid, saveGatewaySeen } from '../gateway/gateway-queries.js';
import {
  productIdsOfLot,
  productViewsOfLot,
  saveProductOffline,
  saveProductsSeen,
  staleProducts,
} from './product-queries.js';
import { decideReportedState } from './decide-reported-state.js';
import type { ClockCorrections } from './clock-corrections.js';
import type { AdminDispatcher } from './admin-dispatcher.js';
import type { ProductView } from './lot-change-event.js';
import { pruneSignals, saveSignals, SIGNALS_KEPT_MS } from './signal-queries.js';
import type { HeardProducts, ProductReceptions } from './product-receptions.js';
import { journalReportPair, saveReportedState } from './reported-state.js';

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
  adoptSeen: Pairings['adoptSeen'];
  /** Corrects the product's clock if its gateway cannot. */
  corrections: ClockCorrections;
  /** Has the products that the gateway hears refuse credentials, and gateways that are gone. */
  adminDispatcher: Pick<AdminDispatcher, 'answer'>;
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
      // A report says how long ago something was heard. Its time is taken now, before it waits for its transaction.
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
  const { logger } = deps;
  const gateway = await findGatewayByUuid(tx, uuid);
  if (gateway === undefined) return;
  await saveGatewaySeen(tx, { id: gateway.id, now });
  const {
    health,
    parking_gateways: parkingGateways,
    silent_sensors: silentSensors = [],
    displays,
    cameras,
    doctor,
    answer,
  } = report;
  if (health !== undefined) await saveGatewayHealth(tx, { gateway_id: gateway.id, health, now });
  if (doctor !== undefined) await saveDoctorReport(tx, { gateway_id: gateway.id, report: doctor, now });
  if (answer !== undefined) await saveAnswer(tx, { gateway_id: gateway.id, given: answer, now });
  if (gateway.lot_id === null) return;
  const reporter = { id: gateway.id, uuid, account_id: gateway.account_id, lot_id: gateway.lot_id };
  await applyProducts(deps, { tx, gateway: reporter, reported: report.products, now });
  if (parkingGateways !== undefined) {
    await applyParkingGatewayReport({ tx, logger, gateway: reporter, parkingGateways, silentSensors, now });
  }
  for (const { display_id, text, shown_ago_ms, is_stale } of displays ?? []) {
    await saveShown(tx, reporter, { id: display_id, text, shown_at: now - shown_ago_ms, is_stale });
  }
  if (cameras !== undefined) await applyCameraReport({ tx, logger, gateway: reporter, cameras, now });
}

interface ReportedProducts {
  tx: Tx;
  /** The gateway that reports, which is in a lot. */
  gateway: { id: number; uuid: GatewayUuid; account_id: number; lot_id: number };
  reported: readonly ProductReport[];
  now: number;
}

/** Applies what a gateway reports of the products of its lot, and has it tell them what they have still to hear. */
async function applyProducts(deps: ProductReportsDeps, work: ReportedProducts): Promise<void> {
  const { tx, gateway, now } = work;
  const known = await lockKnownProducts(deps, work);
  const product_ids = known.map(({ view }) => view.product.id);
  await deps.receptions.note(tx, gateway.id, heardOf(known));
  const receptions = await deps.receptions.recentOf(tx, product_ids);
  /**
   * Products to which a record is on its way: a gateway brings one at a time. A wrong clock is put right first, because the product may
   * refuse the other records for it.
   */
  const isBusy = new Set<number>();
  for (const { view, report } of known) {
    await adoptUnproven(deps, { tx, view, report });
    const { product } = view;
    if (await deps.corrections.answer(tx, { uuid: gateway.uuid, product, report })) isBusy.add(product.id);
    const recentRssi = receptions.get(product.id)?.[0]?.rssi;
    const decided = decideReportedState(view, report, { recentRssi, now });
    journalReportPair(tx, await saveReportedState(tx, { view, decided, now }));
  }
  const seen = known.filter(({ report: { status } }) => status === 'online');
  const heard = seen.map(({ view: { product }, report }) => ({ product, report }));
  await deps.adminDispatcher.answer(tx, { uuid: gateway.uuid, heard, isBusy });
  await saveProductsSeen(tx, { ids: seen.map(({ view }) => view.product.id), seen_at: now });
  const signals = seen.flatMap(({ view, report: { rssi } }) =>
    rssi === null ? [] : [{ product_id: view.product.id, rssi }],
  );
  await saveSignals(tx, { gateway_id: gateway.id, heard: signals, now });
}

/** Locks the states of the reported products that are of the gateway's lot, and finds these products. */
async function lockKnownProducts(
  { logger }: ProductReportsDeps,
  { tx, gateway, reported }: ReportedProducts,
): Promise<KnownReport[]> {
  const { id: gateway_id, uuid, account_id, lot_id } = gateway;
  const reports = new Map(reported.map((report) => [report.product_id, report]));
  // Only the lot's products are locked: a gateway may name whatever it likes.
  const product_ids = await productIdsOfLot(tx, { lot_id, product_ids: [...reports.keys()] });
  await tx.lock(...product_ids.map(LOCKS.productState));
  const views = await productViewsOfLot(tx, { lot_id, product_ids });
  const unknown = reports.size - views.size;
  if (unknown > 0) logger.debug({ uuid, gateway_id, lot_id, unknown }, 'reported products are not of the lot');
  return Array.from(reports.values()).flatMap((report) => {
    const view = views.get(report.product_id);
    const isKnown = view?.product.device_id === report.device_id && view.product.account_id === account_id;
    return isKnown ? [{ view, report }] : [];
  });
}

/** A gateway's report of a product of its lot. */
interface KnownReport {
  view: ProductView;
  report: ProductReport;
}

/** Finds what the gateway hears and what not. */
function heardOf(known: readonly KnownReport[]): HeardProducts {
  const isHeard = ({ report: { status } }: KnownReport) => status === 'online';
  return {
    heard: known.filter(isHeard).map(({ view, report: { rssi } }) => ({ product_id: view.product.id, rssi })),
    unproven: known.flatMap(({ view, report: { unproven } }) =>
      unproven === undefined ? [] : [{ product_id: view.product.id, rssi: unproven.rssi }],
    ),
    lost: known.filter((each) => !isHeard(each)).map(({ view }) => view.product.id),
  };
}

/** Pairs the product, if its advertisement proves that it holds a key that it was offered. */
async function adoptUnproven(
  deps: ProductReportsDeps,
  { tx, view, report: { unproven } }: KnownReport & { tx: Tx },
): Promise<void> {
  if (unproven === undefined) return;
  await deps.adoptSeen(tx, { product: view.product, advertisement: unproven.advertisement_data });
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
