import type { FoundCamera } from '../../../agent/lpr/discovery/discovery-answers-parser.js';
import type { CameraView } from './camera.js';

/** Lists the cameras that a search of the car park's network finds: those that are on it and have an address. */
export const foundCameras = (cameras: Iterable<{ view(): CameraView }>): FoundCamera[] =>
  [...cameras]
    .map((camera) => camera.view())
    .filter(({ online, address }) => online && address.startsWith('http'))
    .map(({ address, driver, device_id }) => {
      return { address, vendor: driver, model: 'Simulated', serial: device_id, mac: '', by: 'ws-discovery', notes: '' };
    });
