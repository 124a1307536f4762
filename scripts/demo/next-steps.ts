import { CLOUD_PORT, type DemoPorts, HOST } from './demo-ports.js';
import { renderTable } from './table.js';

const API_TOKEN = 'demo-integration-token-0123456789abcdef';

/** The table that `npm start` ends with: what runs where, and what to try next. */
export function renderNextSteps(ports: DemoPorts, dataDir: string, cloudPid: number | null): string {
  const sim = `http://${HOST}:${ports.control}`;
  const realtime = `ws://${HOST}:${ports.cloud}/v2/realtime`;
  const read = (camera: string, plate: string) =>
    `curl -s ${sim}/cameras/${camera}/read -H 'content-type: application/json' -d '{"plate":"${plate}"}'`;
  const park = (place: string, occupied: boolean) =>
    `curl -s -X PATCH ${sim}/places/${place} -H 'content-type: application/json' -d '{"occupied":${occupied}}'`;
  return renderTable([
    {
      title: 'Running',
      rows: [
        ['cloud', `http://${HOST}:${ports.cloud}  (process ${cloudPid})`],
        ['docs', `http://${HOST}:${ports.cloud}/docs`],
        ['realtime', `${realtime}?token=${API_TOKEN}`],
        ['login', 'owner@harbour.example / "long pass phrase"'],
        ['login', 'guard@harbour.example / "another phrase"'],
        ['API token', API_TOKEN],
        ['entrance agent', `http://${HOST}:${ports.agent}/status`],
        ['exit agent', `http://${HOST}:${ports.agent2}/status`],
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
