/** All resources, and the place of each in a site file. Add a new one to both. */
import { z } from 'zod';
import { ACCOUNT } from './site/account/account-resource.js';
import { ACCOUNT_USER } from './site/account/account-user-resource.js';
import { ALERT, ALERT_PLATE, ALERT_RECEIVER } from './guests/alert/alert-resource.js';
import { API_TOKEN } from './site/api-token/api-token-resource.js';
import { CAMERA } from './equipment/camera/camera-resource.js';
import { DISPLAY } from './equipment/display/display-resource.js';
import { DISPLAY_RULE } from './equipment/display/display-rule-resource.js';
import { GATEWAY } from './equipment/gateway/gateway-resource.js';
import { KEY_LOG, OPERATION_TOKEN } from './guests/guest-key/key-log-resource.js';
import { deleteGatewaysOfLot } from './equipment/gateway/gateway-deletion.js';
import { lotResource } from './site/lot/lot-resource.js';
import { GROUP } from './guests/member/group-resource.js';
import { MEMBER } from './guests/member/member-resource.js';
import { PLACE } from './equipment/place/place-resource.js';
import { BOUND_LICENSE } from './equipment/product/bound-license-resource.js';
import { PRODUCT, PRODUCT_BLOCK } from './equipment/product/product-resource.js';
import { fileItem, list, mapping } from './rest/resource/bodies.js';
import { keepingDeleted } from './rest/resource/deletion-queries.js';
import type { Resource } from './rest/resource/resource.js';
import { PARKING_GATEWAY } from './equipment/sensor/parking-gateway-resource.js';
import { TARIFF } from './traffic/tariff/tariff-resource.js';
import { TERMINAL } from './equipment/terminal/terminal-resource.js';
import { WEBLINK } from './guests/weblink/weblink-resource.js';
import { ZONE } from './site/zone/zone-resource.js';

const LOT = lotResource(deleteGatewaysOfLot);

/** The resources in the order in which they can be created: each comes after those that it names. */
export const RESOURCES: readonly Resource[] = keepingDeleted([
  ACCOUNT,
  TARIFF,
  LOT,
  ACCOUNT_USER,
  API_TOKEN,
  GATEWAY,
  ZONE,
  PRODUCT,
  PRODUCT_BLOCK,
  BOUND_LICENSE,
  CAMERA,
  PARKING_GATEWAY,
  PLACE,
  TERMINAL,
  GROUP,
  MEMBER,
  ALERT,
  ALERT_PLATE,
  ALERT_RECEIVER,
  OPERATION_TOKEN,
  KEY_LOG,
  DISPLAY,
  DISPLAY_RULE,
  WEBLINK,
]);

const zone = fileItem(ZONE, {
  products: list(fileItem(PRODUCT, { bound_licenses: list(BOUND_LICENSE.fields.license_plate.value) })),
  places: list(fileItem(PLACE, {})),
  lpr_cameras: list(fileItem(CAMERA, {})),
  terminals: list(fileItem(TERMINAL, {})),
});

const lot = fileItem(LOT, {
  gateways: list(fileItem(GATEWAY, {})),
  zones: list(zone),
  parking_gateways: list(fileItem(PARKING_GATEWAY, {})),
});

const account = fileItem(ACCOUNT, {
  users: list(fileItem(ACCOUNT_USER, {})),
  api_tokens: list(fileItem(API_TOKEN, {})),
  tariffs: list(fileItem(TARIFF, {})),
  lots: list(lot),
  members: list(fileItem(MEMBER, {})),
  groups: list(fileItem(GROUP, {})),
  license_plate_alerts: list(
    fileItem(ALERT, {
      plates: list(ALERT_PLATE.fields.plate.value),
      receivers: list(fileItem(ALERT_RECEIVER, {})),
    }),
  ),
  key_logs: list(fileItem(KEY_LOG, {})),
  rgb_displays: list(fileItem(DISPLAY, { rules: list(fileItem(DISPLAY_RULE, {})) })),
  weblinks: list(fileItem(WEBLINK, {})),
});

/** The schema of a site file (run contract, "Site file"). It fills in defaults. */
export const siteSchema = mapping({ version: z.literal(1), accounts: list(account) });

export type Site = z.output<typeof siteSchema>;
