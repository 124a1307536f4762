/** A text as QR code, drawn here: secrets go to no other service for it. What draws it comes when the first one is shown. */
import { words } from './browser.js';
import { Refused } from './parts.js';
import { useRead } from './use-read.js';

/** Empty modules around it, which readers need. */
const QUIET = 4;

export function QrCode({ text, name }: { text: string; name: string }) {
  const { found, refusal, again } = useRead(text, async () => {
    const { create } = await import('qrcode/lib/core/qrcode.js');
    const { size, data } = create(text).modules;
    return { size, path: pathOf(size, data) };
  });
  // The text itself stands beside it.
  if (found === null) return refusal === null ? <p>{words.loading}</p> : <Refused refusal={refusal} onAgain={again} />;
  const { size, path } = found;
  return (
    <svg
      class="qr"
      role="img"
      aria-label={name}
      viewBox={`${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}

const pathOf = (size: number, data: ArrayLike<number>): string =>
  Array.from(data, (isDark, at) => (isDark ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : '')).join('');
