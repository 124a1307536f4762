/** What a gateway tells of its cameras: `lpr_camera_status` for every camera in each report (specification, "lpr_camera_status"). */
import type { Logger } from '../../shared/logger.js';
import type { CameraReport } from '../../shared/uplink.js';
import type { Db, EventRecorder } from '../store/cloud-store.js';
import { camerasOfGateway, saveCameraStatus } from '../store/queries/lpr-cameras.js';

interface CameraReportWork {
  tx: Db;
  events: EventRecorder;
  logger: Logger;
  gateway: { id: number; account_id: number; lot_id: number };
  cameras: CameraReport[];
  /** Wall milliseconds. */
  now: number;
}

/** What changed is journalled too. */
export async function applyCameraReport(work: CameraReportWork): Promise<void> {
  const { tx, events, gateway, now } = work;
  const known = await camerasOfGateway(tx, gateway);
  for (const { lpr_camera_id, status } of work.cameras) {
    const camera = known.find(({ id }) => id === lpr_camera_id);
    if (camera === undefined) {
      work.logger.debug({ gateway_id: gateway.id, lpr_camera_id }, 'reported camera is not of the gateway');
      continue;
    }
    const journalled = camera.status !== status;
    await saveCameraStatus(tx, { id: camera.id, status, isChanged: journalled, now });
    const payload = { id: camera.id, device_id: camera.device_id, status };
    const { account_id, lot_id } = gateway;
    await events.record({ account_id, lot_id, event: 'lpr_camera_status', payload, journalled });
  }
}
