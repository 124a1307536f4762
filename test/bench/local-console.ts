/** The gateway's own page: what a person's browser fetches of it, and the agent's memory while a browser asks for its view each second. */
import { gzipSync } from 'node:zlib';
import { readOwnPage } from '../../agent/console/page-routes.js';
import { createWorld, type World } from '../world/world.js';
import { amount, printFigure, residentMb, restingMedians } from './harness.js';

const PAGE_KB_MAX = 50;
const MEMORY_RATIO_MAX = 1.1;
/** As the page asks while somebody looks at it. */
const ASKED_EVERY_MS = 1_000;

const medianMemory = async (world: World): Promise<number> =>
  (await restingMedians(() => ({ rssMb: residentMb(world.agentPid()) }))).rssMb;

/** Signs in and asks for everything that the page asks for, until it is ended. */
async function openPage(world: World): Promise<() => void> {
  const { body } = await world.call<{ data: { password: string } }>('GET', '/v2/gateways/1/console-password');
  const headers = { 'content-type': 'application/json' };
  const session = await fetch(`${world.agentUrl}/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ password: body.data.password }),
  });
  const cookie = session.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
  const read = async (path: string) => {
    const answer = await fetch(world.agentUrl + path, { headers: { cookie } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return answer.text();
  };
  const files = [...(await read('/')).matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
  for (const path of [...files, '/api/quarantine', '/api/logs', '/api/support-file', '/api/doctor']) await read(path);
  const timer = setInterval(() => void read('/api/view'), ASKED_EVERY_MS);
  return () => clearInterval(timer);
}

export async function benchLocalConsole(): Promise<void> {
  const page = await readOwnPage();
  if (page === null) throw new Error('npm run build makes the page first');
  const sizes = [...page.files].map(([name, { gzipped }]) => ({ name, bytes: gzipped.length }));
  const html = gzipSync(page.html).length;
  const sum = (isMeant: (name: string) => boolean) =>
    (html + sizes.reduce((bytes, { name, bytes: own }) => bytes + (isMeant(name) ? own : 0), 0)) / 1024;
  const kilobytes = { one: sum((name) => !/^(de|hr|hu)-/.test(name)), all: sum(() => true) };
  printFigure(
    'the page, compressed, with all words of one language',
    amount(kilobytes.one, `{} KB (${kilobytes.all.toFixed(1)} KB with four languages)`, 1),
    amount(PAGE_KB_MAX, '{} KB'),
    1,
  );
  const world = await createWorld({ driver: 'programs' });
  try {
    await world.settled();
    const without = await medianMemory(world);
    const close = await openPage(world);
    const open = await medianMemory(world);
    close();
    printFigure(
      'memory of the agent with the page open',
      amount(open, '{} MB', 1),
      amount(without, '{} MB without', 1),
      MEMORY_RATIO_MAX,
    );
  } finally {
    await world.close();
  }
}
