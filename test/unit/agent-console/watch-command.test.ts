import { describe, expect, it } from 'vitest';
import { type ResultOutput, show, type ShowOptions } from '../../../agent/console/watch-command.js';
import { FakeClock } from '../../world/fake-clock.js';

interface Answer {
  state: string;
  seen_ago_s: number;
}

/** A gateway whose answer changes, and where a command writes. */
function createWatchWorld({ isTerminal = false, height = Infinity } = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const written: string[] = [];
  const notes: string[] = [];
  const gateway: { answer: Answer; fault: string | null; isRead: boolean } = {
    answer: { state: 'closed', seen_ago_s: 1 },
    fault: null,
    isRead: true,
  };
  const output: ResultOutput = {
    isTerminal,
    width: 60,
    height,
    write: (text) => void written.push(text),
    note: (text) => void notes.push(text),
    isRead: async () => gateway.isRead,
  };
  const run = (options: ShowOptions) =>
    show(
      {
        ask: () =>
          gateway.fault === null ? Promise.resolve({ ...gateway.answer }) : Promise.reject(new Error(gateway.fault)),
        json: (answer) => answer,
        lines: ({ state, seen_ago_s }, width) => [`${state} in ${width}`, `seen ${seen_ago_s} s ago`],
      },
      options,
      { output, clock, signal: stop.signal },
    );
  return { clock, stop, written, notes, gateway, run };
}

describe('what a command shows', () => {
  it('is shown once without --watch', async () => {
    const { written, run } = createWatchWorld();
    await run({});
    await run({ json: true });
    expect(written).toEqual(['closed in 60\nseen 1 s ago\n', '{\n  "state": "closed",\n  "seen_ago_s": 1\n}\n']);
  });

  it.each([
    [true, ['{"state":"closed","seen_ago_s":1}\n', '{"state":"opened","seen_ago_s":3}\n']],
    [false, ['closed in 60\nseen 1 s ago\n', '\nopened in 60\nseen 3 s ago\n']],
  ])('is written at each change into a pipe, json %s, and not because time passes', async (json, expected) => {
    const { clock, stop, written, gateway, run } = createWatchWorld();
    const running = run({ watch: true, json });
    await clock.advance(1_000);
    gateway.answer = { state: 'closed', seen_ago_s: 2 };
    await clock.advance(1_000);
    gateway.answer = { state: 'opened', seen_ago_s: 3 };
    await clock.advance(2_000);
    stop.abort(new Error('stopped by SIGINT'));
    await running;
    expect(written).toEqual(expected);
  });

  it('ends when nobody reads it any more, though nothing changes', async () => {
    const { clock, written, gateway, run } = createWatchWorld();
    const running = run({ watch: true });
    await clock.advance(3_000);
    gateway.isRead = false;
    await clock.advance(1_000);
    await running;
    expect(written).toHaveLength(1);
  });

  it('has nothing in it that a terminal would obey', async () => {
    const { stop, written, gateway, run } = createWatchWorld();
    gateway.answer.state = 'a\u001b[31m\u202e';
    stop.abort();
    await run({});
    await run({ json: true });
    expect(written).toEqual([
      'a?[31m? in 60\nseen 1 s ago\n',
      '{\n  "state": "a\\u001b[31m\\u202e",\n  "seen_ago_s": 1\n}\n',
    ]);
  });

  it('is drawn from the top of a terminal, as far as it has room', async () => {
    const { clock, stop, written, gateway, run } = createWatchWorld({ isTerminal: true, height: 3 });
    const running = run({ watch: true });
    await clock.advance(1_000);
    gateway.answer.seen_ago_s = 2;
    await clock.advance(1_000);
    stop.abort();
    await running;
    expect(written).toEqual([
      '\u001b[Hclosed in 60\u001b[K\nseen 1 s ago\u001b[K\n\u001b[J',
      '\u001b[Hclosed in 60\u001b[K\nseen 2 s ago\u001b[K\n\u001b[J',
    ]);
    const small = createWatchWorld({ isTerminal: true, height: 3 });
    small.gateway.answer.state = 'a\nb\nc';
    small.stop.abort();
    await small.run({ watch: true });
    expect(small.written).toEqual(['\u001b[Ha\u001b[K\n(3 more lines)\u001b[K\n\u001b[J']);
  });

  it('waits for a gateway that is started anew, and says so once; one that is not there at first is a failure', async () => {
    const { clock, stop, written, notes, gateway, run } = createWatchWorld();
    gateway.fault = 'no gateway answers';
    await expect(run({ watch: true })).rejects.toThrow('no gateway answers');
    gateway.fault = null;
    const running = run({ watch: true, json: true });
    await clock.advance(1_000);
    gateway.fault = 'no gateway answers';
    await clock.advance(5_000);
    gateway.fault = null;
    gateway.answer.state = 'opened';
    await clock.advance(1_000);
    stop.abort();
    await running;
    expect(notes).toEqual(['no gateway answers']);
    expect(written.map((text) => (JSON.parse(text) as Answer).state)).toEqual(['closed', 'opened']);
  });
});
