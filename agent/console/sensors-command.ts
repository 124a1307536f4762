/** `parking-agent sensors test NAME` */
import { renderSensors, sensorsNamed, silenceOf } from '../health/render-status.js';
import type { ParkingGatewayView } from '../sensor/sensors.js';
import { askStatus, type GatewayPlace } from './local-client.js';

/**
 * Asks the running gateway for its sensors.
 * @param name of a parking gateway or of a place
 * @param width of the terminal in cells; left out: any
 * @returns the text to print, the object that programs get instead, and why the sensors do not answer (null: they all
 * do)
 * @throws Error when no gateway answers, or it has neither a parking gateway nor a place of that name
 */
export async function askSensors(
  place: GatewayPlace,
  name: string,
  width?: number,
): Promise<{ text: string; sensors: ParkingGatewayView[]; problem: string | null }> {
  const status = await askStatus(place);
  const text = renderSensors(status, name, width);
  if (text === null)
    throw new Error(`there is no parking gateway or place ${name}; parking-agent sensors list shows them`);
  const sensors = sensorsNamed(status, name);
  return { text, sensors, problem: silenceOf(sensors) };
}
