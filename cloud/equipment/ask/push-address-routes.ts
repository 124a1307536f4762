/** POST /v2/lpr-cameras/{id}/push-address: what a person types into the web page of a camera, so that it pushes to its gateway. */
import { z } from '@hono/zod-openapi';
import { CAMERA_DRIVERS } from '../../../shared/drivers/camera-driver-list.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, holderOf, MANAGERS, protectedEndpoint, visibleRow, withheldSecrets } from '../../rest/entry.js';
import { CAMERA_LIST } from '../camera/camera-resource.js';
import { findAsk } from './ask-queries.js';

const pushAddressSchema = z
  .strictObject({
    path: z
      .string()
      .nullable()
      .describe(
        'Where on its gateway the camera pushes to, with its key; null: its driver does not push, it has no key, or the answer is repeated.',
      ),
    key: z
      .string()
      .nullable()
      .describe(
        'The key alone, the last part of the path; null as `path`. PATCH the camera with a `push_key` to give it one.',
      ),
    hosts: z
      .array(z.string())
      .describe(
        'Where the camera reaches its gateway, as host and port, the likeliest first: as the last probe of the camera found. Empty before the first.',
      ),
  })
  .openapi('PushAddress');

export function pushAddressEndpoint({
  store,
  secrets,
}: {
  store: Pick<CloudStore, 'reader'>;
  secrets: Pick<Secrets, 'open'>;
}): Endpoint {
  return protectedEndpoint({
    method: 'post',
    path: '/v2/lpr-cameras/{id}/push-address',
    summary: 'Show the address that a camera pushes to, with its key',
    tag: 'LPR cameras',
    roles: MANAGERS,
    answer: pushAddressSchema,
    shownOnce: ['path', 'key'],
    find: ({ caller, ids }) => visibleRow(store.reader, CAMERA_LIST, { caller, id: ids.id }),
    async handle({ found: camera, change }) {
      // The transaction changes nothing but the audit log, whose entry is added to every change.
      await change(() => Promise.resolve());
      const { id, gateway_id, driver, device_id, gateway_public_key: public_key } = camera;
      const gateway = gateway_id === null ? null : { id: gateway_id, public_key };
      // A key that the device does not get is none that could be typed.
      const isWithheld = withheldSecrets(camera, holderOf(gateway)).includes('push_key');
      const stored = isWithheld ? '' : secrets.open('camera_push_key', camera.push_key_sealed).toString();
      const { settings } = CAMERA_DRIVERS[driver as keyof typeof CAMERA_DRIVERS] ?? { settings: 'any' };
      const key = stored === '' || settings === 'called' || settings === 'broker' ? null : stored;
      const probe =
        gateway_id === null ? null : await findAsk(store.reader, { gateway_id, kind: 'probe', subject_id: id });
      const path = key === null ? null : `/${['lpr', driver, device_id, key].map(encodeURIComponent).join('/')}`;
      return { path, key, hosts: probe?.answer?.hosts ?? [] };
    },
  });
}
