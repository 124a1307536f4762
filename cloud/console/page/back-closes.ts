/** The way back closes what stands over the view, and nothing else. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { dialogStep, leaveStep, makeStep } from './place.js';

/** @param isStep false: the address says that it is open, and is a step already */
export function useBackCloses(onClose: () => void, isStep: boolean): void {
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    if (!isStep) return undefined;
    const step = makeStep();
    const follow = () => {
      if (dialogStep() < step) close.current();
    };
    addEventListener('popstate', follow);
    return () => {
      removeEventListener('popstate', follow);
      leaveStep(step);
    };
  }, []);
}
