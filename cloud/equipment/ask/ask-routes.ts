/** What gateways are asked over REST: cameras and products in reach, the setup of cameras, tests of displays and sensors. */
import { z } from '@hono/zod-openapi';
import { HOST, SETUP_MODES, TEST_TEXT_MAX } from '../../../shared/uplink-asks.js';
import { type Endpoint, oneLine } from '../../rest/entry.js';
import { camerasOfLot } from '../camera/camera-queries.js';
import { CAMERA_LIST } from '../camera/camera-resource.js';
import { DISPLAY_LIST } from '../display/display-resource.js';
import { GATEWAY_LIST } from '../gateway/gateway-resource.js';
import { PARKING_GATEWAY_LIST } from '../sensor/parking-gateway-resource.js';
import { type AskDeps, askEndpoints } from './ask-endpoints.js';
import {
  cameraProbeAsk,
  cameraSearchAsk,
  cameraSetupAsk,
  displayTestAsk,
  productSearchAsk,
  representCameraProbe,
  representCameraSetup,
  representFoundCameras,
  representHeardProducts,
  representSensors,
  sensorsAsk,
} from './ask-payload.js';
import { productIdsByDevice } from './ask-queries.js';

const setupBody = z.strictObject({
  mode: z
    .enum(SETUP_MODES)
    .describe('`plan` changes nothing, `apply` changes what the plan says, `undo` writes back what was there before.'),
  time_server: z
    .string()
    .regex(HOST, 'must be a host name or an address')
    .optional()
    .describe('The time server that the clock of the camera shall follow; left out: it stays as it is.'),
});
const testBody = z.strictObject({ text: oneLine(z.string().max(TEST_TEXT_MAX)) });

const ownId = ({ id }: { id: number }) => id;
const gatewayOfThing = ({ gateway_id }: { gateway_id: number | null }) => gateway_id;
const itself = {
  list: GATEWAY_LIST,
  tag: 'Gateways',
  gatewayOf: ownId,
  subjectOf: () => 0,
  askOf: () => ({}),
} as const;

export function allAskEndpoints(deps: AskDeps): Endpoint[] {
  return [...searchEndpoints(deps), ...cameraAskEndpoints(deps), ...signAskEndpoints(deps)];
}

function searchEndpoints(deps: AskDeps): Endpoint[] {
  return [
    ...askEndpoints(deps, {
      ...itself,
      kind: 'cameras',
      path: '/v2/gateways/{id}/camera-search',
      summaries: {
        get: 'Which cameras a gateway found on its network',
        post: 'Ask a connected gateway to look for cameras',
      },
      answer: cameraSearchAsk,
      represent: async (answer, { db, row: { lot_id } }) =>
        representFoundCameras(answer, lot_id === null ? [] : await camerasOfLot(db, lot_id)),
    }),
    ...askEndpoints(deps, {
      ...itself,
      kind: 'products',
      path: '/v2/gateways/{id}/product-search',
      summaries: {
        get: 'Which products a gateway heard around it',
        post: 'Ask a connected gateway to listen for products',
      },
      answer: productSearchAsk,
      async represent(answer, { db, row: { account_id } }) {
        const device_ids = answer.products.map(({ device_id }) => device_id);
        return representHeardProducts(answer, await productIdsByDevice(db, { account_id, device_ids }));
      },
    }),
  ];
}

function cameraAskEndpoints(deps: AskDeps): Endpoint[] {
  const camera = { list: CAMERA_LIST, tag: 'LPR cameras', gatewayOf: gatewayOfThing, subjectOf: ownId } as const;
  return [
    ...askEndpoints(deps, {
      ...camera,
      kind: 'setup',
      path: '/v2/lpr-cameras/{id}/setup',
      summaries: {
        get: 'What the last setup of a camera would change, or changed',
        post: 'Have the gateway set up a camera',
      },
      body: setupBody,
      auditValues: ['mode'],
      askOf: (body) => body,
      answer: cameraSetupAsk,
      represent: representCameraSetup,
    }),
    ...askEndpoints(deps, {
      ...camera,
      kind: 'probe',
      path: '/v2/lpr-cameras/{id}/probe',
      summaries: {
        get: 'Whether a camera was there when its gateway last looked',
        post: 'Have the gateway look for a camera',
      },
      askOf: () => ({}),
      answer: cameraProbeAsk,
      represent: representCameraProbe,
    }),
  ];
}

function signAskEndpoints(deps: AskDeps): Endpoint[] {
  return [
    ...askEndpoints(deps, {
      kind: 'display_test',
      path: '/v2/rgb-displays/{id}/test',
      tag: 'RGB displays',
      list: DISPLAY_LIST,
      gatewayOf: gatewayOfThing,
      subjectOf: ownId,
      summaries: { get: 'What came of the last test of a display', post: 'Show a text on a display for ten seconds' },
      body: testBody,
      auditValues: ['text'],
      askOf: (body) => body,
      answer: displayTestAsk,
      represent: (answer) => answer,
    }),
    ...askEndpoints(deps, {
      kind: 'sensors',
      path: '/v2/parking-gateways/{id}/sensors',
      tag: 'Parking gateways',
      list: PARKING_GATEWAY_LIST,
      gatewayOf: gatewayOfThing,
      subjectOf: ownId,
      summaries: {
        get: 'What each sensor of a parking gateway said',
        post: 'Ask the gateway what each sensor says now',
      },
      askOf: () => ({}),
      answer: sensorsAsk,
      represent: representSensors,
    }),
  ];
}
