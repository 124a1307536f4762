/** Composes the displays, which show what the gateway counts. */
import type { ZoneItem } from '../../shared/gateway-config.js';
import type { AccessRules } from '../access/access-rules.js';
import type { OpenSessions } from '../access/open-sessions.js';
import { occupiedInZone } from '../access/zone-occupancy.js';
import type { Sensors } from '../sensor/sensors.js';
import { decideSeen } from './decide-seen.js';
import { decideShown } from './decide-shown.js';
import { createDisplays, type Displays, type DisplaysDeps } from './displays.js';

/** Begins to write to the displays of the configuration. */
export function composeDisplays(
  {
    displayDrivers: drivers,
    clock,
    random,
    logger,
  }: Pick<DisplaysDeps, 'clock' | 'random' | 'logger'> & {
    displayDrivers: DisplaysDeps['drivers'];
  },
  of: Pick<DisplaysDeps, 'publish'> & {
    rules: AccessRules;
    sessions: OpenSessions;
    sensors: Sensors;
    isOnline(): boolean;
  },
): Displays {
  const { rules, sessions, sensors, isOnline, publish } = of;
  /** Others of the lot change sessions and read sensors: without the cloud this gateway does not hear of it. */
  const hearsOthers = () => isOnline() || (rules.gateway()?.other_gateways_count ?? 0) === 0;
  const counted = (zone: ZoneItem) => ({
    name: zone.name,
    spot_count: zone.spot_count,
    ...(zone.sensor_counts.length === 0
      ? { occupied: occupiedInZone(zone, { sessions, sensors, now_ms: clock.now() }), is_known: hearsOthers() }
      : decideSeen(
          zone.sensor_counts.map(
            ({ parking_gateway_id, occupied_count }) =>
              sensors.seen(parking_gateway_id, zone.id) ?? { occupied_count, is_heard: isOnline() },
          ),
        )),
  });
  const displays = createDisplays({
    drivers,
    wanted(item) {
      const zones = [...rules.zones()].filter(({ id }) => item.zone_id === null || id === item.zone_id);
      const lot = rules.gateway()?.lot_name ?? '';
      return decideShown(item, { zones: zones.map(counted), lot, at_ms: clock.now() });
    },
    clock,
    random,
    logger,
    publish,
  });
  displays.setDisplays(rules.displays());
  return displays;
}
