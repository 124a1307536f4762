import { tmpdir } from 'node:os';
import { setTimeout as later } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDoctor, type DoctorCheck } from '../../../agent/doctor/doctor.js';
import { type GatewayCheckDeps, gatewayChecks } from '../../../agent/doctor/gateway-checks.js';
import { createGatewayDoctor } from '../../../agent/doctor/gateway-doctor.js';
import { DoctorQuestionError } from '../../../agent/doctor/question-checks.js';
import { renderReport } from '../../../agent/doctor/render-report.js';
import { found } from '../../../shared/doctor/findings.js';
import { boundFindings } from '../../../shared/doctor/report.js';
import { FakeClock } from '../../world/fake-clock.js';

const doctorOf = (clock: FakeClock, ...checks: DoctorCheck[]) =>
  createDoctor({ clock, version: '1.2.3', isRunning: true, checks, onReport() {} });

describe('a run', () => {
  it('is one at a time: a second caller gets the same', async () => {
    let runs = 0;
    const doctor = doctorOf(new FakeClock(), {
      name: 'power',
      run: () => [found('power.ok', null, { runs: (runs += 1) } as never)],
    });
    const [first, second] = await Promise.all([doctor.run(), doctor.run()]);
    expect(first).toBe(second);
    await doctor.run();
    expect(runs).toBe(2);
  });

  it('asks for the status once, however many checks look at it', async () => {
    let asked = 0;
    const status = () => {
      asked += 1;
      return Promise.reject(new Error('the store does not answer'));
    };
    // The checks come no further than to the status.
    const checks = gatewayChecks({ status, rules: { cameras: () => [] } } as unknown as GatewayCheckDeps);
    const doctor = doctorOf(new FakeClock(), ...checks);
    const { findings } = await doctor.run();
    expect(findings.filter(({ id }) => id === 'check.failed').length).toBeGreaterThan(5);
    expect(asked).toBe(1);
    await doctor.run();
    expect(asked).toBe(2);
  });

  it('ends although a check does not, names it, and does not begin it again while it is still at it', async () => {
    const clock = new FakeClock();
    let begun = 0;
    let aborted = 0;
    const stuck: DoctorCheck = {
      name: 'stuck',
      run(signal) {
        begun += 1;
        signal.addEventListener('abort', () => (aborted += 1));
        return new Promise(() => {});
      },
    };
    const doctor = doctorOf(clock, stuck, { name: 'power', run: () => [found('power.ok', null, {})] });
    const running = doctor.run();
    await clock.advance(6_000);
    const { findings, took_ms } = await running;
    expect(findings.map(({ id }) => id)).toEqual(['check.late', 'power.ok']);
    expect(findings[0]?.facts).toEqual({ check: 'stuck' });
    expect(took_ms).toBeLessThanOrEqual(6_000);
    expect((await doctor.run()).findings.map(({ id }) => id)).toEqual(['check.late', 'power.ok']);
    expect([begun, aborted]).toEqual([1, 1]);
  });

  it('tells what a check found that ends by its signal, and that one failed itself', async () => {
    const clock = new FakeClock();
    const slow: DoctorCheck = {
      name: 'slow',
      run: (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve([found('power.low', null, {})]))),
    };
    const broken: DoctorCheck = { name: 'broken', run: () => Promise.reject(new Error('no such thing')) };
    const running = doctorOf(clock, slow, broken).run();
    await clock.advance(6_000);
    expect((await running).findings).toEqual([
      found('power.low', null, {}),
      found('check.failed', null, { check: 'broken', problem: 'no such thing' }),
    ]);
    await later(0);
  });
});

describe('the question what would become of a plate', () => {
  const PERSON = { by: 'console', address: '192.0.2.7' } as const;
  const notes: unknown[] = [];
  const decision = { access_decision: 'granted', access_decision_reason: 'member' };
  // The checks that look at anything else of the gateway fail, and are told as failed.
  const doctor = createGatewayDoctor({
    clock: new FakeClock(),
    logger: { info() {} },
    version: '1.2.3',
    publish() {},
    dataDir: tmpdir(),
    cloud: null,
    rules: { cameras: () => [{ name: 'Entry', product_device_id: null }] },
    runDry: (_camera: unknown, plate: string) => ({ plate, decision, is_zone_known: true, is_held_closed: false }),
    actions: { note: (...of: unknown[]) => void notes.push(of) },
  } as unknown as Parameters<typeof createGatewayDoctor>[0]);
  beforeEach(() => void notes.splice(0));

  it('is noted with who asked, for it says something about a person', async () => {
    await doctor.run({ plate: 'ZG 1234-AB' }, PERSON);
    await doctor.run({ plate: `ZG${' '.repeat(10_000)}1`, camera: 'Entry' }, PERSON);
    expect(notes).toEqual([
      ['ask_plate', { ...PERSON, plate: 'ZG 1234-AB' }],
      ['ask_plate', { ...PERSON, plate: expect.stringMatching(/^ZG {1,100}$/) }],
    ]);
  });

  it('is noted no more than it is asked: without a plate, by nobody, or of what is no question', async () => {
    await doctor.run({}, PERSON);
    await doctor.run();
    for (const question of [{ plate: '---' }, { camera: 'Entry' }, { plate: 'ZG1', camera: 'Another' }])
      await expect(doctor.run(question, PERSON)).rejects.toThrow(DoctorQuestionError);
    expect(notes).toEqual([]);
  });
});

