/** Applies a gateway's report of its cameras: `lpr_camera_status` for every camera in each report (specification, "lpr_camera_status"). */
import type { Logger } from '../../shared/logger.js';
import type { CameraReport } from '../../shared/uplink-reports.js';
import type { Tx } from '../store/cloud-store.js';
import { camerasOfGateway, saveCameraStatus } from './camera-queries.js';

interface CameraReportWork {
  tx: Tx;
  logger: Logger;
  gateway: { id: number; account_id: number; lot_id: number };
  cameras: CameraReport[];
  /** Wall milliseconds. */
  now: number;
}

/** An event whose status changed is kept in the journal; the others are only sent. */
export async function applyCameraReport(work: CameraReportWork): Promise<void> {
  const { tx, gateway, now } = work;
  const known = new Map((await camerasOfGateway(tx, gateway)).map((camera) => [camera.id, camera]));
  const reports = new Map(work.cameras.map((camera) => [camera.lpr_camera_id, camera]));
  for (const { lpr_camera_id, status, problem = null } of reports.values()) {
    const camera = known.get(lpr_camera_id);
    if (camera === undefined) {
      work.logger.debug({ gateway_id: gateway.id, lpr_camera_id }, 'reported camera is not of the gateway');
      continue;
    }
    const isStatusChanged = camera.status !== status;
    const isChanged = isStatusChanged || camera.problem !== problem;
    await saveCameraStatus(tx, { id: camera.id, status, problem, isChanged, now });
    const payload = { id: camera.id, device_id: camera.device_id, status };
    const { account_id, lot_id } = gateway;
    tx.journal({ account_id, lot_id, event: 'lpr_camera_status', payload, isKept: isStatusChanged });
  }
}
