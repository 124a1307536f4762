/** Whom the stored secrets of a thing were given for: only that device gets them (REST contract, "Common rules"). Pure. */
import { decodeJson, type JsonText } from '../../../shared/json-text-codec.js';

/** The holders of a thing's stored secrets, by its fields; null: none yet. Kept as JSON in the thing's `secrets_for`. */
export type SecretHolders = Readonly<Record<string, string | null>>;

/** The holder that a gateway stands for: its device, or whichever claims it first. null: there is no gateway. */
export function holderOf(gateway: { id: number; public_key: string | null } | null): string | null {
  if (gateway === null) return null;
  return gateway.public_key === null ? firstDeviceOf(gateway.id) : deviceHolder(gateway.public_key);
}

export const deviceHolder = (public_key: string): string => `device:${public_key}`;
export const firstDeviceOf = (gateway_id: number): string => `gateway:${gateway_id}`;

/** A thing with secrets, as it is stored. null in `secrets_for`: an older version wrote it, and they are its gateway's. */
interface SecretsRow {
  secrets_for: string | null;
}

export const decodeHolders = ({ secrets_for }: SecretsRow): SecretHolders | null =>
  secrets_for === null ? null : decodeJson(secrets_for as JsonText<SecretHolders>);

/** The fields of a thing whose secrets are stored, and were not given for the device of its gateway. */
export function withheldSecrets(row: SecretsRow, holder: string | null): string[] {
  return Object.entries(decodeHolders(row) ?? {}).flatMap(([name, of]) => (of === holder ? [] : [name]));
}

/** What `problem` says of a thing whose gateway does not get its secrets; null: it gets all. */
export function withheldProblem(
  row: SecretsRow & { gateway_id: number | null; gateway_public_key: string | null },
): string | null {
  const { gateway_id, gateway_public_key } = row;
  if (gateway_id === null) return null;
  const withheld = withheldSecrets(row, holderOf({ id: gateway_id, public_key: gateway_public_key }));
  if (withheld.length === 0) return null;
  return `Its secret is wanted: write ${withheld.join(' and ')} again, because another device is its gateway now`;
}
