import { describe, expect, it } from 'vitest';
import { actionOf, targetOf } from '../../../cloud/rest/request/audited-request.js';

describe('the words of the audit log', () => {
  it.each([
    ['post', '/v2/zones', 'zone.create'],
    ['patch', '/v2/zones/{id}', 'zone.update'],
    ['delete', '/v2/api-tokens/{id}', 'api_token.delete'],
    ['post', '/v2/products/{id}/state', 'product.state'],
    ['post', '/v2/products/{id}/settings', 'product.settings'],
    ['post', '/v2/lots/{id}/release/clear', 'lot.release.clear'],
    ['post', '/v2/key-invitations/resend', 'key_invitation.resend'],
    ['patch', '/v2/key-logs', 'key_log.update'],
    ['put', '/v2/groups/{id}/members/{memberId}', 'group.member.put'],
    ['post', '/v2/auth/login', 'auth.login'],
  ] as const)('%s %s is %s', (method, path, action) => {
    expect(actionOf({ method, path })).toBe(action);
  });

  it.each([
    ['/v2/zones', {}, undefined, 'zones'],
    ['/v2/zones', {}, 7, 'zone 7'],
    ['/v2/lpr-cameras/{id}', { id: 7 }, undefined, 'lpr camera 7'],
    ['/v2/products/{id}/state', { id: 7 }, undefined, 'product 7'],
    ['/v2/products/{id}/bound-licenses', { id: 7 }, 8, 'product 7, bound license 8'],
    ['/v2/groups/{id}/members/{memberId}', { id: 7, memberId: 8 }, undefined, 'group 7, member 8'],
    ['/v2/sessions/vehicle-analytics', {}, undefined, 'sessions vehicle analytics'],
  ])('%s with %j, made %s: %s', (path, ids, made, target) => {
    expect(targetOf(path, ids, made)).toBe(target);
  });
});
