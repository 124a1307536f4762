import { CLOUD_PORT, type DemoPorts, HOST } from './demo-ports.js';
import { productDeviceIdSchema } from '../../shared/ids.js';
import { labelSecretOf } from '../sim/products/product-label.js';
import { renderTable } from './table.js';

/** On the label of the demo's gate that is not paired yet. */
const NEW_GATE_SECRET = Buffer.from(labelSecretOf(productDeviceIdSchema.parse('a4c138000006'))).toString('hex');

/** The token of the demo's site file. */
export const API_TOKEN = 'demo-integration-token-0123456789abcdef';

export interface NextStepsFacts {
  /** The passwords of each gateway's page, by its agent. */
  passwords: Readonly<Record<string, string>>;
  dataDir: string;
  cloudPid: number | null;
  speed: number;
}

/** Returns the table that `npm start` ends with: the programs with their addresses, and things to try next. */
export function renderNextSteps(ports: DemoPorts, { passwords, dataDir, cloudPid, speed }: NextStepsFacts): string {
  const sim = `http://${HOST}:${ports.control}`;
  const realtime = `ws://${HOST}:${ports.cloud}/v2/realtime`;
  const read = (camera: string, plate: string) =>
    `curl -s ${sim}/cameras/${camera}/read -H 'content-type: application/json' -d '{"plate":"${plate}"}'`;
  const park = (place: string, occupied: boolean) =>
    `curl -s -X PATCH ${sim}/places/${place} -H 'content-type: application/json' -d '{"occupied":${occupied}}'`;
  const traffic = (factor: number) =>
    `curl -s -X PATCH ${sim}/traffic -H 'content-type: application/json' -d '{"speed":${factor}}'`;
  return renderTable([
    {
      title: 'Look at the car park',
      rows: [
        ['console', `http://${HOST}:${ports.cloud}/`],
        ['sign in as owner', 'owner@harbour.example / "long pass phrase"'],
        ['as attendant', 'guard@harbour.example / "another phrase"'],
        [
          'traffic',
          speed === 0 ? 'stands still' : `members and strangers come and go, ${speed} times as fast as the clock`,
        ],
        speed === 0 ? ['let it go', traffic(20)] : ['stop it', traffic(0)],
        ['how it goes', `curl -s ${sim}/traffic   (npm start -- --speed N begins with another speed, 0 to 60)`],
      ],
    },
    {
      title: 'Running',
      rows: [
        ['cloud', `http://${HOST}:${ports.cloud}  (process ${cloudPid})`],
        ['docs', `http://${HOST}:${ports.cloud}/docs`],
        ['realtime', `${realtime}?token=${API_TOKEN}`],
        ['API token', API_TOKEN],
        ['agent console', `http://${HOST}:${ports.agent}/  (entrance; password ${passwords['agent'] ?? 'not known'})`],
        ['of the exit', `http://${HOST}:${ports.agent2}/  (password ${passwords['agent2'] ?? 'not known'})`],
        ['simulator', `${sim}/`],
        ['logs, state', dataDir],
      ],
    },
    {
      title: 'Try next (in another terminal)',
      rows: [
        ['watch the events', `npm run --silent listen${ports.cloud === CLOUD_PORT ? '' : ` -- ${realtime}`}`],
        ['a member arrives', read('cam-in-1', 'ZG1234AB')],
        ['look at the barrier', `curl -s ${sim}/products/a4c138000001`],
        ['the member leaves', read('cam-out-1', 'ZG1234AB')],
        ['a stranger is denied', read('cam-out-1', 'ZG999XX')],
        ['a car parks on A1', park('A1', true)],
        ['and drives off', park('A1', false)],
        ['pair the new gate', `the lot's guide in the console; secret of its label: ${NEW_GATE_SECRET}`],
        [
          'ask the cloud',
          `curl -s http://${HOST}:${ports.cloud}/v2/products/1 -H 'authorization: Bearer ${API_TOKEN}'`,
        ],
        [
          'close the barrier',
          `curl -s http://${HOST}:${ports.cloud}/v2/products/1/state -H 'authorization: Bearer ${API_TOKEN}' -H 'content-type: application/json' -d '{"operation":"close"}'`,
        ],
        ['stop the cloud', `kill ${cloudPid}   (gates go on working; this window says how to start it again)`],
        ['the gateway', `AGENT_HTTP_PORT=${ports.agent} node dist/agent/main.js status`],
      ],
    },
    { title: 'Ctrl-C stops all of it. npm start -- --reset starts anew.', rows: [] },
  ]);
}
