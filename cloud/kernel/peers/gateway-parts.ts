/** Gateways are shared out among cloud processes in parts, so that few rows say whose they are, however many gateways there are. */
import { createHash } from 'node:crypto';
import type { GatewayUuid } from '../../../shared/ids.js';
import { PARTS } from './decide-leases.js';

/** Returns the part that a gateway is in: 0 to 63. It never changes. */
export const partOfGateway = (uuid: GatewayUuid): number =>
  createHash('sha256').update(uuid).digest().readUInt8() % PARTS;
