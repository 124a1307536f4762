/** A codec of the user's own: a table says where in the payload a number stands, and what it means. */
import type { PayloadTable } from '../../../shared/drivers/payload-table.js';
import { decideValueOccupancy, scaledValue } from '../decide-value-occupancy.js';
import { PayloadError, type SensorCodec } from './sensor-codec.js';

export function tableCodec(table: PayloadTable): SensorCodec {
  const { port, byte, length, order } = table;
  return (uplink, _place, before) => {
    if (port !== null && uplink.port !== port) return { occupancy: null, values: {} };
    const bytes = [...uplink.bytes.subarray(byte, byte + length)];
    if (bytes.length < length) {
      throw new PayloadError(`${uplink.bytes.length} bytes, without byte ${byte + length - 1} of the mapping`);
    }
    if (order === 'little') bytes.reverse();
    const raw = bytes.reduce((number, each) => number * 256 + each, 0);
    const value = scaledValue(raw, table);
    return { occupancy: decideValueOccupancy(value, table, before), values: { value } };
  };
}
