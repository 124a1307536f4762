/** The way back closes what stands over the view, and nothing else. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { dialogStep, pushStep, stepBack } from './place.js';

/** A dialog that comes so soon after another one takes over its step. */
const REUSED_MS = 50;
/** Of a dialog that has just closed. */
let left: ReturnType<typeof setTimeout> | undefined;

/** @param isStep false: the address says that it is open, and is a step already */
export function useBackCloses(onClose: () => void, isStep: boolean): void {
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    if (!isStep) return undefined;
    clearTimeout(left);
    if (left === undefined || dialogStep() === 0) pushStep();
    left = undefined;
    const step = dialogStep();
    const follow = () => {
      if (dialogStep() < step) close.current();
    };
    addEventListener('popstate', follow);
    return () => {
      removeEventListener('popstate', follow);
      if (dialogStep() !== step) return;
      left = setTimeout(() => {
        left = undefined;
        if (dialogStep() === step) stepBack();
      }, REUSED_MS);
    };
  }, []);
}
