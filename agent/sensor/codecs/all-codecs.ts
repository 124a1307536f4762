/** The codecs by the names that places give them (`shared/drivers/sensor-codecs.ts`). */
import type { SensorCodecName } from '../../../shared/drivers/sensor-codecs.js';
import { decodeBoschTps110 } from './bosch-tps110-codec.js';
import { decodeMilesightUdl } from './milesight-udl-codec.js';
import { decodeNwaveG4 } from './nwave-g4-codec.js';
import type { SensorCodec } from './sensor-codec.js';

export const CODECS: Readonly<Record<SensorCodecName, SensorCodec>> = {
  'bosch-tps110': decodeBoschTps110,
  'nwave-g4': decodeNwaveG4,
  'milesight-udl': decodeMilesightUdl,
};
