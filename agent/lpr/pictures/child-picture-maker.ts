import type { ChildProcess } from 'node:child_process';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { onceExited, startChild } from '../../process/start-child.js';
import { PICTURE_SIDE_PIXELS_MAX, type PictureMaker } from './picture-maker.js';
import type { FromPictureProcess, ToPictureProcess } from './picture-messages.js';

const PROGRAM = new URL('./picture-process.js', import.meta.url);
/** A Pi needs three seconds for the biggest picture; a process that needs longer counts as hanging. */
const PICTURE_TIMEOUT_MS = 20_000;
/** Starting the process costs a Pi a second of processor time; keeping it costs as much memory as the gateway itself. */
const IDLE_MS = 60_000;

interface Run {
  child: ChildProcess;
  exited: Promise<unknown>;
  /**
   * Settles the picture under way; null: there is none. A reaction on `exited` for each picture would keep all pictures in memory until the
   * process ends.
   */
  settle: ((answer: FromPictureProcess) => void) | null;
}

/**
 * Driver: sharp in a process of its own (picture-process), which runs only while pictures come. When it ends or hangs, the picture
 * under way fails, and the next picture starts another process.
 */
export function createChildPictureMaker(deps: { clock: Clock; logger: Logger; program?: URL }): PictureMaker {
  const { clock, logger, program = PROGRAM } = deps;
  let run: Run | null = null;
  let idle: Timer | null = null;
  let isClosed = false;

  function start(): Run {
    const child = startChild(program, {
      name: 'picture process',
      logger,
      hasInput: true,
      confined: true,
      givesWay: true,
    });
    const exited = onceExited(child).then((how) => {
      if (run === started) run = null;
      started.settle?.({ failed: `the picture process: ${how}` });
    });
    const started: Run = { child, exited, settle: null };
    child.on('message', (message) => started.settle?.(message as FromPictureProcess));
    // A broken pipe ends the process, which is handled.
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    return started;
  }
  function end(): void {
    run?.child.kill('SIGKILL');
    run = null;
  }

  async function ask(asked: Run, jpeg: Uint8Array, how: Omit<ToPictureProcess, 'bytes'>): Promise<Uint8Array> {
    let timer: Timer | undefined;
    const answer = await new Promise<FromPictureProcess>((resolve) => {
      asked.settle = resolve;
      timer = clock.setTimer(PICTURE_TIMEOUT_MS, () => {
        resolve({ failed: `not made within ${PICTURE_TIMEOUT_MS / 1000} s` });
        end();
      });
      asked.child.send({ bytes: jpeg.byteLength, ...how } satisfies ToPictureProcess, () => {});
      asked.child.stdin?.write(jpeg);
    });
    timer?.cancel();
    asked.settle = null;
    if ('failed' in answer) throw new Error(answer.failed);
    return answer.jpeg;
  }

  return {
    async scale(jpeg, box, sidePixelsMax = PICTURE_SIDE_PIXELS_MAX) {
      if (isClosed) throw new Error('the gateway is stopping');
      idle?.cancel();
      run ??= start();
      try {
        return await ask(run, jpeg, { box, sidePixelsMax });
      } finally {
        if (!isClosed) idle = clock.setTimer(IDLE_MS, end);
      }
    },
    async close() {
      isClosed = true;
      idle?.cancel();
      const ending = run?.exited;
      end();
      await ending;
    },
  };
}
