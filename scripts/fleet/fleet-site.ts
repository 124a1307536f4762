/** Site files of fleets: writes one for a number of gateways, and reads what a run needs from any. */
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { readSiteFile } from '../../cloud/doors/site-file/read-site-file.js';

/** A lot has slots for fifteen gateways. */
const GATEWAYS_OF_LOT = 15;

/** A gateway that a site file declares. */
export interface DeclaredGateway {
  uuid: string;
  claimCode: string;
}

export interface FleetSite {
  gateways: DeclaredGateway[];
  /** The API token of the account; null: the file has none. */
  token: string | null;
}

/** Writes a site file with one account, a token of it, and gateways with one camera each. */
export function fleetSiteText(gateways: number): string {
  const lots = Array.from({ length: Math.ceil(gateways / GATEWAYS_OF_LOT) }, (_, lot) => {
    const first = lot * GATEWAYS_OF_LOT;
    const numbers = Array.from(
      { length: Math.min(GATEWAYS_OF_LOT, gateways - first) },
      (_each, index) => first + index,
    );
    return {
      name: `Fleet ${lot}`,
      gateways: numbers.map((number) => ({
        uuid: `f1ee7000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
        name: `Gateway ${number}`,
        claim_code: `FLEET-${String(number).padStart(6, '0')}`,
      })),
      zones: [
        {
          name: `Zone ${lot}`,
          lpr_cameras: numbers.map((number) => ({
            device_id: `fleet-${number}`,
            name: `Camera ${number}`,
            driver: 'hikvision',
            push_key: `fleet-push-key-${number}`,
            gateway: `Gateway ${number}`,
          })),
        },
      ],
    };
  });
  const user = { email: 'fleet@fleet.example', password: 'a fleet of gateways', name: 'Fleet', role: 'Super Admin' };
  const token = { name: 'fleet', token: 'fleet-integration-token-0123456789abcdef' };
  return stringify({ version: 1, accounts: [{ name: 'Fleet', users: [user], api_tokens: [token], lots }] });
}

/**
 * Reads the gateways with claim codes, and the token, of the first account in a site file.
 * @throws SiteFileError
 */
export function readFleetSite(file: string): FleetSite {
  const { site } = readSiteFile(file, readFileSync(file, 'utf8'));
  const [account] = site.accounts;
  const gateways = (account?.lots ?? []).flatMap((lot) => lot.gateways);
  return {
    gateways: gateways.flatMap(({ uuid, claim_code }) =>
      uuid === undefined || claim_code === undefined ? [] : [{ uuid, claimCode: claim_code }],
    ),
    token: account?.api_tokens[0]?.token ?? null,
  };
}
