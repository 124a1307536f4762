/** Keeps a screen on, where the browser can; elsewhere the device has to be set so. */

/** @returns what lets it sleep again */
export function keepAwake(): () => void {
  if (!('wakeLock' in navigator)) return () => undefined;
  let lock: WakeLockSentinel | null = null;
  let isOver = false;
  const ask = async () => {
    if (isOver || document.hidden || (lock !== null && !lock.released)) return;
    // A device with little power refuses.
    lock = await navigator.wakeLock.request('screen').catch(() => null);
    if (isOver) void lock?.release();
  };
  void ask();
  // The browser takes it back whenever the page is not shown.
  const askAgain = () => void ask();
  document.addEventListener('visibilitychange', askAgain);
  return () => {
    isOver = true;
    document.removeEventListener('visibilitychange', askAgain);
    void lock?.release();
  };
}
