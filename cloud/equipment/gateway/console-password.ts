/** The password of a device, by which people sign in at its local console: made at the claim, and anew when somebody asks for it. */
import type { PasswordVerifier } from '../../../shared/gateway-config.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { verifierOf } from '../../../shared/node/console-password.js';
import { generateCode, type Secrets } from '../../kernel/secrets/entry.js';

/** A new password with what recognises it: made before a transaction, in which nothing but SQL is awaited. */
export interface NewConsolePassword {
  password: string;
  verifier: PasswordVerifier;
}

export async function newConsolePassword(): Promise<NewConsolePassword> {
  const password = generateCode();
  return { password, verifier: await verifierOf(password) };
}

/** The columns of `gateways` that keep a new password. */
export const consolePasswordColumns = (
  { password, verifier }: NewConsolePassword,
  { secrets, now }: { secrets: Pick<Secrets, 'seal'>; now: number },
) => ({
  console_password_sealed: secrets.seal('console_password', password),
  console_password_verifier: encodeJson(verifier),
  console_password_set_at: now,
});
