/** What a decision saw that let a vehicle in by the tariff of its zone, which has no limit. Tests change what they are about. */
import type { AccessTrace } from '../../shared/access/access-trace.js';

export const TARIFF_TRACE: AccessTrace = {
  rule: 'tariff',
  plate: 'ZG1',
  direction: 'in',
  retransmission: false,
  age_ms: 0,
  lpr_position: 'in',
  debounce_ms: 15_000,
  previous_read: null,
  whitelisted: false,
  has_tariff: true,
  spot_count: 0,
  occupied_count: 0,
  own_session_age_ms: null,
  look_alike_session_age_ms: null,
  ended_by_look_alike: false,
  cut_off: false,
  offline_exit: 'open',
};
