import { Refused } from './parts.js';
import { cameraSetupWords } from './rare-words.js';
import type { Gateway } from './store.js';
import type { Asking } from './use-ask.js';

const say = await cameraSetupWords();

/** How an ask is: that it is waited for, why it was refused, and why there is no answer. @param props.gateway null: there is none */
export function AskState(props: { asking: Asking<unknown>; gateway: Gateway | null; waits?: string }) {
  const { asking, gateway, waits = say.asking } = props;
  const { last, isWaiting, refusal } = asking;
  // What the service says of a gateway that is not connected, it says of products as well, in their words.
  const isOffline = refusal?.errors.some(({ code }) => code === NOT_SEEN_RECENTLY) === true;
  const text = isWaiting
    ? waits
    : isOffline
      ? gateway === null
        ? say.noGateway
        : say.offline(gateway.name)
      : last?.state === 'failed'
        ? say.failed(last.reason ?? '')
        : last?.state === 'silent'
          ? say.silent
          : '';
  return (
    <>
      <p role="status" class={text === '' ? 'hidden' : `notice ${isWaiting ? 'busy' : 'bad'}`}>
        {text}
      </p>
      {!isOffline && <Refused refusal={refusal} />}
    </>
  );
}

const NOT_SEEN_RECENTLY = 704;
