import { renderTable } from '../demo/table.js';

const API_TOKEN = 'demo-integration-token-0123456789abcdef';

export interface ClusterPlaces {
  /** The address of the load balancer. */
  url: string;
  mqttUrl: string;
  terminalsUrl: string;
  clouds: readonly { name: string; url: string; pid: number | null }[];
  brokers: readonly { name: string; port: number; pid: number | null }[];
  postgres: { url: string; pid: number | null };
  dataDir: string;
  /** Settings with which a subcommand of the cloud works on the same installation. */
  env: Readonly<Record<string, string>>;
}

/** Returns the table that `scripts/cluster` ends with: the programs with their addresses, and things to try next. */
export function renderClusterTable(places: ClusterPlaces): string {
  const { url, dataDir, clouds, brokers, postgres } = places;
  const env = Object.entries(places.env).map(([name, value]) => `${name}=${value}`);
  const [firstCloud] = clouds;
  const [firstBroker] = brokers;
  const stream = `${url.replace('http', 'ws')}/v2/realtime`;
  return renderTable([
    {
      title: 'Running',
      rows: [
        ['load balancer', `${url}, for gateways ${places.mqttUrl}, for terminals ${places.terminalsUrl}`],
        ['docs', `${url}/docs`],
        ['realtime', `${stream}?token=${API_TOKEN}`],
        ...clouds.map(({ name, url: own, pid }): [string, string] => [name, `${own}  (process ${pid})`]),
        ...brokers.map(({ name, port, pid }): [string, string] => [name, `mqtt://127.0.0.1:${port}  (process ${pid})`]),
        ['PostgreSQL', `${postgres.url}  (process ${postgres.pid})`],
        ['login', 'owner@harbour.example / "long pass phrase"'],
        ['API token', API_TOKEN],
        ['logs, state', dataDir],
      ],
    },
    {
      title: 'Try next (in another terminal)',
      rows: [
        ['watch the events', `npm run --silent listen -- ${stream}`],
        ['ask the cloud', `curl -s ${url}/v2/lots -H 'authorization: Bearer ${API_TOKEN}'`],
        ['a hundred gateways', `scripts/simulate-fleet site --gateways 100 > ${dataDir}/fleet.yaml`],
        ['', `${env.join(' ')} node dist/cloud/main.js apply ${dataDir}/fleet.yaml`],
        [
          '',
          `scripts/simulate-fleet run --cloud ${url} --site ${dataDir}/fleet.yaml --state ${dataDir}/fleet --seconds 60`,
        ],
        ['kill a cloud', `kill -9 ${firstCloud?.pid}   (it is started again; no record is lost)`],
        ['kill a broker', `kill -9 ${firstBroker?.pid}`],
        ['stop the database', `kill -QUIT ${postgres.pid}   (503 with Retry-After until it is back)`],
        ['what a cloud measures', `curl -s ${firstCloud?.url}/metrics`],
      ],
    },
    { title: 'Ctrl-C stops all of it. scripts/cluster --reset starts anew.', rows: [] },
  ]);
}
