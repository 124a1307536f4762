/** Pictures of vehicles. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { hasLinkEnded } from '../wording/picture-link.js';
import { words } from './browser.js';
import { Button, Dialog } from './parts.js';
import { isMasked } from './plate-mask.js';

/** The first wait; each further one is twice as long, a few minutes in all. */
const AGAIN_MS = 2_000;
const TRIES_MAX = 7;

/** The path alone: pictures come from the service that the page came from, whatever it is called elsewhere. */
function ownLink(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
}

/** The link of the small copy that lists show: a page of whole pictures costs a phone megabytes. */
function thumbnailLink(url: string): string {
  return ownLink(url).replace('?', '/thumbnail?');
}

/**
 * A picture, which may still be on its way from the gateway.
 * @param props.isSmall in a list
 * @param props.plate that can be read on it: while it is masked, the picture is blurred
 * @param props.onEnded asks for its record again, as links to pictures end after a time. One that is shown stays.
 */
export function Picture(props: {
  url: string | null | undefined;
  alt: string;
  isSmall?: boolean;
  plate?: string;
  onEnded?: () => void;
}) {
  const { url, alt, isSmall = false, plate = '', onEnded } = props;
  const tries = useRef(0);
  const round = useSignal(0);
  /** The service says by no event that a picture has come: until it has, its place says so, and it is asked for again, ever more rarely. */
  const isMissing = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    tries.current = 0;
    isMissing.value = false;
    if (typeof url === 'string' && hasLinkEnded(url, Date.now())) onEnded?.();
    return () => clearTimeout(timer.current);
  }, [url]);
  if (url === null || url === undefined) return <span class="picture none">{words.live.noPicture}</span>;
  const onError = (event: Event) => {
    if (!(event.currentTarget instanceof HTMLImageElement)) return;
    isMissing.value = true;
    if (tries.current === TRIES_MAX) return;
    tries.current += 1;
    // It ended while the picture was not in sight.
    if (hasLinkEnded(url, Date.now())) onEnded?.();
    timer.current = setTimeout(
      () => {
        round.value += 1;
        isMissing.value = false;
      },
      AGAIN_MS * 2 ** (tries.current - 1),
    );
  };
  if (isMissing.value)
    return (
      <span class="picture none">{tries.current === TRIES_MAX ? words.live.noPicture : words.live.pictureComes}</span>
    );
  const src = isSmall ? thumbnailLink(url) : ownLink(url);
  const look = isMasked(plate) ? 'picture veiled' : 'picture';
  return <img key={round.value} class={look} src={src} alt={alt} loading="lazy" onError={onError} />;
}

/** A picture that fills the window when it is pressed. @param props.alt names it in the window, too */
export function LargePicture(props: {
  url: string | null | undefined;
  alt: string;
  plate: string;
  onEnded?: () => void;
}) {
  const { url, alt } = props;
  const isLarge = useSignal(false);
  if (url === null || url === undefined) return <Picture url={null} alt={alt} />;
  return (
    <>
      <button
        type="button"
        class="enlarge"
        aria-label={words.found.enlarge(alt)}
        onClick={() => (isLarge.value = true)}
      >
        <Picture {...props} />
      </button>
      {isLarge.value && (
        <Dialog title={alt} class="wide" onClose={() => (isLarge.value = false)}>
          <Picture {...props} />
          <Button word={words.done} onClick={() => (isLarge.value = false)} />
        </Dialog>
      )}
    </>
  );
}
