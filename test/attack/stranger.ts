/** Another account of the same cloud, whose owner turned attacker: a token, and the credential of a gateway that was claimed as it should be. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimGateway } from '../../agent/commissioning/claim.js';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { startProgram } from '../world/programs.js';
import type { World } from '../world/world.js';
import type { StolenGateway } from './gateway-flood.js';

const TOKEN = 'stranger-integration-token-0123456789abcdef';
const CLAIM_CODE = 'STRANGER-YARD-0001';
const PRODUCT = 'a4c1380000ff';

export interface Stranger {
  token: string;
  account_id: number;
  lot_id: number;
  gateway: StolenGateway;
}

/** Adds the account to the world's cloud beside everything that is there. */
export async function addStranger(world: World): Promise<Stranger> {
  const folder = mkdtempSync(join(tmpdir(), 'stranger-'));
  try {
    const siteFile = join(folder, 'site.yaml');
    writeFileSync(siteFile, SITE);
    const applied = startProgram('cloud/main.js', ['apply', siteFile], { DATA_DIR: join(world.dataDir, 'cloud') });
    if ((await applied.ended).code !== 0) throw new Error(applied.output());
    const { identity } = await claimGateway({
      identity: openIdentity(join(folder, 'identity.json')),
      cloudUrl: world.cloudUrl,
      code: CLAIM_CODE,
    });
    const { mqtt } = identity.cloud ?? {};
    if (mqtt === undefined) throw new Error('the gateway was not claimed');
    const onlyOf = async (list: string): Promise<{ id: number; account_id: number }> => {
      const { body } = await world.call<{ data: { id: number; account_id: number }[] }>('GET', `/v2/${list}`, {
        token: TOKEN,
      });
      if (body.data[0] === undefined) throw new Error(`no ${list}`);
      return body.data[0];
    };
    const idOf = async (list: string): Promise<number> => (await onlyOf(list)).id;
    const lot = await onlyOf('lots');
    const gateway = {
      uuid: mqtt.username,
      password: mqtt.password,
      lpr_camera_id: await idOf('lpr-cameras'),
      zone_id: await idOf('zones'),
      product_id: await idOf('products'),
      product_device_id: PRODUCT,
    };
    return { token: TOKEN, account_id: lot.account_id, lot_id: lot.id, gateway };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SITE = `version: 1
accounts:
  - name: Stranger
    users:
      - {email: owner@stranger.example, password: "long pass phrase", name: Stan, role: Super Admin}
    api_tokens:
      - {name: attack, token: ${TOKEN}}
    lots:
      - name: Yard
        timezone: Europe/Zagreb
        gateways:
          - {name: Yard Pi, claim_code: ${CLAIM_CODE}}
        zones:
          - name: Yard
            products:
              - {device_id: ${PRODUCT}, name: Barrier, type: barrier, master_key: "${'5e'.repeat(32)}"}
            lpr_cameras:
              - {device_id: cam-yard, name: Camera, driver: hikvision, push_key: yard-push-key, lpr_position: out, gateway: Yard Pi}
`;
