/** What the log shows of a failure, through the logger that both programs make. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { UpMessage } from '../../../cloud/equipment/broker/broker.js';
import { createGatewayLink, type GatewayLinkDeps } from '../../../cloud/doors/uplink/gateway-link.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { Logger, LogFields } from '../../../shared/logger.js';
import { sendableLogFields } from '../../../shared/sent-log-fields.js';

const UUID = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');

/** As both programs make it; its lines as a reader of the log gets them. */
function createPinoLog(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level: 'debug', base: null },
    { write: (text: string) => void lines.push(JSON.parse(text) as Record<string, unknown>) },
  );
  return { logger, lines };
}

function diskError(): Error {
  return Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
}

const shownError = {
  message: 'the disk is full',
  code: 'ENOSPC',
  stack: expect.stringContaining('at diskError') as string,
};

/** A gateway's link to the cloud whose broker refuses every message; only what a hello meets is there. */
function createBrokenLink(logger: Logger): { sayHello(): Promise<void> } {
  let handle: (message: UpMessage) => Promise<void> = () => Promise.resolve();
  const deps = {
    broker: {
      onMessage(listener: typeof handle) {
        handle = listener;
        return () => {};
      },
      publish: () => Promise.reject(diskError()),
    },
    logger,
    clock: systemClock,
    quota: { spend: async () => true },
    hello: async () => ({ gateway_id: 7, hello: {}, welcome: {} }),
    presence: { handleHello: async () => {} },
    publisher: { hello: async () => {} },
    helloRequester: { note: () => {} },
    unhandled: { handled: async () => {} },
  };
  createGatewayLink(deps as unknown as GatewayLinkDeps);
  return { sayHello: () => handle({ uuid: UUID, channel: 'hello', payload: Buffer.from('{}') }) };
}

describe('a failure in the log', () => {
  it('has its message, its stack and its code', async () => {
    const { logger, lines } = createPinoLog();
    await createBrokenLink(logger).sayHello();
    await expect.poll(() => lines).toMatchObject([{ uuid: UUID, channel: 'welcome', err: shownError }]);
  });

  it('has them also when it came from another thread or process', () => {
    const { logger, lines } = createPinoLog();
    const sent = structuredClone(sendableLogFields({ section: 'plates', err: diskError() }));
    logger.warn(sent, 'not kept');
    expect(lines).toMatchObject([{ section: 'plates', err: { name: 'Error', ...shownError } }]);
  });

  it('has what it came from', () => {
    const { logger, lines } = createPinoLog();
    logger.error({ err: new Error('not stored', { cause: diskError() }) }, 'trying again');
    expect(lines).toMatchObject([{ err: { message: 'not stored: the disk is full' } }]);
  });
});

/** The compiler's answer to these fields of a log line. */
type Verdict<Fields extends Record<string, unknown>> = Fields extends LogFields<Fields> ? 'allowed' : 'refused';

describe('the type of the fields of a log line', () => {
  it('allows whatever a reader finds in the log', () => {
    interface Sized {
      name: string;
      sizes: readonly number[];
    }
    const verdicts: 'allowed'[] = [
      'allowed' satisfies Verdict<{ err: unknown }>,
      'allowed' satisfies Verdict<{ err: Error; uuid: typeof UUID; attempt: number }>,
      'allowed' satisfies Verdict<{ at: Date; url: URL; of: Sized; maybe: string | undefined }>,
    ];
    expect(verdicts).toHaveLength(3);
  });

  it('refuses what the log would show as {} or not at all', () => {
    const verdicts: 'refused'[] = [
      'refused' satisfies Verdict<{ error: Error }>,
      'refused' satisfies Verdict<{ error: unknown }>,
      'refused' satisfies Verdict<{ error: string }>,
      'refused' satisfies Verdict<{ cause: Error }>,
      'refused' satisfies Verdict<{ reason: unknown }>,
      'refused' satisfies Verdict<{ found: { nested: Error } }>,
      'refused' satisfies Verdict<{ sections: Set<string> }>,
      'refused' satisfies Verdict<{ sections: ReadonlyMap<string, number> }>,
      'refused' satisfies Verdict<{ counter: bigint }>,
      'refused' satisfies Verdict<{ payload: Uint8Array }>,
      'refused' satisfies Verdict<{ answer: Promise<string> }>,
      'refused' satisfies Verdict<Record<string, unknown>>,
    ];
    expect(verdicts).toHaveLength(12);
  });
});
