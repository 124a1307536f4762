/** Applies a gateway's report of its cameras: `lpr_camera_status` for every camera in each report (specification, "lpr_camera_status"). */
import type { Logger } from '../../../shared/logger.js';
import type { CameraReport } from '../../../shared/uplink-reports.js';
import type { Tx } from '../../kernel/store/entry.js';
import { dayIn, newestCameraDays, type ReportedDay, saveReportedDays } from './camera-day-queries.js';
import { camerasOfGateway, saveCameraStatus } from './camera-queries.js';
import { decideReportedDay } from './decide-reported-day.js';

interface CameraReportWork {
  tx: Tx;
  logger: Logger;
  gateway: { id: number; account_id: number; lot_id: number };
  cameras: CameraReport[];
  /** Wall milliseconds. */
  now: number;
}

/** The journal keeps only events whose status changed; the others are just sent. */
export async function applyCameraReport(work: CameraReportWork): Promise<void> {
  const { tx, gateway, now } = work;
  const known = new Map((await camerasOfGateway(tx, gateway)).map((camera) => [camera.id, camera]));
  const reports = new Map(work.cameras.map((camera) => [camera.lpr_camera_id, camera]));
  const newest = await newestDays(tx, [...known.values()], now);
  const days: ReportedDay[] = [];
  for (const { lpr_camera_id, status, problem, condition, clock_behind_ms } of reports.values()) {
    const camera = known.get(lpr_camera_id);
    if (camera === undefined) {
      work.logger.debug({ gateway_id: gateway.id, lpr_camera_id }, 'reported camera is not of the gateway');
      continue;
    }
    const day = decideReportedDay(newest.get(camera.id), {
      lpr_camera_id: camera.id,
      day: dayIn(camera.timezone, now),
      wasOffline: camera.status === 'offline',
      isOffline: status === 'offline',
      clock_drift_ms: clock_behind_ms === undefined ? null : -clock_behind_ms,
      now,
    });
    if (day !== null) days.push(day);
    // The event knows only online and offline; the record and the legacy event also know the conditions of a camera that is online.
    const isStatusChanged = (camera.status === 'offline') !== (status === 'offline');
    const shown = status === 'online' ? (condition ?? status) : status;
    const isChanged = camera.status !== shown || camera.problem !== problem;
    await saveCameraStatus(tx, { id: camera.id, status: shown, problem, isChanged, now });
    const payload = { id: camera.id, device_id: camera.device_id, status };
    const { account_id, lot_id } = gateway;
    tx.journal({ account_id, lot_id, event: 'lpr_camera_status', payload, isKept: isStatusChanged });
  }
  await saveReportedDays(tx, days);
}

/** The newest day that is known of each camera, of today and yesterday. */
async function newestDays(
  tx: Tx,
  cameras: readonly { id: number; timezone: string }[],
  now: number,
): Promise<Map<number, ReportedDay>> {
  const ids = cameras.map(({ id }) => id);
  const today = Math.min(...cameras.map(({ timezone }) => dayIn(timezone, now)));
  return new Map((await newestCameraDays(tx, ids, today - 1)).map((day) => [day.lpr_camera_id, day]));
}
