/** The REST calls that an action made and the events that they caused, to be taken into a terminal or a program. */
import { useSignal } from '@preact/signals';
import type { RealtimeEvent } from '@parking-gateway/client';
import { useEffect, useRef } from 'preact/hooks';
import type { ShownCall } from '../wording/sentences.js';
import { CallShown } from './parts.js';
import { onEvent } from './store.js';

type SessionEvent = Extract<RealtimeEvent, { event: 'session_create' | 'session_update' }>;

export interface MadeCall {
  call: ShownCall;
  /** null: none has come yet; left out: the call causes none. */
  event?: SessionEvent | null;
}

export interface CallToMake {
  call: ShownCall;
  /** What the service tells everybody then; the call answers with the session that it is about. */
  effect?: SessionEvent['event'];
}

export interface MadeCalls {
  /** In their order. */
  list: readonly MadeCall[];
  /** Makes a call, and keeps it once it was taken. Rejects as `work` does. */
  make<Answer>(what: CallToMake, work: () => Promise<Answer>): Promise<Answer>;
  forget(): void;
}

export function useMadeCalls(): MadeCalls {
  const list = useSignal<readonly MadeCall[]>([]);
  const stops = useRef<(() => void)[]>([]);
  const stopAll = () => {
    for (const stop of stops.current.splice(0)) stop();
  };
  useEffect(() => stopAll, []);
  return {
    list: list.value,
    forget() {
      stopAll();
      list.value = [];
    },
    async make({ call, effect }, work) {
      if (effect === undefined) {
        const answer = await work();
        list.value = [...list.value, { call }];
        return answer;
      }
      // An event may come before the answer, which says whose it is.
      const early: SessionEvent[] = [];
      let handle = (event: SessionEvent): void => void early.push(event);
      const stop = onEvent((event) => {
        if ((event.event === 'session_create' || event.event === 'session_update') && event.event === effect)
          handle(event);
      });
      stops.current.push(stop);
      const answer = await work().catch((error: unknown) => {
        stop();
        throw error;
      });
      const isOwn = ({ payload }: SessionEvent) => payload.id === idIn(answer);
      const made: MadeCall = { call, event: early.find(isOwn) ?? null };
      list.value = [...list.value, made];
      if (made.event !== null) stop();
      handle = (event) => {
        if (!isOwn(event)) return;
        stop();
        list.value = list.value.map((each) => (each === made ? { call, event } : each));
      };
      return answer;
    },
  };
}

const idIn = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;

export function CallsShown({ made }: { made: readonly MadeCall[] }) {
  return (
    <>
      {made.map((each, at) => (
        <CallShown key={at} {...each} />
      ))}
    </>
  );
}
