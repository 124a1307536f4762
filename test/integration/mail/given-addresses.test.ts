/** Addresses of every kind, given to REST for a guest's key: each is refused with a reason, or is the one receiver of one mail. */
import * as fc from '../../property.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// Before the schemas of addresses: it extends what schemas can say.
import { type KeyWorld, startKeyWorld } from '../key/key-site.js';
import { mailAddressSchema } from '../../../shared/mail-address.js';
import { runs, runsTimeoutMs } from '../../depth.js';
import { type SmtpRecorder, startSmtpRecorder } from '../../world/smtp-recorder.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { OWNER_TOKEN } from '../http/http-site.js';
import { asciiOf, expectOneMail, receiversOf } from './expect-dialogue.js';
import { anyAddress, hostileText } from './mail-arbitraries.js';
import { dispatchTo, stopped } from './smtp-dispatch.js';

/** What is said of an address that is refused: what it must be, and nothing of what was given. */
const REASONS = new Set([
  'Must be an e-mail address',
  'Must be an e-mail address alone, without < and >',
  'Must not hold control characters',
  'Must not be empty',
  'Must have at most 254 characters',
]);

describe('an address that is given over REST', () => {
  let world: KeyWorld;
  let recorder: SmtpRecorder;
  beforeAll(async () => {
    world = await startKeyWorld();
    recorder = await startSmtpRecorder();
  });
  afterAll(async () => {
    await recorder.close();
    await world.cloud.close();
  });

  it(
    'is refused with a reason, or is the one receiver of one mail',
    async () => {
      const given: string[] = [];
      const reasons = new Set<string>();
      await fc.assert(
        fc.asyncProperty(anyAddress, fc.oneof(fc.constant('Ana'), hostileText), async (receiver_identifier, name) => {
          const { status, body } = await world.cloud.ask('POST', '/v2/key-logs', {
            token: OWNER_TOKEN,
            json: {
              product_id: world.barrier,
              name,
              receiver_identifier,
              receiver_identifier_type: 'email',
              start_time: world.iso(0),
            },
          });
          const address = mailAddressSchema.safeParse(receiver_identifier.trim()).data;
          expect([200, 422]).toContain(status);
          if (status === 200) given.push(address ?? receiver_identifier);
          const wrong = (body.errors ?? []).filter(({ field }) => field === 'receiver_identifier');
          expect(wrong.length > 0, JSON.stringify([receiver_identifier, body.errors])).toBe(address === undefined);
          for (const { message } of wrong) reasons.add(message);
        }),
        { numRuns: runs(200, 3, 60) },
      );
      process.stdout.write(`given addresses: ${given.length} accepted, refused: ${[...reasons].join(', ')}\n`);
      expect([...reasons].filter((reason) => !REASONS.has(reason))).toEqual([]);
      expect(given.length).toBeGreaterThan(0);
      const dispatcher = dispatchTo(recorder.port, world.cloud);
      const isOver = async () => {
        await world.cloud.clock.advance(0);
        const waits = world.cloud.store.reader.selectFrom('mails').select('id').where('status', '=', 'queued');
        return (await waits.executeTakeFirst()) === undefined;
      };
      await waitUntil('all mails to be sent', isOver);
      await stopped(dispatcher, world.cloud);
      await recorder.ended();
      for (const dialogue of recorder.dialogues) expectOneMail(dialogue);
      expect(recorder.dialogues.flatMap(receiversOf).toSorted()).toEqual(given.map(asciiOf).toSorted());
    },
    runsTimeoutMs(60_000),
  );
});
