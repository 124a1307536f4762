/** `parking-cloud ca init`, `parking-cloud ca issue HOST...` */
import type { Clock } from '../../../shared/clock.js';
import { CertificateError, issueCertificate, type MadeFiles, makeAuthority } from '../../kernel/secrets/entry.js';
import type { CommandIo } from './apply.js';
import { errorText } from '../../../shared/error-text.js';

const DAYS_MAX = 36_500;

export interface CaOptions {
  /** Of the authority. */
  directory: string;
  /** As it was typed. */
  days: string;
}

/**
 * Makes a private authority for the certificates of brokers and services.
 * @returns the exit code: 0 done, 2 it cannot be done as it was asked for; nothing is overwritten
 * @throws what else goes wrong: exit code 1
 */
export function runCaInit(
  options: CaOptions & { name: string },
  deps: { clock: Clock },
  io: CommandIo,
): Promise<0 | 2> {
  return made(io, async () => {
    const { directory, name } = options;
    const files = await makeAuthority({ directory, name, days: daysOf(options), nowMs: deps.clock.now() });
    return [
      `authority  ${files.certificate} (give it to who connects; valid until ${files.validTo})`,
      `key        ${files.key} (who has it can pretend to be any of your servers: keep it off them)`,
      'Next: parking-cloud ca issue HOST..., with the names and addresses that clients use.',
    ];
  });
}

/** Issues a certificate for a server with these names and addresses. @returns as `runCaInit` */
export function runCaIssue(
  options: CaOptions & { to: string; hosts: readonly string[] },
  deps: { clock: Clock },
  io: CommandIo,
): Promise<0 | 2> {
  return made(io, async () => {
    const { directory, to, hosts } = options;
    const files: MadeFiles = await issueCertificate({
      directory,
      to,
      hosts,
      days: daysOf(options),
      nowMs: deps.clock.now(),
    });
    return [
      `certificate  ${files.certificate} (for ${hosts.join(', ')}; valid until ${files.validTo}; its authority stands behind it)`,
      `key          ${files.key}`,
    ];
  });
}

function daysOf({ days }: CaOptions): number {
  const wanted = /^\d{1,5}$/.test(days) ? Number(days) : 0;
  if (wanted < 1 || wanted > DAYS_MAX) throw new CertificateError(`--days: a whole number from 1 to ${DAYS_MAX}`);
  return wanted;
}

async function made(io: CommandIo, make: () => Promise<string[]>): Promise<0 | 2> {
  try {
    for (const line of await make()) io.out(line);
    return 0;
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    io.err(errorText(error));
    return 2;
  }
}
