/** Plates whose sight is mailed to people. */
import { z } from 'zod';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { referToZones, zoneFinder } from '../account-zones.js';
import type { SiteAccount, SitePath } from '../site-schema.js';
import { field, items, type Report, type Spot, unique, uniquePlates } from '../site-spots.js';
import { declare, type DeclaredThing, type ThingKey, thingNames } from '../site-things.js';
import { email, list, mapping, name, plate, whole } from '../site-values.js';

export const licensePlateAlertSchema = mapping({
  name,
  plates: list(plate),
  // Without one: all zones of the account.
  zone: z.string().nullable().default(null),
  min_minutes_between_emails: whole(0, 525_600).default(30),
  receivers: list(mapping({ name, receiver_email: email })),
});
type SiteAlert = SiteAccount['license_plate_alerts'][number];

export function checkLicensePlateAlerts(account: Spot, report: Report): void {
  const alerts = items(account, 'license_plate_alerts');
  unique(alerts, 'name', 'license plate alert', report);
  for (const alert of alerts) {
    uniquePlates(items(alert, 'plates'), 'plate of the alert', report);
    unique(items(alert, 'receivers'), 'receiver_email', 'receiver of the alert', report);
    referToZones([field(alert, 'zone')], items(account, 'lots'), report);
  }
}

export function declareLicensePlateAlerts(account: SiteAccount, path: SitePath): DeclaredThing[] {
  const zoneOf = zoneFinder(account);
  return account.license_plate_alerts.flatMap((alert, index) => {
    const thingName = thingNames.license_plate_alerts(account.name, alert.name);
    const alertPath = [...path, 'license_plate_alerts', index];
    const thing = declare({
      table: 'license_plate_alerts',
      ...thingName,
      path: alertPath,
      values: { name: alert.name, min_minutes_between_emails: alert.min_minutes_between_emails },
      references: {
        account_id: thingNames.accounts(account.name).key,
        zone_id: alert.zone === null ? null : (zoneOf(alert.zone)?.key ?? null),
      },
    });
    return [thing, ...declareParts(alert, { key: thingName.key, path: alertPath })];
  });
}

function declareParts(alert: SiteAlert, { key, path }: { key: ThingKey; path: SitePath }): DeclaredThing[] {
  const ofAlert = { references: { license_plate_alert_id: key }, partOf: key };
  const plates = alert.plates.map((text, index) => {
    const plate_normalised = normalisePlate(text);
    return declare({
      table: 'alert_plates',
      ...thingNames.alert_plates(key, plate_normalised),
      path: [...path, 'plates', index],
      values: { plate: text, plate_normalised },
      ...ofAlert,
    });
  });
  const receivers = alert.receivers.map((receiver, index) =>
    declare({
      table: 'alert_receivers',
      ...thingNames.alert_receivers(key, receiver.receiver_email),
      path: [...path, 'receivers', index],
      values: receiver,
      ...ofAlert,
    }),
  );
  return [...plates, ...receivers];
}
