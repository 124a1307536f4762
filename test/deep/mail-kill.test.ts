/**
 * Kills the cloud again and again while it sends mails. None is lost, and a mail comes twice only where SMTP leaves it open: the mail server
 * had accepted it, and the process died before that was committed. The repeat has the same Message-ID.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupBy } from '../../shared/grouping.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { fetchChecked } from '../contract/checked-fetch.js';
import { freePorts } from '../world/free-ports.js';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';
import { SEED } from '../seed.js';
import { type MailServer, startMailServer } from '../world/mail-server.js';
import { openMigratedStore } from '../world/migrated-store.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const KILLS = 20;
const MAILS = 200;
const TOKEN = 'mail-kill-token-0123456789abcdef-01';
const SITE = `version: 1
accounts:
  - name: Harbour
    users: [{email: o@harbour.example, password: "long pass phrase", name: Olga}]
    api_tokens: [{name: integration, token: ${TOKEN}}]
    lots:
      - name: North
        zones: [{name: Level 0, products: [{device_id: a4c138000001, name: Entry barrier, type: barrier}]}]
`;
const random = seededRandom(SEED);

let directory: string;
let env: Record<string, string>;
let url: string;
let server: MailServer;
let cloud: RunningProgram | undefined;
/** Which process sends: it ends with the kill of this number. */
let life = 1;
/** What the mail server accepted, and from which process: it may notice only after the kill that this process is gone. */
const accepted: { receiver: string; life: number; id: string }[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mail-kill-'));
  server = await startMailServer();
  const begun = new Map<string, number>();
  server.onReceiver = (receiver) => void begun.set(receiver, life);
  // A mail takes a moment, as at any mail server, so that kills meet mails at each step.
  server.onMessage = async ({ to: [receiver = ''], parsed }) => {
    await sleep(random() * 20);
    accepted.push({ receiver, life: begun.get(receiver) ?? 0, id: parsed.messageId ?? '' });
  };
  const [port, mqttPort] = await freePorts(2);
  const ports = { PORT: String(port), MQTT_PORT: String(mqttPort) };
  env = { DATA_DIR: join(directory, 'data'), SMTP_URL: `smtp://127.0.0.1:${server.port}`, ...ports };
  url = `http://127.0.0.1:${port}`;
  const site = join(directory, 'site.yaml');
  writeFileSync(site, SITE);
  expect(await startProgram('cloud/main.js', ['apply', site], env).ended).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await cloud?.end();
  await server?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function serve(): Promise<void> {
  cloud = startProgram('cloud/main.js', ['serve'], env);
  await waitUntil('the cloud to answer', async () => (await fetch(`${url}/readyz`)).ok);
}

/** The receivers of the mails that have this status in the database, as an operator asks for them. */
async function receiversOf(status: 'queued' | 'sent' | 'failed'): Promise<string[]> {
  const program = startProgram('cloud/main.js', ['mail', 'list', '--status', status, '--json'], env);
  const { code } = await program.ended;
  expect([program.output(), code]).toEqual([expect.any(String), 0]);
  return (JSON.parse(program.output()) as { receiver_email: string }[]).map(({ receiver_email }) => receiver_email);
}

/** The same of those that were sent, from the database of a cloud that was killed. */
async function recordedAsSent(): Promise<Set<string>> {
  const databaseUrl = `sqlite:${join(env.DATA_DIR ?? '', 'cloud.db')}`;
  const store = await openMigratedStore({ url: databaseUrl, clock: systemClock, logger: silentLogger });
  try {
    const sent = store.reader.selectFrom('mails').select('receiver_email').where('status', '=', 'sent');
    return new Set((await sent.execute()).map(({ receiver_email }) => receiver_email));
  } finally {
    await store.close();
  }
}

it(`loses no mail in ${KILLS} kills`, async () => {
  await serve();
  const receivers = Array.from({ length: MAILS }, (_, at) => `guest${at}@guest.example`);
  const made = await fetchChecked(`${url}/v2/operation-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      start_time: new Date().toISOString(),
      products: ['a4c138000001'],
      receiver_emails: receivers,
    }),
  });
  expect(made.status).toBe(200);
  const recorded: Set<string>[] = [];
  for (; life <= KILLS; life++) {
    if (life > 1) cloud = startProgram('cloud/main.js', ['serve'], env);
    const before = accepted.length;
    const mailsUntilKill = 1 + Math.floor(random() * 8);
    await waitUntil('mails to be sent', () => accepted.length >= before + mailsUntilKill);
    await sleep(random() * 30);
    await cloud?.end('SIGKILL');
    recorded.push(await recordedAsSent());
  }
  await serve();
  await waitUntil('all to be sent', async () => (await receiversOf('sent')).length === MAILS, 120_000);
  recorded.push(new Set(receivers));

  /** The process died between the server's acceptance and the commit. */
  const isLeftOpen = (each: { receiver: string; life: number }) => !recorded[each.life - 1]?.has(each.receiver);
  const rows = recorded.slice(0, KILLS).map((sent, at) => {
    const ofLife = accepted.filter((each) => each.life === at + 1);
    return [at + 1, ofLife.length, sent.size, ofLife.filter(isLeftOpen).length].join('\t');
  });
  const idsOf = groupBy(accepted, ({ receiver }) => receiver);
  const repeated = [...idsOf.values()].filter(({ length }) => length > 1);
  process.stdout.write(
    `\nkills of the cloud during sending, seed ${SEED}\nkill\taccepted\trecorded as sent\tleft open by SMTP\n${rows.join('\n')}\n` +
      `${MAILS} mails, ${accepted.length} accepted, ${repeated.length} came again, ${receivers.filter((each) => !idsOf.has(each)).length} lost\n`,
  );
  expect([...idsOf.keys()].toSorted(), `seed ${SEED}`).toEqual(receivers.toSorted());
  for (const [receiver, each] of idsOf) {
    // Accepted and recorded once; each further time was left open.
    expect([receiver, each.length], `seed ${SEED}`).toEqual([receiver, 1 + each.filter(isLeftOpen).length]);
    expect(new Set(each.map(({ id }) => id)).size).toBe(1);
  }
  expect(new Set(accepted.map(({ id }) => id)).size).toBe(MAILS);
  expect([await receiversOf('queued'), await receiversOf('failed')]).toEqual([[], []]);
}, 300_000);
