/** Makes the reports that the gateways of a lot would have sent of their products and cameras in the past. Pure. */
import type { GatewayUuid } from '../../../shared/ids.js';
import type { CameraReport, GatewayReport, ProductReport } from '../../../shared/uplink-reports.js';
import { createChance } from '../../sim/traffic/chance.js';
import type { HistoryCamera, HistoryProduct, HistorySite } from './history-site.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';

export interface HistoryReport {
  gateway: GatewayUuid;
  /** When it arrived, wall milliseconds. */
  at_ms: number;
  report: GatewayReport;
}

const NEAR_DBM = -58;
const FAR_DBM = -79;
/** How often a camera that is offline is reported, so that the length of the outage is known. */
const AWAY_EVERY_MS = 4 * 60_000;
const AWAY_MIN = 44;
/** Every so many days the exit camera loses its power. */
const AWAY_EVERY_DAYS = 9;
/** The exit camera's clock runs ahead until it is set. */
const DRIFT_MS_A_DAY = 140;
const CLOCK_SET_EVERY_DAYS = 12;

/** One report of each gateway for every hour that is given, and more of them while a camera was away; in the order of their times. */
export function reportsOfHours(site: HistorySite, of: { hours: readonly number[]; seed: number }): HistoryReport[] {
  const reports = of.hours.flatMap((hour_ms) =>
    site.gateways.flatMap((gateway, index) => {
      const at_ms = hour_ms + HOUR_MS / 2 + index * 5_000;
      const cameras = [site.entry, site.exit].filter((camera) => camera.gateway === gateway);
      const products = site.products.map((product, number) => {
        const isNear = number % site.gateways.length === index;
        return productReport(product, { at_ms, seed: of.seed, gateway, isNear });
      });
      return [
        { gateway, at_ms, report: { products, cameras: cameras.map((each) => cameraReport(site, each, at_ms)) } },
        ...cameras.flatMap((camera) => awayReports(site, camera, { gateway, hour_ms })),
      ];
    }),
  );
  return reports.sort((a, b) => a.at_ms - b.at_ms);
}

function productReport(
  { id, device_id, isBattery }: HistoryProduct,
  of: { at_ms: number; seed: number; gateway: GatewayUuid; isNear: boolean },
): ProductReport {
  const chance = createChance(of.seed, `signal ${id} ${of.gateway} ${of.at_ms}`);
  // By day vehicles weaken the signal.
  const shade = 3 * Math.sin(((of.at_ms % DAY_MS) / DAY_MS) * 2 * Math.PI);
  const rssi = (of.isNear ? NEAR_DBM : FAR_DBM) + shade + 2 * chance.normal();
  return {
    product_id: id,
    device_id,
    status: 'online',
    state: 'closed',
    permanent_position: 'disabled',
    is_car_on_top: false,
    is_autoclose: null,
    autoclose_time: null,
    battery_status: isBattery ? 100 - ((Math.floor(of.at_ms / DAY_MS) + id * 7) % 30) : null,
    rssi: Math.round(Math.min(-40, Math.max(-99, rssi))),
    errors: 0,
    advertisement_data: null,
    seen_ago_ms: 1_000,
  };
}

/** Only the exit camera has problems. */
function cameraReport(site: HistorySite, { id }: HistoryCamera, at_ms: number): CameraReport {
  const day = Math.floor(at_ms / DAY_MS);
  const ahead_ms = id === site.exit.id ? (day % CLOCK_SET_EVERY_DAYS) * DRIFT_MS_A_DAY : 30;
  return { lpr_camera_id: id, status: 'online', problem: null, clock_behind_ms: -ahead_ms };
}

function awayReports(
  site: HistorySite,
  camera: HistoryCamera,
  { gateway, hour_ms }: { gateway: GatewayUuid; hour_ms: number },
): HistoryReport[] {
  const day = Math.floor(hour_ms / DAY_MS);
  const isHour = Math.floor((hour_ms % DAY_MS) / HOUR_MS) === 3;
  if (camera.id !== site.exit.id || day % AWAY_EVERY_DAYS !== 4 || !isHour) return [];
  const count = Math.floor((AWAY_MIN * 60_000) / AWAY_EVERY_MS);
  const problem = 'It does not answer';
  return Array.from({ length: count + 1 }, (_, index) => {
    const isBack = index === count;
    const status = isBack ? ('online' as const) : ('offline' as const);
    const cameras = [{ lpr_camera_id: camera.id, status, problem: isBack ? null : problem }];
    return { gateway, at_ms: hour_ms + 10 * 60_000 + index * AWAY_EVERY_MS, report: { products: [], cameras } };
  });
}
