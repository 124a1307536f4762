export const HOST = '127.0.0.1';
/** Where `npm run listen` connects to. */
export const CLOUD_PORT = 8080;

/** The TCP ports of the demo's programs. */
export interface DemoPorts {
  cloud: number;
  mqtt: number;
  agent: number;
  agent2: number;
  control: number;
}
