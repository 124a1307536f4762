/** `doctor` for who is signed in at the gateway's page: what it answers, and that a product that it moves is told like any other. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDoctorRoutes } from '../../../agent/console/doctor-routes.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import type { GatewayDoctor } from '../../../agent/doctor/gateway-doctor.js';
import { DoctorBusyError, DoctorQuestionError, openAndClose } from '../../../agent/doctor/question-checks.js';
import type { DoctorReport } from '../../../shared/doctor/report.js';
import type { EventId } from '../../../shared/ids.js';
import { FakeClock } from '../../world/fake-clock.js';
import { JAMMED, TestCommander } from '../lpr/plate-world.js';
import { BARRIER, productItem } from '../product/product-item.js';

const PERSON = { by: 'console', address: '127.0.0.1' } as const;
const REPORT: DoctorReport = { version: '1', at_ms: 1, took_ms: 1, is_running: true, findings: [] };

let asked: unknown[];
let last: DoctorReport | null;
let problem: Error | null;
let isSignedIn: boolean;
let server: LocalServer;
const doctor: Pick<GatewayDoctor, 'run' | 'last'> = {
  async run(...given: unknown[]) {
    asked.push(given);
    if (problem !== null) throw problem;
    return REPORT;
  },
  last: () => last,
};

beforeAll(async () => {
  const app = createDoctorRoutes(
    { signedIn: async (context, next) => (isSignedIn ? await next() : context.body(null, 401)) },
    doctor,
  );
  server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());
beforeEach(() => {
  [asked, last, problem, isSignedIn] = [[], null, null, true];
});

async function ask(method: 'GET' | 'POST', body?: string, path = '/api/doctor') {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body }),
  });
  return [answer.status, await answer.text()] as const;
}

describe('/api/doctor', () => {
  it('answers the last report, and runs for who is signed in, in the name of the address that asked', async () => {
    expect(await ask('GET')).toEqual([200, '{"report":null}']);
    expect(await ask('POST', '{"cycle":"Barrier"}')).toEqual([200, JSON.stringify({ report: REPORT })]);
    expect(asked).toEqual([[{ cycle: 'Barrier' }, PERSON]]);
    last = REPORT;
    expect(await ask('GET')).toEqual([200, JSON.stringify({ report: REPORT })]);
  });

  it('is nothing for who is not', async () => {
    isSignedIn = false;
    expect([(await ask('GET'))[0], (await ask('POST', '{}'))[0]]).toEqual([401, 401]);
    expect(asked).toEqual([]);
  });

  it.each([
    ['another key', '{"open":"Barrier"}', 'open'],
    ['a name that is none', '{"cycle":""}', '"field":"cycle"'],
    ['no JSON', 'cycle', 'must be JSON'],
  ])('refuses %s', async (_what, body, words) => {
    const [status, text] = await ask('POST', body);
    expect([status, text]).toEqual([422, expect.stringContaining(words)]);
    expect(asked).toEqual([]);
  });

  it('says what is not there, and what is under way already', async () => {
    problem = new DoctorQuestionError('this gateway has no product X: Barrier');
    expect(await ask('POST', '{}')).toEqual([422, expect.stringContaining('no product X')]);
    problem = new DoctorBusyError('wait for it');
    expect(await ask('POST', '{}')).toEqual([409, expect.stringContaining('wait for it')]);
  });

  it('is asked by a program on the device in the name of a program', async () => {
    expect((await ask('POST', '{}', '/doctor'))[0]).toBe(200);
    expect(asked).toEqual([[{}, expect.objectContaining({ by: 'program' })]]);
  });
});

describe('a product that is opened and closed for a test', () => {
  const cycle = async (commander: TestCommander) => {
    const reported: unknown[] = [];
    const clock = new FakeClock();
    const deps = {
      commander,
      clock,
      newEventId: () => 'deadbeef' as EventId,
      actions: { note: async (...of: unknown[]) => void reported.push(of) },
    };
    const findings = await openAndClose(deps, productItem(BARRIER), PERSON);
    return { reported, at_ms: clock.now(), ids: findings.map(({ id }) => id) };
  };
  const of = { ...PERSON, product_id: productItem(BARRIER).id, event_id: 'deadbeef' };
  const done = { ...of, outcome: 'succeeded', gateway_error_type: null };

  it('is told to the audit log, each movement with who asked and what came of it', async () => {
    const { reported, at_ms, ids } = await cycle(new TestCommander([]));
    expect(reported).toEqual([
      ['operation', { ...done, operation: 'open' }, at_ms],
      ['operation', { ...done, operation: 'close' }, at_ms],
    ]);
    expect(ids).toEqual(['cycle.ok']);
  });

  it('is told as failed where it does not move, and is asked no more', async () => {
    const commander = new TestCommander([]);
    commander.answer = JAMMED;
    const { reported, at_ms, ids } = await cycle(commander);
    expect(reported).toEqual([
      ['operation', { ...of, operation: 'open', outcome: 'failed', gateway_error_type: 5 }, at_ms],
    ]);
    expect(ids).toEqual(['cycle.failed']);
  });
});