describe('what people read', () => {
  const report = {
    version: '1',
    at_ms: 0,
    took_ms: 1_234,
    is_running: true,
    findings: [
      found('camera.offline', 'Entry camera', { problem: 'connect ECONNREFUSED 192.168.1.20:80' }),
      found('gateway.claimed', null, { cloud: 'https://cloud.example/' }),
    ],
  };

  it('in a file or pipe: a line for each finding, without colours', () => {
    expect(renderReport(report, { width: null, isColoured: false }).split('\n')).toEqual([
      'failure  camera   Entry camera: does not answer: connect ECONNREFUSED 192.168.1.20:80. Has it power and network? Find it: parking-agent cameras discover; give it its old address on its own web page, or enter the new one in the console. [camera.offline]',
      'ok       gateway  belongs to the cloud https://cloud.example/',
      '',
      '1 failure, 0 warnings, 1 ok, in 1.2 s',
      'What the ids in brackets mean: https://cloud.example/docs/guides/doctor',
    ]);
  });

  it('what follows from a finding stands under it, without advice of its own', () => {
    const findings = boundFindings([
      found('gateway.running', null, { version: '1', uptime_s: 1 }),
      found('cloud.unreachable', 'c.example:443', { problem: 'no_address' }),
      found('store.failed', null, { problem: 'EROFS' }),
      found('dns.silent', null, { servers: '192.168.1.1' }),
      found('session.none', null, { since_s: 5 }),
    ]);
    const lines = renderReport({ ...report, findings }, { width: null, isColoured: false }).split('\n');
    expect(lines.map((line) => line.replace(/(\. [A-Z].*)? \[/, ' ['))).toEqual([
      'failure  memory file   nothing can be kept: EROFS [store.failed]',
      'failure  names         no name server answers: 192.168.1.1 [dns.silent]',
      'failure  └ cloud       c.example:443: is not reached: its name has no address [cloud.unreachable]',
      'failure  └ connection  not connected to the cloud for 5 s [session.none]',
      'ok       gateway       has run for 1 s, version 1',
      '',
      '2 failures, 0 warnings, 2 that follow from them, 1 ok, in 1.2 s',
      expect.stringContaining('What the ids in brackets mean'),
    ]);
    expect(lines[1]).toContain('(DHCP)');
    expect(lines[2]).not.toContain('. ');
  });

  it('on a phone of 30 columns: level and area in a line, the words below them, nothing cut and ids whole', () => {
    const findings = boundFindings([
      found('dns.silent', null, { servers: '192.168.1.1' }),
      found('cloud.unreachable', 'c.example:443', { problem: 'no_address' }),
    ]);
    const text = renderReport({ ...report, findings }, { width: 30, isColoured: false });
    const [finding = ''] = text.split('\n\n');
    expect(Math.max(...finding.split('\n').map((line) => line.length))).toBeLessThanOrEqual(30);
    expect(finding.split('\n').slice(0, 4)).toEqual([
      'failure  names',
      '  no name server answers:',
      '  192.168.1.1 [dns.silent]',
      '  → It stands in',
    ]);
    expect(finding).toContain('\nfailure  └ cloud\n  c.example:443: is not');
    expect(finding).toContain('[cloud.unreachable]');
  });

  it('repeats nothing that a terminal would obey', () => {
    const hostile = found('camera.stranger', 'Entry\u001b[2J\u202e', {
      address: 'x\u0007',
      driver: 'dahua',
      answer: '\u009b31m',
    });
    const text = renderReport({ ...report, findings: [hostile] }, { width: null, isColoured: false });
    expect(text).toContain('Entry?[2J?');
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });

  it('on a terminal: no line is wider, what to do stands below, and the level has its colour', () => {
    const text = renderReport(report, { width: 60, isColoured: true });
    expect(text).toContain('\u001b[31mfailure  \u001b[0mcamera   Entry camera: does not answer: connect');
    expect(text).toMatch(/^ {18}→ Has it power and network\? Find it:$/m);
    const plain = ['\u001b[31m', '\u001b[32m', '\u001b[0m'].reduce((rest, colour) => rest.replaceAll(colour, ''), text);
    expect(Math.max(...plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(73);
  });
});
