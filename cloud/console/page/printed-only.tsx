/**
 * What stands on paper alone, whole, and in no page that is looked at: ten thousand rows that nobody sees would be made anew with every
 * change. It is made at once when the browser begins to print, as that waits for nothing, and goes when it has printed.
 */
import { type ComponentChildren, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function PrintedOnly(props: { class: string; children: () => ComponentChildren }) {
  const box = useRef<HTMLElement>(null);
  const children = useRef(props.children);
  children.current = props.children;
  useEffect(() => {
    const { current: paper } = box;
    if (paper === null) return;
    const make = () => render(children.current(), paper);
    const clear = () => render(null, paper);
    // Who looks at the page as it would be printed sees it, too.
    const medium = matchMedia('print');
    const follow = () => (medium.matches ? make() : clear());
    addEventListener('beforeprint', make);
    addEventListener('afterprint', clear);
    medium.addEventListener('change', follow);
    follow();
    return () => {
      removeEventListener('beforeprint', make);
      removeEventListener('afterprint', clear);
      medium.removeEventListener('change', follow);
      clear();
    };
  }, []);
  return <section ref={box} class={props.class} />;
}
