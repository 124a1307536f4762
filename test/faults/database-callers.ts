/** Who asks a cloud whose database fails, and what they are answered. */
import { expect } from 'vitest';
import { fetchChecked } from '../contract/checked-fetch.js';
import { OWNER_TOKEN, PASSWORD } from '../integration/http/http-site.js';
import type { CloudWorld } from '../integration/http/http-world.js';

export interface Asked {
  method: string;
  path: string;
  json?: unknown;
  isPublic?: boolean;
  /** Idempotency-Key */
  key?: string;
}
export const LIST: Asked = { method: 'GET', path: '/v2/lots' };
export const READY: Asked = { method: 'GET', path: '/readyz', isPublic: true };
export const LOGIN: Asked = {
  method: 'POST',
  path: '/v2/auth/login',
  json: { email: 'guard@harbour.example', password: PASSWORD },
  isPublic: true,
};
let names = 0;
export const createLot = (): Asked => {
  names += 1;
  return { method: 'POST', path: '/v2/lots', json: { name: `Lot ${names}`, address: 'Quay', timezone: 'UTC' } };
};

/** @returns what a caller is answered: `200`, or the status with Retry-After and the message */
export async function ask(cloud: CloudWorld, { method, path, json, isPublic, key }: Asked): Promise<string> {
  const response = await fetchChecked(`${cloud.base}${path}`, {
    method,
    headers: {
      ...(isPublic ? {} : { authorization: `Bearer ${OWNER_TOKEN}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const body = (await response.json()) as { errors?: { code: number; message: string }[] };
  if (response.status === 200) return '200';
  const [error] = body.errors ?? [];
  return `${response.status} code ${error?.code} after ${response.headers.get('retry-after')} s: ${error?.message}`;
}

export const refusedWith = (message: RegExp) =>
  expect.stringMatching(new RegExp(`^503 code 500 after [1-9]\\d* s: .*${message.source}`));
