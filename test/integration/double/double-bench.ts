/** A test double in the test's process, with the car park of the stories, and what an integrator's test does with it. */
import { fetchChecked } from '../../contract/checked-fetch.js';
import { createDouble, type Double } from '../../../scripts/sim/double/create-double.js';
import { TEST_SITE, testSiteYaml } from '../../world/site.js';
import { listenRealtime, type RealtimeListener } from '../../world/realtime-listener.js';

/** The addresses do not count: the double moves them to free ports. */
const ADDRESSES = { entry: 1, exit: 2, sensors: 3 };

export interface Answer<Body> {
  status: number;
  body: Body;
}

export interface DoubleBench {
  double: Double;
  control<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>>;
  /** The body is the envelope's `data`. */
  api<Data>(method: string, path: string, body?: unknown): Promise<Answer<Data>>;
  listen(): Promise<RealtimeListener>;
}

export const doubleSite = () =>
  testSiteYaml(ADDRESSES, { secondGateway: true, barrierAutocloseS: null, isGatePaired: true });

export async function startDoubleBench(): Promise<DoubleBench> {
  const double = await createDouble({ site: { name: 'site.yaml', text: doubleSite() }, freeDevicePorts: true });
  const bodyOf = (body: unknown) => (body === undefined ? {} : { body: JSON.stringify(body) });
  const headers = { authorization: `Bearer ${TEST_SITE.apiToken}`, 'content-type': 'application/json' };
  return {
    double,
    async control<Body>(method: string, path: string, body?: unknown) {
      const response = await fetch(`${double.controlUrl}${path}`, { method, ...bodyOf(body) });
      return { status: response.status, body: (await response.json()) as Body };
    },
    async api<Data>(method: string, path: string, body?: unknown) {
      const response = await fetchChecked(`${double.baseUrl}${path}`, { method, headers, ...bodyOf(body) });
      return { status: response.status, body: ((await response.json()) as { data: Data }).data };
    },
    listen: () => listenRealtime(double.baseUrl, TEST_SITE.apiToken),
  };
}
