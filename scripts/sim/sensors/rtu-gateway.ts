/**
 * A parking gateway whose sensors are registers on a serial line: its address is the device that the agent opens, or the port of a serial
 * device server, and is made here.
 */
import type { CarParkParkingGateway } from '../car-park.js';
import { placeRegisters } from './place-registers.js';
import type { RtuLines } from './rtu-lines.js';
import type { SimPlace } from './sim-place.js';
import { errorText } from '../../../shared/error-text.js';

/** The speed after the path means nothing without a wire. @throws when its device cannot be made */
export async function startRtuGateway(
  { name, address, unit, register }: CarParkParkingGateway,
  { places, lines }: { places: ReadonlyMap<string, SimPlace>; lines: RtuLines },
): Promise<undefined> {
  const [path = ''] = address.split('?', 1);
  const refuse = (reason: string, cause?: unknown) =>
    new Error(`parking gateway ${name}: cannot be a serial line at "${path}": ${reason}`, { cause });
  if (register === null) throw refuse('it needs a register');
  await lines.addUnit(path, unit, placeRegisters(register, places)).catch((cause: Error) => {
    throw refuse(errorText(cause), cause);
  });
  return undefined;
}
