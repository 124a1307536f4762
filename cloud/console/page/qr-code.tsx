/** A text as QR code, drawn here: secrets go to no other service for it. What draws it comes when the first one is shown. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from './browser.js';

/** Empty modules around it, which readers need. */
const QUIET = 4;

export function QrCode({ text, name }: { text: string; name: string }) {
  const drawn = useSignal<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isShown = true;
    const draw = async () => {
      const { create } = await import('qrcode/lib/core/qrcode.js');
      const { size, data } = create(text).modules;
      if (isShown) drawn.value = { size, path: pathOf(size, data) };
    };
    void draw();
    return () => {
      isShown = false;
    };
  }, [text]);
  if (drawn.value === null) return <p>{words.loading}</p>;
  const { size, path } = drawn.value;
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
