/**
 * Service: claims this device, one claim at a time. A code of the settings is asked for again until the cloud answers; once it is refused,
 * only a new code is asked for.
 */
import type { Clock } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import { ClaimError, claimGateway, type Joined } from './claim.js';
import type { Identity } from './identity.js';
import { joinCloud } from './join.js';

/** Whoever guesses codes at a gateway is as slow as this; the cloud limits them besides. */
const PACE_MS = 3_000;

export interface ClaimWanted {
  cloudUrl: string;
  code: string;
  /** For a claimed gateway that keeps what it has: the key of its cloud. */
  again?: { cloudKey: string };
  /** PEM of the private authority behind the cloud's certificate. */
  ca?: string;
}

export interface ClaimView {
  /** `refused`: it asks no more until it is told another code. */
  state: 'unclaimed' | 'asking' | 'refused' | 'claimed';
  /** Why the last claim did not succeed, and what to do about it; null: nothing is wrong. */
  problem: string | null;
}

export interface ClaimDesk {
  view(): ClaimView;
  /** Asks until the cloud answers. Rejects with the ClaimError of a refusal, or when a claim by hand took its place. */
  join(claim: ClaimWanted): Promise<void>;
  /**
   * Asks once, in the place of `join`. Before it resolves, the claim is on disk.
   * @throws ClaimError
   */
  claim(wanted: ClaimWanted): Promise<Joined>;
  /** Ends what is under way. */
  close(): void;
}

interface DeskDeps {
  identity: () => Identity;
  clock: Clock;
  random: () => number;
  logger: Logger;
  onJoined: (joined: Joined) => void;
}

export function createClaimDesk(deps: DeskDeps): ClaimDesk {
  const { identity, clock } = deps;
  let isAsking = false;
  let nextMs = Number.NEGATIVE_INFINITY;
  const closing = new AbortController();
  const joining = createJoining(deps, closing.signal);

  function checkTurn(wanted: ClaimWanted): void {
    checkClaimed(identity(), wanted);
    if (isAsking) throw new ClaimError('busy', 'another claim of this device is under way: wait for its answer');
    if (clock.monotonic() < nextMs)
      throw new ClaimError('busy', `the last claim failed a moment ago: try again in ${PACE_MS / 1_000} s`);
  }

  return {
    view: () => (identity().cloud === null ? joining.view() : CLAIMED),
    join: joining.begin,
    async claim(wanted) {
      checkTurn(wanted);
      isAsking = true;
      try {
        await joining.pause();
        // It may have been claimed by its settings just now.
        checkClaimed(identity(), wanted);
        const joined = await claimGateway({ identity: identity(), ...wanted, signal: closing.signal });
        joining.finish(joined, wanted);
        return joined;
      } catch (error) {
        nextMs = clock.monotonic() + PACE_MS;
        if (error instanceof ClaimError && identity().cloud === null) joining.resume(error);
        throw error;
      } finally {
        isAsking = false;
      }
    },
    close: () => closing.abort(new Error('the gateway is stopping')),
  };
}

const CLAIMED: ClaimView = { state: 'claimed', problem: null };

/** The claim of the settings, which is asked for again and again, and steps aside for one by hand. */
function createJoining({ identity, clock, random, logger, onJoined }: DeskDeps, closing: AbortSignal) {
  let view: ClaimView = { state: 'unclaimed', problem: null };
  /** null: it is not worth asking. */
  let wished: ClaimWanted | null = null;
  let underWay: { stop: AbortController; ended: Promise<void> } | null = null;

  function finish(joined: Joined, { cloudUrl }: ClaimWanted): void {
    view = CLAIMED;
    wished = null;
    logger.info({ uuid: joined.identity.uuid, cloud: cloudUrl }, 'joined the cloud');
    onJoined(joined);
  }

  async function ask(claim: ClaimWanted, stop: AbortController): Promise<void> {
    view = { state: 'asking', problem: view.problem };
    const onProblem = (problem: string) => {
      view = { state: 'asking', problem };
    };
    const signal = AbortSignal.any([stop.signal, closing]);
    try {
      finish(await joinCloud({ identity: identity(), claim, clock, random, logger, signal, onProblem }), claim);
    } catch (error) {
      if (error instanceof ClaimError) {
        wished = null;
        const problem = errorText(error);
        view = { state: 'refused', problem };
        logger.error({ reason: problem }, 'the cloud refused the claim: it is asked again only with another code');
      }
      throw error;
    }
  }

  function begin(claim: ClaimWanted): Promise<void> {
    wished = claim;
    const stop = new AbortController();
    const ended = ask(claim, stop);
    underWay = { stop, ended };
    return ended;
  }

  return {
    view: () => view,
    finish,
    begin,
    async pause(): Promise<void> {
      underWay?.stop.abort(new Error('another claim took its place'));
      await underWay?.ended.catch(() => undefined);
      underWay = null;
    },
    /** A claim by hand failed. */
    resume(failure: ClaimError): void {
      view = { state: failure.reason === 'refused' ? 'refused' : 'unclaimed', problem: errorText(failure) };
      if (wished !== null) begin(wished).catch(() => undefined);
    },
  };
}

/** A claimed gateway is claimed anew only by whoever says so. */
export function checkClaimed({ uuid, cloud }: Identity, { again }: ClaimWanted): void {
  if (cloud === null || again !== undefined) return;
  throw new ClaimError(
    'claimed',
    `this gateway (${uuid}) is already claimed at ${cloud.url}: parking-agent claim --again claims it anew as the same gateway, parking-agent reset makes it a new one`,
  );
}
