/**
 * The order of the jobs at each product: one after the other, in the order in which they came. Only an opening, for which a driver may
 * be standing there, does not wait for the end of a movement. It also passes the jobs that wait for that end and move nothing.
 */
import type { ProductDeviceId } from '../../shared/ids.js';
import { deferred } from '../waiting/deferred.js';

/**
 * `opening`: shares the movement that is under way, over the same link, and passes jobs that are `still`.
 * `still`: moves nothing, and has the same result before or after an opening.
 * `ordered`: waits for all jobs before it, and no job passes it.
 */
export type JobKind = 'opening' | 'still' | 'ordered';

/** `free`: the product is free. `moving`: it is in motion for another job, whose link this one shares. */
export type TurnStart = 'free' | 'moving';

export interface Turn {
  /** Settles when the turn comes; null: it has come already, and the product is free. After `end` it never settles. */
  readonly start: Promise<TurnStart> | null;
  /** Notes that the product moves for this job, so that an opening need not wait any longer. */
  setMoving(): void;
  /** Call it once, when the job has its outcome. The turn is over when `released` settles. */
  end(released: Promise<void>): void;
}

export interface ProductTurns {
  enter(deviceId: ProductDeviceId, kind: JobKind): Turn;
}

interface Job {
  kind: JobKind;
  phase: 'waiting' | 'asking' | 'moving';
  begin(start: TurnStart): void;
}

export function createProductTurns(): ProductTurns {
  /** The jobs of each product that have not released it, in the order in which they came. */
  const jobsOf = new Map<ProductDeviceId, Job[]>();

  /** Begins the jobs that may begin now. Two jobs never ask the product at the same time. */
  const admit = (jobs: readonly Job[]) => {
    for (const [index, job] of jobs.entries()) {
      if (job.phase !== 'waiting') continue;
      const others = jobs.filter(({ phase }) => phase !== 'waiting');
      const isFree = others.length === 0;
      if (!isFree && (job.kind !== 'opening' || others.some(({ phase }) => phase === 'asking'))) continue;
      const passed = jobs.slice(0, index).filter(({ phase }) => phase === 'waiting');
      if (passed.some(({ kind }) => kind !== 'still')) return;
      job.phase = 'asking';
      job.begin(isFree ? 'free' : 'moving');
    }
  };

  return {
    enter(deviceId, kind) {
      const jobs = jobsOf.get(deviceId) ?? [];
      jobsOf.set(deviceId, jobs);
      const start = deferred<TurnStart>();
      const job: Job = { kind, phase: 'waiting', begin: start.resolve };
      jobs.push(job);
      admit(jobs);
      const leave = () => {
        jobs.splice(jobs.indexOf(job), 1);
        if (jobs.length > 0) admit(jobs);
        else if (jobsOf.get(deviceId) === jobs) jobsOf.delete(deviceId);
      };
      return {
        start: jobs.length === 1 ? null : start.promise,
        setMoving() {
          job.phase = 'moving';
          admit(jobs);
        },
        end: (released) => void released.then(leave),
      };
    },
  };
}
