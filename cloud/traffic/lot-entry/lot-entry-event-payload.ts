/** Payload of the legacy lpr_event (specification, "lpr_event"). */
import type { LprEvent } from '../../../shared/events/event-schemas.js';
import { connectedDeviceType, type LotEntryCamera } from '../../equipment/camera/event-camera-payload.js';
import type { Row } from '../../kernel/store/entry.js';
import { imageStorageKey, type ReadingImages } from '../image/reading-images-payload.js';

/** A lot entry with what it shows of its reading. */
export interface LotEntryDetails {
  entry: Row<'lot_entries'>;
  reading: Pick<Row<'plate_readings'>, 'plate' | 'make' | 'color' | 'model'>;
  images: ReadingImages;
}

export interface RelatedLotEntry extends LotEntryDetails {
  camera: Pick<LotEntryCamera, 'id' | 'device_id' | 'name'>;
}

type LotEntryData = Omit<LprEvent['data'], 'lpr_camera' | 'related_lot_entry'>;

export function lprEvent(
  details: LotEntryDetails & { camera: LotEntryCamera; related: RelatedLotEntry | null },
): LprEvent {
  const { camera, related } = details;
  return {
    lot_id: details.entry.lot_id,
    data: {
      ...lotEntryData(details),
      lpr_camera: {
        id: camera.id,
        device_id: camera.device_id,
        device_serial: camera.device_serial,
        name: camera.name,
        account_id: camera.account_id,
        zone_id: camera.zone_id,
        status: camera.status,
        lpr_position: camera.lpr_position,
        connected_device_type: connectedDeviceType(camera.product_type_id),
        mac: camera.mac,
        deleted_at: null,
        created_at: new Date(camera.created_at).toISOString(),
        updated_at: new Date(camera.updated_at).toISOString(),
      },
      related_lot_entry:
        related === null
          ? null
          : {
              ...lotEntryData(related),
              lpr_camera: {
                id: related.camera.id,
                device_id: related.camera.device_id,
                name: related.camera.name,
              },
            },
    },
  };
}

/** The fields of a lot entry, in its event and in REST. */
export function lotEntryData({ entry, reading, images }: LotEntryDetails): LotEntryData {
  return {
    id: entry.id,
    scan_time: new Date(entry.scan_time).toISOString(),
    lpr_camera_id: entry.lpr_camera_id,
    lot_id: entry.lot_id,
    related_lot_entry_id: entry.related_lot_entry_id,
    duration: entry.duration,
    is_allowed: entry.is_allowed === 1 ? 1 : 0,
    direction: entry.direction,
    license_plate: reading.plate,
    license_plate_image_url: imageStorageKey(images.cropped),
    full_image_url: imageStorageKey(images.full),
    make: reading.make ?? '',
    color: reading.color ?? '',
    model: reading.model ?? '',
    color_depth: null,
    created_at: new Date(entry.created_at).toISOString(),
    updated_at: new Date(entry.updated_at).toISOString(),
  };
}
