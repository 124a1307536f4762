/** All resources, and the place of each in a site file. Add a new one to both. */
import { z } from 'zod';
import { ACCOUNT } from './account/account-resource.js';
import { ACCOUNT_USER } from './account/account-user-resource.js';
import { ALERT, ALERT_PLATE, ALERT_RECEIVER } from './alert/alert-resource.js';
import { API_TOKEN } from './api-token/api-token-resource.js';
import { CAMERA } from './camera/camera-resource.js';
import { DISPLAY } from './display/display-resource.js';
import { DISPLAY_RULE } from './display/display-rule-resource.js';
import { GATEWAY } from './gateway/gateway-resource.js';
import { KEY_LOG, OPERATION_TOKEN } from './key/key-log-resource.js';
import { deleteGatewaysOfLot } from './gateway/gateway-deletion.js';
import { lotResource } from './lot/lot-resource.js';
import { GROUP } from './member/group-resource.js';
import { MEMBER } from './member/member-resource.js';
import { PLACE } from './place/place-resource.js';
import { BOUND_LICENSE } from './product/bound-license-resource.js';
import { PRODUCT, PRODUCT_BLOCK } from './product/product-resource.js';
import { fileItem, list, mapping } from './resource/bodies.js';
import type { Resource } from './resource/resource.js';
import { PARKING_GATEWAY } from './sensor/parking-gateway-resource.js';
import { TARIFF } from './tariff/tariff-resource.js';
import { TERMINAL } from './terminal/terminal-resource.js';
import { WEBLINK } from './weblink/weblink-resource.js';
import { ZONE } from './zone/zone-resource.js';

const LOT = lotResource(deleteGatewaysOfLot);

/** The resources in the order in which they can be created: each comes after those that it names. */
export const RESOURCES: readonly Resource[] = [
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
];

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
