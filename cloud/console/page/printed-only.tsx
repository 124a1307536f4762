/**
 * What stands on paper alone, whole, and in no page that is looked at: ten thousand rows that nobody sees would be made anew with every
 * change. It is made at once when the browser begins to print, as that waits for nothing, and goes when it has printed.
 */
import { type ComponentChild, type ComponentChildren, render } from 'preact';
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

const ALONE = 'prints-alone';

/** Prints nothing but this, once: a receipt, out of whichever view. */
export function printAlone(content: ComponentChild): void {
  clearAlone();
  const paper = document.createElement('main');
  paper.className = 'alone';
  document.body.append(paper);
  document.body.classList.add(ALONE);
  render(content, paper);
  addEventListener('afterprint', clearAlone, { once: true });
  print();
}

/** Also before the next one: a browser that says nothing after printing keeps the last until then. */
function clearAlone(): void {
  for (const paper of document.querySelectorAll('body > .alone')) {
    render(null, paper);
    paper.remove();
  }
  document.body.classList.remove(ALONE);
}
