/** The argument that the gateway starts its radio process with. Checked by hand, because zod would cost that process memory. */
import type { RadioProcessConfig } from './radio-messages.js';

export const encodeRadioConfig = (config: RadioProcessConfig): string => JSON.stringify(config);

/** @throws Error for text that the gateway did not write */
export function decodeRadioConfig(text: string): RadioProcessConfig {
  const config: unknown = JSON.parse(text);
  if (!isRadioConfig(config)) throw new Error('The radio process is started by the gateway, with its configuration');
  return config;
}

const isRadioConfig = (value: unknown): value is RadioProcessConfig =>
  typeof value === 'object' &&
  value !== null &&
  'writeTimeoutMs' in value &&
  typeof value.writeTimeoutMs === 'number' &&
  'silenceMs' in value &&
  typeof value.silenceMs === 'number' &&
  'expectsProducts' in value &&
  'resetsFirst' in value &&
  'hci' in value &&
  typeof value.hci === 'object' &&
  value.hci !== null &&
  'kind' in value.hci &&
  (value.hci.kind === 'adapter' || value.hci.kind === 'sim');
