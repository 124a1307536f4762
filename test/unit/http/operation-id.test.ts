import { describe, expect, it } from 'vitest';
import { operationIdOf } from '../../../cloud/rest/request/operation-id.js';

describe('the name of an operation', () => {
  it.each([
    ['get', '/v2/lpr-cameras', 'listLprCameras'],
    ['post', '/v2/lpr-cameras', 'createLprCamera'],
    ['get', '/v2/lot-entries/{id}', 'getLotEntry'],
    ['patch', '/v2/zones/{id}', 'updateZone'],
    ['patch', '/v2/key-logs', 'updateKeyLogs'],
    ['delete', '/v2/zones/{id}', 'deleteZone'],
    ['post', '/v2/sessions/{id}/close', 'closeSession'],
    ['post', '/v2/sessions/{id}/payments', 'createSessionPayment'],
    ['get', '/v2/webhooks/{id}/deliveries', 'listWebhookDeliveries'],
    ['post', '/v2/webhooks/{id}/deliveries/{deliveryId}/redeliver', 'redeliverWebhookDelivery'],
    ['get', '/v2/sessions/analytics', 'getSessionAnalytics'],
    ['post', '/v2/products/{id}/state', 'operateProduct'],
  ])('%s %s is %s', (method, path, name) => {
    expect(operationIdOf(method, path, name.startsWith('list'))).toBe(name);
  });
});
